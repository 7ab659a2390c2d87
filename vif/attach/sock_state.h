/* SPDX-License-Identifier: GPL-2.0 */
/* Updates of records when sockets, or their tasks, change state. */
#ifndef NETNICE_VIF_SOCK_STATE_H
#define NETNICE_VIF_SOCK_STATE_H

struct sock;

int vif_sock_init(void);

/* Ends all records. Context: process; no packet or event can come any more. */
void vif_sock_exit(void);

/**
 * vif_sock_keep() - have a record for vif_sock_owners_of() for some minutes
 * @sk: a full socket
 *
 * Sockets that only their control group is attached of have none.
 * Context: packet, caller holds rcu_read_lock().
 */
void vif_sock_keep(struct sock *sk);

/**
 * vif_sock_mark_request() - a listener answers a connection request
 * @sk: the request socket
 *
 * The socket that comes of it is the listener's owners', until another task uses
 * it. Costs the request nothing but its cookie.
 * Context: packet, caller holds rcu_read_lock().
 */
void vif_sock_mark_request(struct sock *sk);

/**
 * vif_sock_state() - a TCP socket changes its state
 * @sk: the socket, still in the state
 * @oldstate: in this one
 * @newstate: to
 *
 * Context: as a tracepoint's probe.
 */
void vif_sock_state(const struct sock *sk, int oldstate, int newstate);

#endif
