/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directory /devices: a directory for each device, with what is attached to
 * VIFs of other devices of that which this one receives.
 */
#ifndef NETNICE_PROCFS_DEVICES_H
#define NETNICE_PROCFS_DEVICES_H

struct inode;
struct super_block;

/* Return: the inode or an error pointer. */
struct inode *nnfs_devices_inode(struct super_block *sb);

#endif
