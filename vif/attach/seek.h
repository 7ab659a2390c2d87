/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding out who has a socket open, for sockets that nobody was seen to use: by the
 * descriptors of the processes that are attached.
 */
#ifndef NETNICE_VIF_SEEK_H
#define NETNICE_VIF_SEEK_H

struct pid;
struct sock;

/**
 * vif_seek_open() - learn the sockets that a process has open
 * @pid: the process
 *
 * Context: process, may sleep.
 */
void vif_seek_open(struct pid *pid);

/**
 * vif_seek_renew() - have it be found out anew by whom the sockets of a thread are used
 * @pid: a thread that is attached now, perhaps on another device than it sends by
 *
 * Context: process, may sleep.
 */
void vif_seek_renew(struct pid *pid);

/**
 * vif_seek_owner() - a packet has come for a socket without a record
 * @sk: a full socket
 *
 * Learns who has it open, if that is a process attached in its network namespace, within
 * 10 ms, unless these have so many descriptors that looking at them would take more than
 * a tenth of a CPU, or there are more sockets, and who has most of them waits. What is
 * found to be nobody's is not looked for again for a second.
 * Context: packet.
 */
void vif_seek_owner(struct sock *sk);

/* Context: process; no packet can come any more. */
void vif_seek_exit(void);
int vif_seek_init(void);

#endif
