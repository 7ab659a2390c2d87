/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directory /tasks/PID/sockets: a directory for each descriptor of a process
 * that is a socket for network devices of the namespace.
 */
#ifndef NETNICE_PROCFS_SOCKETS_H
#define NETNICE_PROCFS_SOCKETS_H

struct inode;

/* @dir: the process's directory. Return: the inode or an error pointer. */
struct inode *nnfs_sockets_inode(struct inode *dir);

#endif
