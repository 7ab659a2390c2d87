/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of a VIF. There is one table; whatever needs to know which files
 * there are asks it.
 */
#ifndef NETNICE_PROCFS_FILES_H
#define NETNICE_PROCFS_FILES_H

#include <linux/seq_file.h>
#include <linux/types.h>

#include "../vif/attach/task.h"
#include "../vif/grammar/params.h"

struct file;
struct inode;
struct qstr;
struct sock;
struct super_block;
struct vif;

/* Longest text that a file takes. */
#define NNFS_VALUE_MAX	256

/**
 * struct nnfs_file - a file of a VIF
 * @name: its name
 * @restrains: a value that the VIF's owner must not loosen: opening it for
 *	writing takes write permission on the directory above the VIF, too
 * @param: the parameter behind it, if it is that of one
 * @show: prints the value
 * @seq: prints a list, instead of @show
 * @store: takes text without white space around it; the whole of a write. It runs
 *	with the credentials of whoever opened the file.
 *	Returns 0 or what vif_fail() has returned. NULL: read only.
 */
struct nnfs_file {
	const char *name;
	bool restrains;
	enum vif_param_id param;
	int (*show)(struct seq_file *seq, struct vif *vif);
	const struct seq_operations *seq;
	int (*store)(struct file *file, struct vif *vif, char *text);
};

extern const struct nnfs_file nnfs_files[];
extern const unsigned int nnfs_nr_files;

/**
 * struct nnfs_open - an open file of a VIF; a seq_file's private part
 * @vif: the VIF (referenced): there as long as the file is open, removed or not
 * @pinned: bit 0: it pins the VIF, for vif_unpin() at the end
 * @task: where a list of tasks is
 * @sk: the present one in a list of sockets (referenced)
 */
struct nnfs_open {
	struct vif *vif;
	unsigned long pinned;
	struct vif_task_nr task;
	struct sock *sk;
};

static inline struct nnfs_open *nnfs_open_of(const struct file *file)
{
	const struct seq_file *seq = file->private_data;

	return seq->private;
}

/* The VIF, or the table's entry, of a seq_file. */
struct vif *nnfs_seq_vif(const struct seq_file *seq);
const struct nnfs_file *nnfs_seq_file(const struct seq_file *seq);

/**
 * nnfs_file_find() - find a file by name
 * @name: the name
 *
 * Return: the table's entry or NULL.
 */
const struct nnfs_file *nnfs_file_find(const struct qstr *name);

/* Is a name one of the VIFs that users may make for themselves, user-*? */
bool nnfs_name_is_users(const struct qstr *name);

/**
 * nnfs_name_reserved() - whether no other VIF may have a name
 * @name: the name
 */
bool nnfs_name_reserved(const struct qstr *name);

/* Inode number of a VIF's file. */
u64 nnfs_file_ino(const struct vif *vif, const struct nnfs_file *file);

/**
 * nnfs_file_inode() - make the inode of a VIF's file
 * @sb: where
 * @vif: the VIF
 * @file: which
 *
 * Return: the inode or an error pointer.
 */
struct inode *nnfs_file_inode(struct super_block *sb, struct vif *vif,
			      const struct nnfs_file *file);

#endif
