// SPDX-License-Identifier: GPL-2.0
/*
 * Lookup and readdir of all directories. A directory's kind defines its entries in two parts: the
 * first one has few entries, the second one may have many. A part is a table, or functions that
 * find a name and the entry after a position. A name is looked up in the first part, then in the
 * second one. A directory lists the first part, then the second one, as they are while it is read.
 *
 * An entry keeps its position in its part, which is greater than the positions of the entries
 * before. So a walk continues correctly if entries are removed meanwhile. Positions in the
 * directory are: "." and "..", then the first part, then from REST_POS on the second part.
 */
#include <linux/fs.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "../vif/compat/fs.h"
#include "../vif/grammar/units.h"
#include "../vif/tree/error.h"
#include "../vif/tree/vif.h"
#include "internal.h"

#define FIRST_POS	2
#define REST_POS	(FIRST_POS + NNFS_FIRST_MAX)

static struct inode *nnfs_dir_find_fixed(struct inode *dir, const struct nnfs_fixed *fixed,
					 const struct qstr *name)
{
	struct inode *inode;

	while (fixed->name && !nnfs_is_name(name, fixed->name))
		fixed++;
	if (!fixed->name || (fixed->is_there && !fixed->is_there(dir)))
		return NULL;
	inode = nnfs_inode_below(dir, fixed->kind, dir->i_ino + fixed->ino, NULL);
	if (!IS_ERR(inode) && fixed->bind)
		fixed->bind(inode);
	return inode;
}

static struct inode *nnfs_dir_find_in(struct inode *dir, const struct nnfs_part *part,
				      const struct qstr *name)
{
	if (part->fixed)
		return nnfs_dir_find_fixed(dir, part->fixed, name);
	return part->find ? part->find(dir, name) : NULL;
}

/* See nnfs_d_revalidate() for what has been found before, by another user. */
struct dentry *nnfs_dir_lookup(struct inode *dir, struct dentry *dentry,
			       unsigned int flags)
{
	const struct nnfs_kind *kind = nnfs_i(dir)->kind;
	struct inode *inode = nnfs_dir_find_in(dir, &kind->first, &dentry->d_name) ?:
			      nnfs_dir_find_in(dir, &kind->rest, &dentry->d_name);

	if (!IS_ERR_OR_NULL(inode) &&
	    (nnfs_is_hidden(inode) ||
	     (nnfs_is_made(flags) && nnfs_link_is_alias(inode, &dentry->d_name)))) {
		iput(inode);
		inode = NULL;
	}
	return d_splice_alias(inode, dentry);
}

static bool nnfs_dir_next_fixed(struct inode *dir, const struct nnfs_fixed *fixed,
				u64 *pos, struct nnfs_entry *entry)
{
	u64 skip;

	for (skip = *pos; skip && fixed->name; skip--)
		fixed++;
	if (!fixed->name)
		return false;
	strscpy(entry->name, fixed->is_there && !fixed->is_there(dir) ? "" : fixed->name,
		sizeof(entry->name));
	entry->ino = dir->i_ino + fixed->ino;
	entry->type = fs_umode_to_dtype(fixed->kind->mode);
	++*pos;
	return true;
}

static bool nnfs_dir_next_in(struct inode *dir, const struct nnfs_part *part, u64 *pos,
			     struct nnfs_entry *entry)
{
	if (part->fixed)
		return nnfs_dir_next_fixed(dir, part->fixed, pos, entry);
	return part->next && part->next(dir, pos, entry);
}

/*
 * Return false if there is no more room. Entries that the caller may not see take no room: the
 * walk may be long, and ends early if the caller is killed.
 */
static bool nnfs_dir_emit_part(struct inode *dir, const struct nnfs_part *part,
			       loff_t begin, struct dir_context *ctx)
{
	u64 pos = ctx->pos - begin;
	struct nnfs_entry entry;

	while (!fatal_signal_pending(current) && nnfs_dir_next_in(dir, part, &pos, &entry)) {
		if (*entry.name &&
		    !dir_emit(ctx, entry.name, strlen(entry.name), entry.ino,
			      entry.type))
			return false;
		ctx->pos = begin + pos;
		cond_resched();
	}
	return true;
}

static bool nnfs_dir_is_there(const struct inode *dir)
{
	const struct vif *vif = nnfs_i(dir)->vif;

	return !nnfs_is_hidden(dir) && !(vif && READ_ONCE(vif->dead));
}

static int nnfs_dir_iterate(struct file *file, struct dir_context *ctx)
{
	struct inode *dir = file_inode(file);
	const struct nnfs_kind *kind = nnfs_i(dir)->kind;

	if (!nnfs_dir_is_there(dir))
		return -ENOENT;
	if (!dir_emit_dots(file, ctx))
		return 0;
	if (ctx->pos < REST_POS) {
		if (!nnfs_dir_emit_part(dir, &kind->first, FIRST_POS, ctx))
			return 0;
		ctx->pos = REST_POS;
	}
	nnfs_dir_emit_part(dir, &kind->rest, REST_POS, ctx);
	return 0;
}

const struct file_operations nnfs_dir_fops = {
	.llseek		= generic_file_llseek,
	.read		= generic_read_dir,
	.iterate_shared	= nnfs_dir_iterate,
};

int nnfs_dir_no_symlink(struct nnfs_idmap *idmap, struct inode *dir,
			struct dentry *dentry, const char *text)
{
	return vif_fail(nnfs_net(dir), -EPERM,
			"'%pd': links cannot be made here: make them in the directory of the object to attach: tasks/PID, tasks/PID/threads/TID, tasks/PID/sockets/FD, cgroups/PATH or devices/DEV",
			dentry);
}

const struct inode_operations nnfs_list_iops = {
	.lookup		= nnfs_dir_lookup,
	.symlink	= nnfs_dir_no_symlink,
	.permission	= nnfs_task_permission,
	.getattr	= nnfs_task_getattr,
	.setattr	= nnfs_setattr_fixed,
};

int nnfs_dir_number(const struct qstr *name)
{
	const struct vif_word word = { name->name, name->len };
	int number;

	return vif_parse_number(&word, &number) ? -1 : number;
}

void nnfs_dir_number_entry(struct nnfs_entry *entry, int number, u64 ino)
{
	snprintf(entry->name, sizeof(entry->name), "%d", number);
	entry->ino = ino;
	entry->type = DT_DIR;
}

static int nnfs_text_show(struct seq_file *seq, void *v)
{
	const struct inode *inode = seq->private;

	if (nnfs_is_hidden(inode))
		return -ENOENT;
	nnfs_i(inode)->kind->show(seq, inode);
	return 0;
}

static int nnfs_text_open(struct inode *inode, struct file *file)
{
	return single_open(file, nnfs_text_show, inode);
}

const struct inode_operations nnfs_text_iops = {
	.setattr	= nnfs_setattr_fixed,
};

const struct file_operations nnfs_text_fops = {
	.open		= nnfs_text_open,
	.read_iter	= seq_read_iter,
	.llseek		= seq_lseek,
	.release	= single_release,
};
