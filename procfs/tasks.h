/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directories /tasks and /tasks/PID.
 */
#ifndef NETNICE_PROCFS_TASKS_H
#define NETNICE_PROCFS_TASKS_H

#include <linux/types.h>

struct inode;
struct pid;
struct pid_namespace;
struct super_block;

/* Room for a number as text. */
#define NNFS_NUMBER_SIZE	12

/**
 * nnfs_tasks_inode() - make the inode of /tasks
 * @sb: where
 *
 * Return: the inode or an error pointer.
 */
struct inode *nnfs_tasks_inode(struct super_block *sb);

/**
 * nnfs_pid_get() - find a process or thread by number
 * @ns: whose number
 * @nr: the number
 *
 * Return: its struct pid, referenced, or NULL.
 */
struct pid *nnfs_pid_get(struct pid_namespace *ns, int nr);

/* The number of an inode's process in its superblock's namespace. */
pid_t nnfs_task_nr(const struct inode *inode);

#endif
