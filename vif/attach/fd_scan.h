/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding out who has a socket open, for sockets that nobody was seen to use: by the
 * descriptors of the processes that are attached.
 */
#ifndef NETNICE_VIF_FD_SCAN_H
#define NETNICE_VIF_FD_SCAN_H

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
 * vif_fd_scan_renew() - have it be found out anew by whom the sockets of a thread are used
 * @pid: a thread that is attached now, perhaps on another device than it sends by
 *
 * Context: process, may sleep.
 */
void vif_fd_scan_renew(struct pid *pid);

/**
 * vif_fd_scan_owner() - a packet has come for a socket without a record
 * @sk: a full socket
 *
 * Learns who has it open, if that is a process attached in its network namespace, within
 * 10 ms, unless these have so many descriptors that looking at them would take more than
 * a tenth of a CPU, or there are more sockets, and who has most of them waits. What is
 * found to be nobody's is not looked for again for a second.
 * Context: packet.
 */
void vif_fd_scan_owner(struct sock *sk);

/* Context: process; no packet can come any more. */
void vif_fd_scan_exit(void);
int vif_fd_scan_init(void);

#endif
