// SPDX-License-Identifier: GPL-2.0
/*
 * The file last_error; the sentences are kept by vif/tree/error.c.
 */
#include "last_error.h"

#include <linux/fs.h>
#include <linux/seq_file.h>

#include "../vif/tree/error.h"
#include "inode.h"
#include "super.h"

static int show(struct seq_file *seq, void *v)
{
	vif_error_show(nnfs_net(seq->private), seq);
	return 0;
}

static int open(struct inode *inode, struct file *file)
{
	return single_open(file, show, inode);
}

static const struct inode_operations last_error_iops = {
	.setattr	= nnfs_setattr_fixed,
};

static const struct file_operations last_error_fops = {
	.open		= open,
	.read_iter	= seq_read_iter,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static const struct nnfs_kind last_error_kind = {
	.mode	= S_IFREG | 0444,
	.i_op	= &last_error_iops,
	.i_fop	= &last_error_fops,
	.kept	= true,
};

struct inode *nnfs_last_error_inode(struct super_block *sb)
{
	return nnfs_inode_new(sb, &last_error_kind,
			      nnfs_ino(NNFS_INO_FIXED, NNFS_INO_LAST_ERROR));
}
