// SPDX-License-Identifier: GPL-2.0
/*
 * The table of a VIF's files, and their common operations: open, read, write, release. Each write
 * is a whole value, whatever was written before by the same descriptor, and a read shows the value
 * in force. values.c has files with a value, members.c files with a list.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../vif/compat/fs.h"
#include "../vif/tree/access.h"
#include "../vif/tree/error.h"
#include "../vif/tree/net.h"
#include "../vif/tree/param.h"
#include "../vif/tree/program.h"
#include "../vif/tree/vif.h"
#include "internal.h"
#include "programs.h"
#include "values.h"

/* The longest text that a file accepts, in bytes, unless the file has its own bound. */
#define VALUE_MAX	256

static int nnfs_file_param_show(struct seq_file *seq, struct vif *vif)
{
	vif_param_show(vif, nnfs_seq_file(seq)->param, seq);
	return 0;
}

static int nnfs_file_param_store(struct file *file, struct vif *vif, char *text)
{
	return vif_param_write(vif, nnfs_i(file_inode(file))->file->param, text);
}

#define PARAM_FILE(ID, member, kind, may, ...)	\
	{					\
		.name = #member,		\
		.restrains = may,		\
		.param = VIF_PARAM_##ID,	\
		.show = nnfs_file_param_show,		\
		.store = nnfs_file_param_store,		\
	},

static const struct nnfs_file files[] = {
	VIF_PARAM_LIST(PARAM_FILE)
	{
		.name = "autoremove",
		.restrains = true,
		.show = nnfs_autoremove_show,
		.store = nnfs_autoremove_store,
	}, {
		.name = "tasks",
		.seq = &nnfs_tasks_seq,
		.store = nnfs_tasks_store,
	}, {
		.name = "sockets",
		.seq = &nnfs_socks_seq,
	}, {
		.name = "stack",
		.show = nnfs_stack_show,
		.store = nnfs_stack_store,
	}, {
		.name = "ports",
		.show = nnfs_ports_show,
		.store = nnfs_ports_store,
	}, {
		.name = "program",
		.most = NNFS_PROGRAM_MOST,
		.show = vif_program_show,
		.store = nnfs_program_store,
	}, {
		.name = "stat",
		.show = nnfs_stat_show,
	},
};

static const struct nnfs_file *nnfs_file_by_name(const struct qstr *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (nnfs_is_name(name, files[i].name))
			return &files[i];
	return NULL;
}

bool nnfs_name_is_file(const struct qstr *name)
{
	return nnfs_file_by_name(name);
}

/* A file without a list is shown as a list with one element. */
static void *nnfs_file_one_start(struct seq_file *seq, loff_t *pos)
{
	return *pos ? NULL : SEQ_START_TOKEN;
}

static void *nnfs_file_one_next(struct seq_file *seq, void *v, loff_t *pos)
{
	++*pos;
	return NULL;
}

static void nnfs_file_one_stop(struct seq_file *seq, void *v)
{
}

static int nnfs_file_one_show(struct seq_file *seq, void *v)
{
	struct vif *vif = nnfs_seq_vif(seq);

	if (READ_ONCE(vif->dead))
		return -ENODEV;
	return nnfs_seq_file(seq)->show(seq, vif);
}

static const struct seq_operations nnfs_file_seq_ops = {
	.start	= nnfs_file_one_start,
	.next	= nnfs_file_one_next,
	.stop	= nnfs_file_one_stop,
	.show	= nnfs_file_one_show,
};

/* Check permissions for a file that restrains: see struct nnfs_file. */
static int nnfs_file_may_restrain(struct vif *vif, const struct nnfs_file *f)
{
	bool may;

	mutex_lock(vif_tree_lock(vif));
	may = vif_access_restrain(vif);
	mutex_unlock(vif_tree_lock(vif));
	if (may)
		return 0;
	return vif_fail(vif_net_of_vif(vif), -EACCES,
			"%s: it restrains the VIF: changing it requires write permission on the parent directory, too",
			f->name);
}

static int nnfs_file_may_open_for_writing(struct vif *vif, const struct nnfs_file *f)
{
	if (!f->store)
		return vif_fail(vif_net_of_vif(vif), -EACCES,
				"%s: can be read only", f->name);
	return f->restrains ? nnfs_file_may_restrain(vif, f) : 0;
}

static int nnfs_file_open_vif(struct file *file, struct vif *vif,
			      const struct nnfs_file *f)
{
	struct nnfs_open *open;
	int err;

	if (file->f_mode & FMODE_WRITE) {
		err = nnfs_file_may_open_for_writing(vif, f);
		if (err)
			return err;
	}
	open = __seq_open_private(file, f->seq ?: &nnfs_file_seq_ops, sizeof(*open));
	if (!open)
		return -ENOMEM;
	open->vif = vif_get(vif);
	open->here = vif_net_of(current->nsproxy->net_ns) == vif_net_of_vif(vif);
	/* allow pwrite(2), which seq_open() disables; nnfs_file_write() checks offsets */
	if (file->f_mode & FMODE_WRITE)
		file->f_mode |= FMODE_PWRITE;
	return 0;
}

