/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding the process that has a socket open, if no use of the socket was seen: by the descriptors
 * of the attached processes.
 */
#ifndef NETNICE_VIF_FD_SCAN_H
#define NETNICE_VIF_FD_SCAN_H

#include <linux/types.h>

struct pid;
struct sock;

/**
 * vif_fd_scan_open() - learn the sockets that a process has open
 * @pid: the process
 *
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
 * Find the process that has it open, if that is attached in its network namespace. This takes up
 * to 10 ms. It takes longer if a scan of the descriptors would use more than a tenth of a CPU, or
 * if there are more sockets: then the user with most of them waits. A socket without an owner is
 * not searched for again for a second.
 * Context: packet.
 * Return: true if no search for this socket has ended yet.
 */
bool vif_fd_scan_owner(struct sock *sk);

/* Context: process; no packet can come any more. */
void vif_fd_scan_exit(void);
int vif_fd_scan_init(void);

#endif
