/* SPDX-License-Identifier: GPL-2.0 */
/* Information about processes, from /proc. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pid.h"

/*
 * @group is the process group. @start, in ticks, distinguishes a process from a later one with the same
 * PID.
 */
struct process {
	pid_t pid;
	pid_t ppid;
	pid_t group;
	pid_t session;
	unsigned long long start;
};

/* Sorted by PID. */
struct process_list {
	struct process *process;
	size_t count;
};

/*
 * Return the first process of the program that @pid belongs to, for example of a browser or a server; or
 * @pid itself if that is unknown. Each script of a shell is a program of its own.
 */
pid_t process_first(pid_t pid);

/* Is the process in another network namespace than the caller? */
bool process_is_elsewhere(pid_t pid);

/**
 * process_sockets - visit the sockets that a process has open
 * @pid: the process
 * @left: number of descriptors that may be read, decremented for each; NULL: no bound
 * @take: called with the inode of each socket; a result other than 0 ends the walk
 * @arg: argument for @take
 *
 * Return: 0, the result of @take, or -1 and errno: EACCES, or ENOENT: the process has exited.
 */
int process_sockets(pid_t pid, size_t *left, int (*take)(uint64_t inode, void *arg), void *arg);

/* Read all processes. Return: 0, or -1 and errno. */
int process_list_read(struct process_list *list);
void process_list_free(struct process_list *list);

#endif
