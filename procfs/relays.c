// SPDX-License-Identifier: GPL-2.0
/*
 * In the directory of a socket, /tasks/PID/sockets/FD: the link "relay" to the directory of
 * another one, which sends what this one receives (vif/relay/). Making it begins that, removing
 * it ends it. While it is there, so is the file "relay_program": what is not relayed.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/net.h>
#include <linux/pid.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <net/sock.h>

#include "../vif/attach/sk_own.h"
#include "../vif/grammar/path.h"
#include "../vif/grammar/units.h"
#include "../vif/relay/relay.h"
#include "../vif/tree/access.h"
#include "../vif/tree/error.h"
#include "../vif/tree/net.h"
#include "internal.h"
#include "programs.h"
#include "values.h"

static const char link_name[] = "relay";

static struct sock *nnfs_relay_sock_of(const struct inode *inode)
{
	return nnfs_i(inode)->target.sk;
}

bool nnfs_relay_is(const struct inode *dir)
{
	return vif_relay_get(nnfs_relay_sock_of(dir), NULL);
}

void nnfs_relay_show(struct seq_file *seq, const struct sock *sk)
{
	struct vif_relay_info info;

	if (!vif_relay_get(sk, &info))
		return;
	put_pid(info.pid);
	seq_printf(seq, "relay_packets %llu\nrelay_drops %llu\n", info.packets, info.drops);
}

static bool nnfs_relay_alive(const struct inode *inode, const struct qstr *name)
{
	return nnfs_relay_is(inode);
}

/* --- the link --- */

static const char *nnfs_relay_get_link(struct dentry *dentry, struct inode *inode,
				       struct delayed_call *done)
{
	struct vif_relay_info info;
	char *text;

	if (!dentry)
		return ERR_PTR(-ECHILD);
	if (!vif_relay_get(nnfs_relay_sock_of(inode), &info))
		return ERR_PTR(-ENOENT);
	text = kasprintf(GFP_KERNEL, "../../../%d/sockets/%d",
			 pid_nr_ns(info.pid, nnfs_super(inode->i_sb)->pid_ns), info.fd);
	put_pid(info.pid);
	if (!text)
		return ERR_PTR(-ENOMEM);
	set_delayed_call(done, kfree_link, text);
	return text;
}

static const struct inode_operations link_iops = {
	.get_link	= nnfs_relay_get_link,
	.setattr	= nnfs_setattr_fixed,
};

const struct nnfs_kind nnfs_relay_kind = {
	.mode	= S_IFLNK | 0777,
	.i_op	= &link_iops,
	.alive	= nnfs_relay_alive,
};

/* A number that ends the path's next part; false if there is none. */
static bool nnfs_relay_parse_number(char **path, int *number)
{
	const char *part = strsep(path, "/");
	const struct vif_word word = { part, part ? strlen(part) : 0 };

	return part && !vif_parse_number(&word, number);
}

/* What "tasks/PID/sockets/FD" means, as text is read (path.c). */
static bool nnfs_relay_parse_end(char *path, int *nr, int *fd)
{
	static const char top[] = NETNICE_MOUNT_POINT "/tasks/";
	const char *sockets;

	if (strncmp(path, top, strlen(top)))
		return false;
	path += strlen(top);
	if (!nnfs_relay_parse_number(&path, nr))
		return false;
	sockets = strsep(&path, "/");
	return sockets && !strcmp(sockets, "sockets") && nnfs_relay_parse_number(&path, fd) &&
	       !path;
}

/* Where the link leads to, as text. */
static int nnfs_relay_parse(struct dentry *dir, const char *text, int *nr, int *fd)
{
	static const char top[] = NETNICE_MOUNT_POINT;
	char *buf = kmalloc(2 * PATH_MAX, GFP_KERNEL), *path = buf + PATH_MAX, *base;
	int err;

	if (!buf)
		return -ENOMEM;
	base = dentry_path_raw(dir, buf + strlen(top), PATH_MAX - strlen(top));
	err = PTR_ERR_OR_ZERO(base);
	if (!err) {
		base -= strlen(top);
		memcpy(base, top, strlen(top));
		err = vif_path_join(base, text, path, PATH_MAX);
	}
	if (!err && !nnfs_relay_parse_end(path, nr, fd))
		err = -EINVAL;
	kfree(buf);
	if (!err)
		return 0;
	return vif_fail(nnfs_net(d_inode(dir)), -EINVAL,
			"relay: '%s' is not a socket: use its directory, for example ../../../456/sockets/9",
			text);
}

/*
 * A caller who may not search the process's directory must not learn its contents. Check again when
 * the socket is held: the process may run another program by then.
 */
static struct file *
nnfs_relay_find_end(const struct inode *dir, int nr, int fd, struct vif_relay_end *to)
{
	struct file *file = NULL;

	to->pid = nnfs_pid_get(nnfs_super(dir->i_sb)->pid_ns, nr);
	to->fd = fd;
	if (to->pid && vif_access_task(to->pid))
		file = nnfs_sock_file_get(nnfs_net(dir), to->pid, fd);
	if (file && vif_access_task(to->pid)) {
		to->sk = sock_from_file(file)->sk;
		return file;
	}
	if (file)
		fput(file);
	put_pid(to->pid);
	return ERR_PTR(vif_fail(nnfs_net(dir), -EPERM,
				"relay: process %d has no socket of this network namespace at descriptor %d, or is not one that you may trace",
				nr, fd));
}

