/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file last_error: why the reader's last operation failed.
 */
#ifndef NETNICE_PROCFS_LAST_ERROR_H
#define NETNICE_PROCFS_LAST_ERROR_H

struct inode;
struct super_block;

/**
 * nnfs_last_error_inode() - make the inode of /last_error
 * @sb: where
 *
 * Return: the inode or an error pointer.
 */
struct inode *nnfs_last_error_inode(struct super_block *sb);

#endif
