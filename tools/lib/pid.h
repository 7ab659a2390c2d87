/* SPDX-License-Identifier: GPL-2.0 */
/* The numbers of processes and threads. */
#ifndef NETNICE_PID_H
#define NETNICE_PID_H

#include <sys/types.h>

#define PROCESS_COMM_BYTES	64

/* Parse a PID: a positive decimal number. Return 0 if @word is not one. */
pid_t process_parse_pid(const char *word);

/* Return the process of thread @id, or @id itself if that is unknown. */
pid_t process_leader(pid_t id);

/*
 * Return when process or thread @pid began, in ticks, or 0 if it is gone. A later one of the same number
 * began later.
 */
unsigned long long process_start(pid_t pid);

/* Get the command's name; it is empty if the process has exited. */
void process_comm(pid_t pid, char comm[PROCESS_COMM_BYTES]);

#endif
