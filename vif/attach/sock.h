/* SPDX-License-Identifier: GPL-2.0 */
/* Owners of a socket: a task, an own attachment, a control group. */
#ifndef NETNICE_VIF_SOCK_H
#define NETNICE_VIF_SOCK_H

#include <linux/types.h>
#include <net/sock.h>

#include "cgroup.h"
#include "sock_record.h"

struct cred;
struct sock;
struct task_struct;
struct vif_sock_trail;
struct vif_subject;
struct vif_subject_id;

/* Packets of other sockets never reach a device, or not with their socket. */
static inline bool vif_sock_is_net(const struct sock *sk)
{
	return sk->sk_family == AF_INET || sk->sk_family == AF_INET6 ||
	       sk->sk_family == AF_PACKET;
}

/**
 * struct vif_sock_owners - whose a socket is; each may be NULL
 * @self: its own entry, or that of the socket which has accepted it
 * @task: entry of the thread or process that used it last
 * @cgroup: the control group in which it was made, if any group is attached to anything
 * @used_in: the control group of the task that used it last, if it is another one
 * @known: there is a record of it, or of its listener
 * @trail: that of its own record
 */
struct vif_sock_owners {
	struct vif_subject *self;
	struct vif_subject *task;
	struct cgroup *cgroup;
	struct cgroup *used_in;
	bool known;
	struct vif_sock_trail *trail;
};

/**
 * vif_sock_owners() - get the owners of a socket
 * @sk: a full, request or timewait socket; a request, and a connection that
 *	was not used yet, belong to the listener's owners
 * @owners: result
 *
 * Context: caller holds rcu_read_lock().
 * Return: valid under rcu_read_lock().
 */
void vif_sock_owners(struct sock *sk, struct vif_sock_owners *owners);

/* The same, by a cookie; only records are asked. */
void vif_sock_owners_of(u64 cookie, struct vif_sock_owners *owners);

/* vif_cgroup_of_user() of a full socket. Caller holds rcu_read_lock(). */
struct cgroup *vif_sock_used_in(struct sock *sk, struct task_struct *task);

/**
 * vif_sock_used_by() - a task uses a socket
 * @sk: a full socket
 * @task: entry of the thread or process, NULL for one that is not attached
 * @used_in: the task's vif_sock_used_in()
 * @state: which a TCP socket is in, or is about to be in
 * @user: its credentials: who pays for the record
 *
 * Context: packet or process, caller holds rcu_read_lock().
 */
void vif_sock_used_by(struct sock *sk, struct vif_subject *task, struct cgroup *used_in,
		      int state, const struct cred *user);

/**
 * vif_sock_waits() - record a socket whose packet waits before it reaches a device
 * @sk: a full socket, not TCP's
 * @task: the sender, recorded if no user of the socket is known
 * @user: its credentials: charged for the record
 *
 * Context: packet or process, caller holds rcu_read_lock().
 */
void vif_sock_waits(struct sock *sk, struct vif_subject *task, const struct cred *user);

/**
 * vif_sock_sent_by() - a task sends by a socket: vif_sock_used_by(), vif_sock_owners()
 * @sk: a full socket
 * @task: entry of the running thread or process, NULL for one that is not attached
 * @owners: result
 *
 * Context: packet, caller holds rcu_read_lock().
 */
void vif_sock_sent_by(struct sock *sk, struct vif_subject *task,
		      struct vif_sock_owners *owners);

/* Updates of records when sockets, or their tasks, change state. */

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

/* Sockets that are attached themselves. */

/* Name a socket, which the caller holds while it uses @id. */
void vif_sock_id(struct sock *sk, struct vif_subject_id *id);

/**
 * vif_sock_prepare() - a socket is about to get an attachment of its own
 * @sk: the socket
 *
 * Context: process.
 * Return: 0, -ENOMEM: there would be no record to find it by.
 */
int vif_sock_prepare(struct sock *sk);

/* It has got one. Context: process. */
void vif_sock_attached(struct sock *sk);

#endif