/* The file of the directory's own socket, unless it has been closed. */
static struct file *nnfs_relay_find_own(const struct inode *dir, const struct dentry *dentry)
{
	struct file *file = nnfs_sock_file_get(nnfs_net(dir), nnfs_i(dir)->pid,
					       nnfs_dir_number(&dentry->d_parent->d_name));

	if (file && sock_from_file(file)->sk == nnfs_relay_sock_of(dir))
		return file;
	if (file)
		fput(file);
	return ERR_PTR(vif_fail(nnfs_net(dir), -ENOENT, "relay: the socket has been closed"));
}

/* Both files are held: who has closed them meanwhile has them closed after this. */
static int
nnfs_relay_begin_between(struct inode *dir, struct dentry *dentry, const struct vif_relay_end *to)
{
	struct file *own = nnfs_relay_find_own(dir, dentry);
	struct inode *inode;
	int err;

	if (IS_ERR(own))
		return PTR_ERR(own);
	inode = nnfs_inode_below(dir, &nnfs_relay_kind, nnfs_ino(NNFS_INO_LINK, dir->i_ino), NULL);
	err = PTR_ERR_OR_ZERO(inode) ?: vif_relay_begin(nnfs_net(dir), nnfs_relay_sock_of(dir), to);
	fput(own);
	if (!err)
		d_instantiate(dentry, inode);
	else if (!IS_ERR(inode))
		iput(inode);
	return err;
}

static int nnfs_relay_begin(struct inode *dir, struct dentry *dentry, const char *text)
{
	struct vif_relay_end to;
	struct file *file;
	int nr, fd, err;

	err = nnfs_relay_parse(dentry->d_parent, text, &nr, &fd);
	if (err)
		return err;
	file = nnfs_relay_find_end(dir, nr, fd, &to);
	if (IS_ERR(file))
		return PTR_ERR(file);
	err = nnfs_relay_begin_between(dir, dentry, &to);
	put_pid(to.pid);
	fput(file);
	return err;
}

/* Any other link is an attachment. */
static int nnfs_relay_socket_symlink(struct nnfs_idmap *idmap, struct inode *dir,
				     struct dentry *dentry, const char *text)
{
	if (nnfs_is_name(&dentry->d_name, link_name))
		return nnfs_relay_begin(dir, dentry, text);
	return nnfs_target_iops.symlink(idmap, dir, dentry, text);
}

static int nnfs_relay_socket_unlink(struct inode *dir, struct dentry *dentry)
{
	if (nnfs_i(d_inode(dentry))->kind == &nnfs_relay_kind)
		return vif_relay_end(nnfs_relay_sock_of(dir));
	return nnfs_target_iops.unlink(dir, dentry);
}

/* The rest is nnfs_target_iops's. */
const struct inode_operations nnfs_relay_iops = {
	.lookup		= nnfs_dir_lookup,
	.symlink	= nnfs_relay_socket_symlink,
	.unlink		= nnfs_relay_socket_unlink,
	.rename		= nnfs_target_rename,
	.permission	= nnfs_task_permission,
	.getattr	= nnfs_task_getattr,
	.setattr	= nnfs_setattr_fixed,
};

/* --- the program --- */

static int nnfs_relay_program_show(struct seq_file *seq, void *v)
{
	const struct inode *inode = seq->private;
	char *text;

	if (nnfs_is_hidden(inode))
		return -ENOENT;
	text = kvmalloc(NNFS_PROGRAM_MOST, GFP_KERNEL_ACCOUNT);
	if (!text)
		return -ENOMEM;
	vif_relay_program_text(nnfs_relay_sock_of(inode), text, NNFS_PROGRAM_MOST);
	seq_printf(seq, "%s\n", text);
	kvfree(text);
	return 0;
}

static int nnfs_relay_program_open(struct inode *inode, struct file *file)
{
	return single_open(file, nnfs_relay_program_show, inode);
}

static int nnfs_relay_store(struct inode *inode, char *text)
{
	struct vif_net *vn = nnfs_net(inode);
	struct vif_program *program = NULL;
	u32 user = vif_access_admin(vn) ? 0 : vif_sk_own_number(current_fsuid());
	int err;

	if (nnfs_is_hidden(inode))
		return -ENOENT;
	if (strcmp(text, "none"))
		program = nnfs_program_make(vn, user, text);
	if (IS_ERR(program))
		return PTR_ERR(program);
	err = vif_relay_set_program(nnfs_relay_sock_of(inode), program);
	return err ? vif_fail(vn, err, "relay_program: the socket has no relay any more") : 0;
}

/* Judged by the opener's credentials, as all files here. */
static ssize_t
nnfs_relay_program_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct inode *inode = file_inode(file);
	char *text = nnfs_take_text(inode, "relay_program", NNFS_PROGRAM_MOST, buf, len, *pos);
	const struct cred *cred;
	int err;

	if (IS_ERR(text))
		return PTR_ERR(text);
	cred = override_creds(file->f_cred);
	err = nnfs_relay_store(inode, strim(text));
	revert_creds(cred);
	kfree(text);
	return err ?: len;
}

static const struct inode_operations program_iops = {
	.permission	= nnfs_task_permission,
	.setattr	= nnfs_setattr_fixed,
};

static const struct file_operations program_fops = {
	.open		= nnfs_relay_program_open,
	.read_iter	= seq_read_iter,
	.write		= nnfs_relay_program_write,
	.llseek		= seq_lseek,
	.release	= single_release,
	NNFS_NO_LEASES
};

const struct nnfs_kind nnfs_relay_program_kind = {
	.mode	= S_IFREG | 0644,
	.i_op	= &program_iops,
	.i_fop	= &program_fops,
	.alive	= nnfs_relay_alive,
};
