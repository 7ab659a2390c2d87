/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Socket records: which attached process used a socket last. They label what
 * is sent and received while that process is not running.
 *
 * A record is found by the socket's cookie, so no pointer of ours stays in a
 * socket and none of a socket with us. Cookies that we give are taken from a
 * range of their own and are never used again.
 */
#ifndef NETNICE_VIF_SOCK_H
#define NETNICE_VIF_SOCK_H

#include <linux/types.h>

struct pid;
struct sock;
struct vif_task;

int vif_sock_init(void);

/* Ends all records. Context: process; no packet or event can come any more. */
void vif_sock_exit(void);

/* Is there any record? */
bool vif_sock_any(void);

/**
 * vif_sock_task() - the process that used a socket last
 * @sk: a full, request or timewait socket; a request's, and a connection's that
 *	nobody has used yet, is its listener's
 *
 * Context: inside RCU.
 * Return: valid inside RCU, or NULL.
 */
struct vif_task *vif_sock_task(struct sock *sk);

/**
 * vif_sock_mark_request() - a listener answers a connection request
 * @sk: the request socket
 *
 * The socket that comes of it is the listener's process's, until another one
 * uses it. Costs the request nothing but its cookie.
 * Context: packet, inside RCU.
 */
void vif_sock_mark_request(struct sock *sk);

/**
 * vif_sock_used_by() - a process uses a socket
 * @sk: a full socket
 * @task: the process, NULL for one that is not attached to anything
 *
 * Context: packet or process, inside RCU.
 */
void vif_sock_used_by(struct sock *sk, struct vif_task *task);

/**
 * vif_sock_state() - a TCP socket changes its state
 * @sk: the socket
 * @newstate: to
 *
 * Context: as a tracepoint's probe.
 */
void vif_sock_state(const struct sock *sk, int newstate);

/**
 * vif_sock_learn_open() - learn the sockets that a process has open
 * @pid: the process
 *
 * Context: process, may sleep.
 */
void vif_sock_learn_open(struct pid *pid);

/**
 * vif_sock_task_gone() - a process has exited, its descriptors are closed
 * @task: it
 *
 * Records of TCP sockets stay: they may have something to send yet.
 * Context: process.
 */
void vif_sock_task_gone(struct vif_task *task);

#endif
