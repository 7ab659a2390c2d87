/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directory /tasks/PID/threads: a directory for each thread of a process.
 */
#ifndef NETNICE_PROCFS_THREADS_H
#define NETNICE_PROCFS_THREADS_H

struct inode;

/* @dir: the process's directory. Return: the inode or an error pointer. */
struct inode *nnfs_threads_inode(struct inode *dir);

#endif
