// SPDX-License-Identifier: GPL-2.0
/*
 * A socket is found by its descriptor each time, and has to be the same one still.
 */
#include "sockets.h"

#include <linux/fs.h>
#include <linux/net.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <net/sock.h>

#include "../vif/attach/fds.h"
#include "../vif/grammar/units.h"
#include "../vif/tree/net.h"
#include "link.h"
#include "sockinfo.h"
#include "super.h"
#include "target.h"
#include "tasks.h"

/* Positions in the directory: "." and "..", descriptors. */
#define FDS_POS		2

static const char info_name[] = "socket";

struct search {
	const struct vif_net *net;
	unsigned int fd;
	bool exact;
	struct sock *sk;
};

/* Called with the table of descriptors locked. */
static bool match(struct file *file, unsigned int fd, void *arg)
{
	struct search *search = arg;
	struct socket *sock = sock_from_file(file);
	struct sock *sk = sock ? sock->sk : NULL;

	if (search->exact && fd != search->fd)
		return false;
	if (sk && nnfs_sockinfo_is_net(sk) &&
	    vif_net_of(sock_net(sk)) == search->net) {
		sock_hold(sk);
		search->fd = fd;
		search->sk = sk;
	}
	return !search->sk && !search->exact;
}

/* Threads share the descriptors, unless they have chosen otherwise. */
static struct task_struct *get_thread(struct pid *pid)
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

static void search_process(struct pid *pid, struct search *search)
{
	struct task_struct *thread = get_thread(pid);

	if (!thread)
		return;
	vif_fds_for_each(thread, search->fd, match, search);
	put_task_struct(thread);
}

/* The socket at a descriptor, referenced, or NULL. */
static struct sock *find_sock(const struct inode *inode, unsigned int fd)
{
	struct search search = {
		.net = nnfs_net(inode),
		.fd = fd,
		.exact = true,
	};

	search_process(nnfs_i(inode)->pid, &search);
	return search.sk;
}

static bool is_still(const struct inode *inode, const struct qstr *name)
{
	const struct vif_word word = { name->name, name->len };
	struct sock *sk;
	int fd;

	if (vif_parse_number(&word, &fd))
		return false;
	sk = find_sock(inode, fd);
	if (sk)
		sock_put(sk);
	return sk == nnfs_i(inode)->target.sk;
}

static int info_show(struct seq_file *seq, void *v)
{
	struct inode *inode = seq->private;

	if (nnfs_is_hidden(inode))
		return -ENOENT;
	nnfs_sockinfo_show(seq, nnfs_i(inode)->target.sk);
	return 0;
}

static int info_open(struct inode *inode, struct file *file)
{
	return single_open(file, info_show, inode);
}

static const struct file_operations info_fops = {
	.open		= info_open,
	.read_iter	= seq_read_iter,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static const struct inode_operations info_iops = {
	.setattr	= nnfs_setattr_fixed,
};

static const struct nnfs_kind info_kind = {
	.mode	= S_IFREG | 0444,
	.i_op	= &info_iops,
	.i_fop	= &info_fops,
};

static u64 info_ino(const struct inode *dir)
{
	return dir->i_ino + nnfs_task_ino(0, NNFS_TASK_SOCKET_FILE, 0) -
	       nnfs_task_ino(0, NNFS_TASK_SOCKETS, 0);
}

static struct inode *socket_child(struct inode *dir, const struct qstr *name)
{
	struct inode *inode;

	if (!nnfs_is_name(name, info_name))
		return NULL;
	inode = nnfs_inode_new(dir->i_sb, &info_kind, info_ino(dir));
	if (IS_ERR(inode))
		return inode;
	nnfs_inode_set_target(inode, &nnfs_i(dir)->target);
	nnfs_i(inode)->pid = get_pid(nnfs_i(dir)->pid);
	return inode;
}

static void socket_emit(struct inode *dir, struct dir_context *ctx)
{
	if (ctx->pos == NNFS_CHILDREN_POS &&
	    dir_emit(ctx, info_name, strlen(info_name), info_ino(dir), DT_REG))
		ctx->pos++;
}

static const struct nnfs_target_kind socket_kind = {
	.base = NNFS_TARGET_KIND(is_still),
	.child = socket_child,
	.emit = socket_emit,
};

/* The number 0 is the directory's own. */
static u64 socket_ino(const struct inode *dir, unsigned int fd)
{
	return nnfs_task_ino(nnfs_task_nr(dir), NNFS_TASK_SOCKETS, fd + 1);
}

static struct dentry *lookup(struct inode *dir, struct dentry *dentry,
			     unsigned int flags)
{
	const struct vif_word word = {
		dentry->d_name.name, dentry->d_name.len
	};
	struct vif_target target = { .kind = VIF_SOCKET };
	struct inode *inode = NULL;
	int fd;

	if (!vif_parse_number(&word, &fd))
		target.sk = find_sock(dir, fd);
	if (!target.sk)
		return d_splice_alias(NULL, dentry);
	inode = nnfs_target_inode(dir->i_sb, &socket_kind, socket_ino(dir, fd),
				  &target);
	if (!IS_ERR(inode))
		nnfs_i(inode)->pid = get_pid(nnfs_i(dir)->pid);
	sock_put(target.sk);
	return d_splice_alias(inode, dentry);
}

static int iterate(struct file *file, struct dir_context *ctx)
{
	struct inode *dir = file_inode(file);
	char name[NNFS_NUMBER_SIZE];
	struct search search = { .net = nnfs_net(dir) };
	int len;

	if (nnfs_is_hidden(dir))
		return -ENOENT;
	if (!dir_emit_dots(file, ctx))
		return 0;
	for (;;) {
		search.fd = min_t(loff_t, ctx->pos - FDS_POS, INT_MAX);
		search.sk = NULL;
		search_process(nnfs_i(dir)->pid, &search);
		if (!search.sk)
			break;
		sock_put(search.sk);
		len = snprintf(name, sizeof(name), "%u", search.fd);
		if (!dir_emit(ctx, name, len, socket_ino(dir, search.fd),
			      DT_DIR))
			break;
		ctx->pos = FDS_POS + search.fd + 1;
	}
	return 0;
}

static const struct inode_operations sockets_iops = {
	.lookup		= lookup,
	.symlink	= nnfs_link_refuse,
	.permission	= nnfs_task_permission,
	.getattr	= nnfs_task_getattr,
	.setattr	= nnfs_setattr_fixed,
};

static const struct file_operations sockets_fops = {
	.llseek		= generic_file_llseek,
	.read		= generic_read_dir,
	.iterate_shared	= iterate,
};

const struct nnfs_kind nnfs_sockets_kind = {
	.mode	= S_IFDIR | 0555,
	.i_op	= &sockets_iops,
	.i_fop	= &sockets_fops,
};
