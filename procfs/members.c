// SPDX-License-Identifier: GPL-2.0
/*
 * The file "tasks" of a VIF: reading lists the processes attached to it,
 * writing a number attaches one. Numbers are those of the superblock's PID
 * namespace. A position in the list is the last number seen.
 */
#include "members.h"

#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "../vif/error.h"
#include "../vif/net.h"
#include "../vif/task.h"
#include "../vif/vif.h"
#include "files.h"
#include "inode.h"
#include "parse.h"
#include "super.h"
#include "tasks.h"

static void *start(struct seq_file *seq, loff_t *pos)
{
	struct inode *inode = file_inode(seq->file);
	const struct nnfs_super *super = nnfs_super(inode->i_sb);
	struct vif *vif = nnfs_i(inode)->vif;
	struct nnfs_open *open = seq->private;

	if (READ_ONCE(vif->dead))
		return ERR_PTR(-ENODEV);
	open->nr = *pos;
	return vif_task_next(super->net, vif, super->pid_ns, &open->nr) ?
	       open : NULL;
}

static void *next(struct seq_file *seq, void *v, loff_t *pos)
{
	struct nnfs_open *open = v;

	*pos = open->nr;
	return start(seq, pos);
}

static void stop(struct seq_file *seq, void *v)
{
}

static int show(struct seq_file *seq, void *v)
{
	const struct nnfs_open *open = v;

	seq_printf(seq, "%d\n", open->nr);
	return 0;
}

const struct seq_operations nnfs_members_seq = {
	.start	= start,
	.next	= next,
	.stop	= stop,
	.show	= show,
};

int nnfs_members_store(struct file *file, struct vif *vif, char *text)
{
	const struct nnfs_super *super = nnfs_super(file_inode(file)->i_sb);
	const struct nnfs_word word = { text, strlen(text) };
	struct pid *pid;
	int nr, err;

	if (!file_ns_capable(file, super->net->user_ns, CAP_NET_ADMIN))
		return vif_fail(super->net, -EPERM,
				"tasks: attaching a process takes CAP_NET_ADMIN over the network namespace");
	if (nnfs_parse_number(&word, &nr))
		return vif_fail(super->net, -EINVAL,
				"tasks: '%s' is no process: write the number of one, or 0 for the writer itself",
				text);
	pid = nr ? nnfs_pid_get(super->pid_ns, nr) :
		   get_task_pid(current, PIDTYPE_TGID);
	if (!pid)
		return vif_fail(super->net, -ESRCH, "tasks: no process %d",
				nr);
	err = vif_task_attach(vif, pid);
	put_pid(pid);
	return err;
}
