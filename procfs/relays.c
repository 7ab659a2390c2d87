// SPDX-License-Identifier: GPL-2.0
/*
 * In the directory of a socket, /tasks/PID/sockets/FD: the link "relay" points to the directory of
 * another socket, which sends what this socket receives. Creating the link begins the relay,
 * removing it ends the relay. While the relay exists, so does the file "relay_program", the filter
 * of datagrams. Relays are an option (vif/relay/, vif/tree/option.h), which the first relay loads.
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

#include "../vif/tree/error.h"
#include "../vif/tree/net.h"
#include "../vif/tree/option.h"
#include "../vif/tree/program.h"
#include "internal.h"
#include "programs.h"
#include "values.h"

static const char link_name[] = "relay";

static struct sock *nnfs_relay_sock_of(const struct inode *inode)
{
	return nnfs_i(inode)->target.sk;
}

/* Which relay has a socket? @info: may be NULL. False: none. */
static bool nnfs_relay_get(const struct sock *sk, struct vif_relay_info *info)
{
	const struct vif_option *option = vif_option_find(VIF_OPTION_RELAY);
	bool is = option && vif_relay_ops_of(option)->get(sk, info);

	vif_option_put(option);
	return is;
}

bool nnfs_relay_is(const struct inode *dir)
{
	return nnfs_relay_get(nnfs_relay_sock_of(dir), NULL);
}

void nnfs_relay_show(struct seq_file *seq, const struct sock *sk)
{
	struct vif_relay_info info;

	if (!nnfs_relay_get(sk, &info))
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
	if (!nnfs_relay_get(nnfs_relay_sock_of(inode), &info))
		return ERR_PTR(-ENOENT);
	text = kasprintf(GFP_KERNEL, "../../../%d/sockets/%d",
			 pid_nr_ns(info.pid, nnfs_super(inode->i_sb)->pid_ns), info.fd);
	put_pid(info.pid);
	if (!text)
		return ERR_PTR(-ENOMEM);
	set_delayed_call(done, kfree_link, text);
	return text;
}

static const struct inode_operations nnfs_relay_link_iops = {
	.get_link	= nnfs_relay_get_link,
	.setattr	= nnfs_setattr_fixed,
};

const struct nnfs_kind nnfs_relay_kind = {
	.mode	= S_IFLNK | 0777,
	.i_op	= &nnfs_relay_link_iops,
	.alive	= nnfs_relay_alive,
};

static int nnfs_relay_begin(struct inode *dir, struct dentry *dentry, const char *text)
{
	const struct vif_option *option = vif_option_load(nnfs_net(dir), VIF_OPTION_RELAY);
	struct inode *inode;
	int err;

	if (IS_ERR(option))
		return PTR_ERR(option);
	inode = nnfs_inode_below(dir, &nnfs_relay_kind, nnfs_ino(NNFS_INO_LINK, dir->i_ino), NULL);
	err = PTR_ERR_OR_ZERO(inode) ?: vif_relay_ops_of(option)->begin(dir, dentry, text);
	vif_option_put(option);
	if (!err)
		d_instantiate(dentry, inode);
	else if (!IS_ERR(inode))
		iput(inode);
	return err;
}

static int nnfs_relay_end(const struct inode *dir)
{
	const struct vif_option *option = vif_option_find(VIF_OPTION_RELAY);
	int err;

	if (!option)
		return -ENOENT;
	err = vif_relay_ops_of(option)->end(nnfs_relay_sock_of(dir));
	vif_option_put(option);
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
		return nnfs_relay_end(dir);
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
	const struct vif_option *option;
	char *text;

	if (nnfs_is_hidden(inode))
		return -ENOENT;
	option = vif_option_find(VIF_OPTION_RELAY);
	if (!option)
		return -ENOENT;
	text = kvmalloc(NNFS_PROGRAM_MOST, GFP_KERNEL_ACCOUNT);
	if (text) {
		vif_relay_ops_of(option)->program_text(nnfs_relay_sock_of(inode), text,
						       NNFS_PROGRAM_MOST);
		seq_printf(seq, "%s\n", text);
	}
	vif_option_put(option);
	kvfree(text);
	return text ? 0 : -ENOMEM;
}

static int nnfs_relay_program_open(struct inode *inode, struct file *file)
{
	return single_open(file, nnfs_relay_program_show, inode);
}

/* @program: given away */
static int nnfs_relay_set_program(const struct inode *inode, struct vif_program *program)
{
	const struct vif_option *option = vif_option_find(VIF_OPTION_RELAY);
	int err;

	if (!option) {
		vif_program_drop(program);
		return -ENOENT;
	}
	err = vif_relay_ops_of(option)->set_program(nnfs_relay_sock_of(inode), program);
	vif_option_put(option);
	return err;
}

static int nnfs_relay_store(struct inode *inode, char *text)
{
	struct vif_net *vn = nnfs_net(inode);
	struct vif_program *program = NULL;
	int err;

	if (nnfs_is_hidden(inode))
		return -ENOENT;
	if (strcmp(text, "none"))
		program = nnfs_program_make(vn, true, text);
	if (IS_ERR(program))
		return PTR_ERR(program);
	err = nnfs_relay_set_program(inode, program);
	return err ? vif_fail(vn, err, "relay_program: the socket has no relay any more") : 0;
}

/* Judged by the opener's credentials, as all files here. */
static ssize_t
nnfs_relay_program_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct inode *inode = file_inode(file);
	char *text = nnfs_copy_text(inode, "relay_program", NNFS_PROGRAM_MOST, buf, len, *pos);
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

static const struct inode_operations nnfs_relay_program_iops = {
	.permission	= nnfs_task_permission,
	.setattr	= nnfs_setattr_fixed,
};

static const struct file_operations nnfs_relay_program_fops = {
	.open		= nnfs_relay_program_open,
	.read_iter	= seq_read_iter,
	.write		= nnfs_relay_program_write,
	.llseek		= seq_lseek,
	.release	= single_release,
	NNFS_NO_LEASES
};

const struct nnfs_kind nnfs_relay_program_kind = {
	.mode	= S_IFREG | 0644,
	.i_op	= &nnfs_relay_program_iops,
	.i_fop	= &nnfs_relay_program_fops,
	.alive	= nnfs_relay_alive,
};
