// SPDX-License-Identifier: GPL-2.0
/*
 * The directory /tasks/PID/sockets: it has a directory for each descriptor of the process that is a
 * socket for network devices of the namespace. A socket is looked up by its descriptor each time,
 * and must still be the same socket. vif/attach/fd_scan.c walks descriptors, sockinfo.c prints a
 * socket.
 */
#include <linux/fs.h>
#include <linux/net.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <net/sock.h>

#include "../vif/attach/fd_scan.h"
#include "../vif/attach/sock.h"
#include "../vif/tree/net.h"
#include "internal.h"

/*
 * Inode numbers: of a descriptor's directory from that of the directory above, which has
 * number 0, on; of the file in it from its own.
 */
#define SOCKET_INO(fd)	((fd) + 1ULL)
#define INFO_INO	(1ULL << 32)
/* in the space after that of tasks */
#define RELAY_INO	(1ULL << 60)
#define PROGRAM_INO	(RELAY_INO + INFO_INO)

struct nnfs_socket_search {
	const struct vif_net *net;
	unsigned int fd;
	bool exact;
	bool holds;
	struct sock *sk;
	struct file *file;
};

/* The caller holds the lock of the table of descriptors. */
static bool nnfs_match_socket(struct file *file, unsigned int fd, void *arg)
{
	struct nnfs_socket_search *search = arg;
	struct socket *sock = sock_from_file(file);
	struct sock *sk = sock ? sock->sk : NULL;

	if (search->exact && fd != search->fd)
		return false;
	if (sk && vif_sock_is_net(sk) &&
	    vif_net_of(sock_net(sk)) == search->net) {
		sock_hold(sk);
		search->fd = fd;
		search->sk = sk;
		search->file = file;
		if (search->holds)
			get_file(file);
	}
	return !search->sk && !search->exact;
}

/* Threads share the descriptors, unless they have chosen otherwise. */
static struct task_struct *nnfs_socket_get_thread(struct pid *pid)
{
	struct task_struct *leader, *thread, *found = NULL;

	rcu_read_lock();
	leader = pid_task(pid, PIDTYPE_TGID);
	if (leader) {
		for_each_thread(leader, thread) {
			if (READ_ONCE(thread->files)) {
				found = thread;
				get_task_struct(found);
				break;
			}
		}
	}
	rcu_read_unlock();
	return found;
}

static void nnfs_socket_search_process(struct pid *pid, struct nnfs_socket_search *search)
{
	struct task_struct *thread = nnfs_socket_get_thread(pid);

	if (!thread)
		return;
	vif_fds_for_each(thread, search->fd, nnfs_match_socket, search);
	put_task_struct(thread);
}

struct file *nnfs_sock_file_get(const struct vif_net *net, struct pid *pid, int fd)
{
	struct nnfs_socket_search search = {
		.net = net,
		.fd = fd,
		.exact = true,
		.holds = true,
	};

	if (fd >= 0)
		nnfs_socket_search_process(pid, &search);
	if (search.sk)
		sock_put(search.sk);
	return search.file;
}

/* The socket at a descriptor, referenced, or NULL; there is none at a negative one. */
static struct sock *nnfs_socket_find_sock(const struct inode *inode, int fd)
{
	struct nnfs_socket_search search = {
		.net = nnfs_net(inode),
		.fd = fd,
		.exact = true,
	};

	if (fd >= 0)
		nnfs_socket_search_process(nnfs_i(inode)->pid, &search);
	return search.sk;
}

static bool nnfs_socket_alive(const struct inode *inode, const struct qstr *name)
{
	struct sock *sk = nnfs_socket_find_sock(inode, nnfs_dir_number(name));

	if (sk)
		sock_put(sk);
	return sk == nnfs_i(inode)->target.sk;
}

static void nnfs_socket_show(struct seq_file *seq, const struct inode *inode)
{
	nnfs_sockinfo_show(seq, nnfs_i(inode)->target.sk);
	nnfs_relay_show(seq, nnfs_i(inode)->target.sk);
}

static const struct nnfs_kind info_kind = {
	.mode	= S_IFREG | 0444,
	.i_op	= &nnfs_text_iops,
	.i_fop	= &nnfs_text_fops,
	.show	= nnfs_socket_show,
};

static const struct nnfs_fixed socket_entries[] = {
	{ "socket", &info_kind, INFO_INO },
	{ "relay", &nnfs_relay_kind, RELAY_INO, NULL, nnfs_relay_is },
	{ "relay_program", &nnfs_relay_program_kind, PROGRAM_INO, NULL, nnfs_relay_is },
	{}
};

static const struct nnfs_kind socket_kind = {
	.mode	= S_IFDIR | 0755,
	.i_op	= &nnfs_relay_iops,
	.i_fop	= &nnfs_dir_fops,
	.alive	= nnfs_socket_alive,
	.first	= NNFS_LINKS,
	.rest	= { .fixed = socket_entries },
};

static struct inode *nnfs_socket_find(struct inode *dir, const struct qstr *name)
{
	const int fd = nnfs_dir_number(name);
	const struct vif_target target = {
		.kind = VIF_SOCKET,
		.sk = nnfs_socket_find_sock(dir, fd),
	};
	struct inode *inode;

	if (!target.sk)
		return NULL;
	inode = nnfs_inode_below(dir, &socket_kind, dir->i_ino + SOCKET_INO(fd),
				 &target);
	sock_put(target.sk);
	return inode;
}

/* A position is one more than a descriptor. */
static bool nnfs_socket_next(struct inode *dir, u64 *pos, struct nnfs_entry *entry)
{
	struct nnfs_socket_search search = {
		.net = nnfs_net(dir),
		.fd = min_t(u64, *pos, INT_MAX),
	};

	nnfs_socket_search_process(nnfs_i(dir)->pid, &search);
	if (!search.sk)
		return false;
	sock_put(search.sk);
	*pos = search.fd + 1;
	nnfs_dir_number_entry(entry, search.fd, dir->i_ino + SOCKET_INO(search.fd));
	return true;
}

const struct nnfs_kind nnfs_sockets_kind = {
	.mode	= S_IFDIR | 0555,
	.i_op	= &nnfs_list_iops,
	.i_fop	= &nnfs_dir_fops,
	.rest	= { .find = nnfs_socket_find, .next = nnfs_socket_next },
};
