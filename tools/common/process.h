/* SPDX-License-Identifier: GPL-2.0 */
/* What /proc tells of processes. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCESS_COMM_BYTES	64

/* @start, in ticks, tells it from a later process of the same number; @group is that of processes. */
struct process {
	pid_t pid;
	pid_t ppid;
	pid_t group;
	pid_t session;
	unsigned long long start;
};

/* In the order of their numbers. */
struct process_list {
	struct process *process;
	size_t count;
};

/* A positive decimal number, or 0. */
pid_t process_parse_pid(const char *word);

/* The process of which @id is a thread; @id itself where that is unknown. */
pid_t process_leader(pid_t id);

/*
 * The first process of the program of which @pid is a process, for example of a browser or a server; @pid
 * itself if that is unknown. Each script of a shell is a program by itself.
 */
pid_t process_first(pid_t pid);

/* Whether its packets are those of another network namespace than the caller's. */
bool process_is_elsewhere(pid_t pid);

/* The command's name, empty if the process is gone. */
void process_comm(pid_t pid, char comm[PROCESS_COMM_BYTES]);

/**
 * process_sockets - look at the sockets that a process has open
 * @pid: the process
 * @left: how many descriptors may be looked at, and may yet then; NULL: all
 * @take: is called with the inode of each; what is not 0 ends it
 * @arg: for @take
 *
 * Return: 0, what @take returned, or -1 and errno: EACCES, ENOENT where it is gone.
 */
int process_sockets(pid_t pid, size_t *left, int (*take)(uint64_t inode, void *arg), void *arg);

/* Return: 0, or -1 and errno. */
int process_list_read(struct process_list *list);
void process_list_free(struct process_list *list);

#endif