static int nnfs_file_open(struct inode *inode, struct file *file)
{
	struct vif *vif = nnfs_vif_get_or_fail(inode);
	int err;

	if (IS_ERR(vif))
		return PTR_ERR(vif);
	err = nnfs_file_open_vif(file, vif, nnfs_i(inode)->file);
	vif_put(vif);
	return err;
}

static int nnfs_file_release(struct inode *inode, struct file *file)
{
	struct nnfs_open *open = nnfs_open_of(file);
	struct vif *vif = open->vif;

	if (test_bit(0, &open->pinned))
		vif_unpin(vif);
	seq_release_private(inode, file);
	vif_put(vif);
	return 0;
}

/* The opener's credentials decide, because another process may write for the opener. */
static int nnfs_file_store(struct file *file, char *text)
{
	const struct nnfs_file *f = nnfs_i(file_inode(file))->file;
	struct vif *vif = nnfs_open_of(file)->vif;
	const struct cred *cred = override_creds(file->f_cred);
	int err;

	/* the VIF may have been moved, or changed hands, since it was opened */
	err = f->restrains ? nnfs_file_may_restrain(vif, f) : nnfs_need_write(vif, f);
	if (!err)
		err = f->store(file, vif, text);
	revert_creds(cred);
	return err;
}

/* The offset stays 0, so that several values can be written in a row. */
static ssize_t nnfs_file_write(struct file *file, const char __user *buf,
			       size_t len, loff_t *pos)
{
	struct inode *inode = file_inode(file);
	const struct nnfs_file *f = nnfs_i(inode)->file;
	char *text = nnfs_copy_text(inode, f->name, f->most ?: VALUE_MAX, buf, len, *pos);
	int err;

	if (IS_ERR(text))
		return PTR_ERR(text);
	err = nnfs_file_store(file, strim(text));
	kfree(text);
	return err ?: len;
}

static const struct inode_operations nnfs_file_iops = {
	.permission	= nnfs_permission,
	.getattr	= nnfs_getattr,
	.setattr	= nnfs_setattr_fixed,
};

static const struct file_operations nnfs_file_fops = {
	.open		= nnfs_file_open,
	.read_iter	= seq_read_iter,
	.write		= nnfs_file_write,
	.llseek		= seq_lseek,
	.release	= nnfs_file_release,
	NNFS_NO_LEASES
};

static bool nnfs_file_alive(const struct inode *inode, const struct qstr *name)
{
	return !READ_ONCE(nnfs_i(inode)->vif->dead);
}

static const struct nnfs_kind file_kind = {
	.mode	= S_IFREG,
	.i_op	= &nnfs_file_iops,
	.i_fop	= &nnfs_file_fops,
	.kept	= true,
	.alive	= nnfs_file_alive,
};

static u64 nnfs_file_ino(const struct vif *vif, const struct nnfs_file *file)
{
	return nnfs_ino(NNFS_INO_FILE, vif->ino << 5 | (file - files));
}

static struct inode *nnfs_file_inode_of(struct inode *dir, struct vif *vif,
					const struct nnfs_file *file)
{
	struct inode *inode = nnfs_inode_below(dir, &file_kind,
					       nnfs_file_ino(vif, file), NULL);

	if (IS_ERR(inode))
		return inode;
	nnfs_i(inode)->file = file;
	nnfs_inode_set_vif(inode, vif);
	return inode;
}

struct inode *nnfs_file_find(struct inode *dir, const struct qstr *name)
{
	const struct nnfs_file *file = nnfs_file_by_name(name);
	struct inode *inode;
	struct vif *vif;

	if (!file)
		return NULL;
	vif = nnfs_vif_get(dir);
	if (!vif)
		return ERR_PTR(-ENOENT);
	inode = nnfs_file_inode_of(dir, vif, file);
	vif_put(vif);
	return inode;
}

/* A position is one more than an index in the table. */
bool nnfs_file_next(struct inode *dir, u64 *pos, struct nnfs_entry *entry)
{
	const struct nnfs_file *file;

	if (*pos >= ARRAY_SIZE(files))
		return false;
	file = &files[*pos];
	strscpy(entry->name, file->name, sizeof(entry->name));
	entry->ino = nnfs_file_ino(nnfs_i(dir)->vif, file);
	entry->type = DT_REG;
	++*pos;
	return true;
}
