// SPDX-License-Identifier: GPL-2.0
/*
 * The option netnice_relay: find both sockets of a relay from the text of the link "relay"
 * (relays.c), and call vif/relay/.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/sock.h>

#include "../vif/compat/export.h"
#include "../vif/grammar/path.h"
#include "../vif/grammar/units.h"
#include "../vif/relay/relay.h"
#include "../vif/tree/access.h"
#include "../vif/tree/error.h"
#include "../vif/tree/net.h"
#include "../vif/tree/option.h"
#include "internal.h"

/* Parse the next part of the path as a number. Return false if it is not one. */
static bool nnfs_relay_parse_number(char **path, int *number)
{
	const char *part = strsep(path, "/");
	const struct vif_word word = { part, part ? strlen(part) : 0 };

	return part && !vif_parse_number(&word, number);
}

/* Parse "tasks/PID/sockets/FD". As in path.c, only the text counts. */
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

/* Parse a link's text, relative to its directory. */
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

	if (file && sock_from_file(file)->sk == nnfs_i(dir)->target.sk)
		return file;
	if (file)
		fput(file);
	return ERR_PTR(vif_fail(nnfs_net(dir), -ENOENT, "relay: the socket has been closed"));
}

/* Both files are held: if they are closed meanwhile, that takes effect after this. */
static int nnfs_relay_begin_between(const struct inode *dir, const struct dentry *dentry,
				    const struct vif_relay_end *to)
{
	struct file *own = nnfs_relay_find_own(dir, dentry);
	int err;

	if (IS_ERR(own))
		return PTR_ERR(own);
	err = vif_relay_begin(nnfs_net(dir), nnfs_i(dir)->target.sk, to);
	fput(own);
	return err;
}

static int nnfs_relay_begin_by(const struct inode *dir, struct dentry *dentry, const char *text)
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

static const struct vif_relay_ops nnfs_relay_ops = {
	.option = {
		.id = VIF_OPTION_RELAY,
		.owner = THIS_MODULE,
	},
	.begin = nnfs_relay_begin_by,
	.end = vif_relay_end,
	.get = vif_relay_get,
	.set_program = vif_relay_set_program,
	.program_text = vif_relay_program_text,
};

static int __init nnfs_relay_init(void)
{
	return vif_option_register(&nnfs_relay_ops.option);
}

static void __exit nnfs_relay_exit(void)
{
	vif_option_unregister(&nnfs_relay_ops.option);
	vif_relay_exit();
}

module_init(nnfs_relay_init);
module_exit(nnfs_relay_exit);

MODULE_DESCRIPTION("Option of netnice: relays between UDP sockets");
MODULE_VERSION(NETNICE_VERSION);
MODULE_LICENSE("GPL");
VIF_IMPORT;
