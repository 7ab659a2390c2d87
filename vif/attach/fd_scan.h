/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding the process that has a socket open, if no use of the socket was seen: by the descriptors
 * of the attached processes.
 */
#ifndef NETNICE_VIF_FD_SCAN_H
#define NETNICE_VIF_FD_SCAN_H

#include <linux/types.h>

struct file;
struct pid;
struct sock;
struct task_struct;

/**
 * vif_fds_for_each() - walk the open files of a task
 * @task: the task, referenced
 * @fd: the descriptor to begin with
 * @fn: called with the table of descriptors locked; false ends the walk
 * @arg: for @fn
 *
 * The lock is released regularly, after a number of descriptors, open or not: a table may have a
 * million entries with only one open file.
 * Context: process, may sleep.
 */
void vif_fds_for_each(struct task_struct *task, unsigned int fd,
		      bool (*fn)(struct file *file, unsigned int fd, void *arg),
		      void *arg);

/**
 * vif_fd_scan_open() - learn the sockets that a process has open
 * @pid: the process
 *
 * Of a process with more than a million descriptors in its tables it learns the first ones.
 * Context: process, may sleep.
 */
void vif_fd_scan_open(struct pid *pid);

/**
 * vif_fd_scan_renew() - search again for the users of a thread's sockets
 * @pid: a thread that is attached now, perhaps on another device than it sends by
 *
 * Context: process, may sleep.
 */
void vif_fd_scan_renew(struct pid *pid);

/**
 * vif_fd_scan_owner() - a packet has come for a socket without a record
 * @sk: a full socket
 *
 * Find the process that has it open, or a thread of it, if that is attached in its network
 * namespace. This takes up to 10 ms. It takes longer if a scan of the descriptors would use more
 * than a tenth of a CPU, or if there are more sockets: then the user with most of them waits. If
 * the processes of a user have many descriptors, only what these processes have open is found
 * later. If no process of the socket's user has it open, it belongs to this user's oldest attached
 * process. If all processes of the user are attached, this process also has the user's next sockets
 * until they are found (vif_sock_use_stand_in()). A socket without an owner is not searched for
 * again for a second. The socket of a user-level stack's port is not searched for: no process has it.
 * Context: packet.
 * Return: true if no search for this socket has ended yet.
 */
bool vif_fd_scan_owner(struct sock *sk);

/*
 * Is a socket attached, or the process that has used it last? If none is known, vif_fd_scan_owner()
 * looks for it. Context: packet, caller holds rcu_read_lock().
 */
bool vif_fd_scan_has_owner(struct sock *sk);

/* Context: process; no packet can come any more. */
void vif_fd_scan_exit(void);

int vif_fd_scan_init(void);

#endif
