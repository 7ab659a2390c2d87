/* SPDX-License-Identifier: GPL-2.0 */
/* The owners of a socket: its own attachment, the task that used it last, and control groups. */
#ifndef NETNICE_VIF_SOCK_H
#define NETNICE_VIF_SOCK_H

#include <linux/types.h>
#include <net/sock.h>

#include "cgroup.h"
#include "sock_record.h"

struct cred;
struct net;
struct sock;
struct task_struct;
struct vif_sock_trail;
struct vif_subject;
struct vif_subject_id;

/* Do packets of a socket reach a device, and keep the socket until then? */
static inline bool vif_sock_is_net(const struct sock *sk)
{
	return sk->sk_family == AF_INET || sk->sk_family == AF_INET6 ||
	       sk->sk_family == AF_PACKET;
}

/**
 * struct vif_sock_owners - the owners of a socket; each may be NULL
 * @self: its own subject, or the subject of the listener that has accepted it
 * @task: subject of the thread or process that used it last
 * @cgroup: the control group in which it was created, if any group is attached
 * @used_in: the control group of the task that used it last, if that is another group
 * @known: it has a record, or its listener has one
 * @left: @task has ended, and another task may have the socket
 * @trail: the trail of its own record
 */
struct vif_sock_owners {
	struct vif_subject *self;
	struct vif_subject *task;
	struct cgroup *cgroup;
	struct cgroup *used_in;
	bool known;
	bool left;
	struct vif_sock_trail *trail;
};

/*
 * Has fd_scan.c to find the task that uses a full socket? A record alone does not mean that the
 * task is known: it may be there for the attachment of the socket itself, or for its control group.
 * A task that receives by TCP also sends by it, which records the task.
 */
static inline bool vif_sock_is_sought(const struct sock *sk, const struct vif_sock_owners *owners)
{
	return !(sk_is_tcp(sk) ? owners->known : !!owners->task) || owners->left;
}

/**
 * vif_sock_owners() - get the owners of a socket
 * @sk: a full, request or timewait socket; a request, and a connection that was not used yet, have
 *	the owners of the listener
 * @owners: result
 *
 * Context: caller holds rcu_read_lock().
 * Return: valid under rcu_read_lock().
 */
void vif_sock_owners(struct sock *sk, struct vif_sock_owners *owners);

/**
 * vif_sock_flow_cookie() - the number by which vif_sock_owners_of() finds a socket's owners
 * @sk: as for vif_sock_owners(), which has been called, and which has found an owner
 *
 * Context: packet, caller holds rcu_read_lock().
 * Return: the socket's cookie, or the cookie of the socket that it has its owners of; 0 if it has
 *	none.
 */
u64 vif_sock_flow_cookie(struct sock *sk);

/**
 * vif_sock_owners_of() - get the owners of a socket that may be gone
 * @net: its namespace
 * @cookie: from vif_sock_flow_cookie(), or the socket's own
 * @owners: result: what vif_sock_owners() would say, from records only
 *
 * Context: caller holds rcu_read_lock().
 */
void vif_sock_owners_of(const struct net *net, u64 cookie, struct vif_sock_owners *owners);

/* Call vif_cgroup_of_user() for a full socket. Caller holds rcu_read_lock(). */
struct cgroup *vif_sock_used_in(struct sock *sk, struct task_struct *task);

/**
 * vif_sock_used_by() - record that a task uses a socket
 * @sk: a full socket
 * @task: subject of the thread or process, NULL if it is not attached
 * @used_in: the task's vif_sock_used_in()
 * @state: the state that a TCP socket is in, or is about to enter
 * @user: the task's credentials; the user is charged for the record
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
 * vif_sock_sent_by() - record that a task sends by a socket, and get the socket's owners
 * @sk: a full socket
 * @task: subject of the running thread or process, NULL if it is not attached
 * @owners: result
 *
 * Context: packet, caller holds rcu_read_lock().
 */
void vif_sock_sent_by(struct sock *sk, struct vif_subject *task,
		      struct vif_sock_owners *owners);

/**
 * vif_sock_end_left() - no attached task was found that has a socket whose task has ended
 * @sk: a full socket
 * @free: a task has it that is not attached: the socket has no owner from now on. Otherwise it
 *	loses its owner when its time is over.
 *
 * Context: process.
 */
void vif_sock_end_left(struct sock *sk, bool free);

/* Updates of records when sockets, or their tasks, change state. */

int vif_sock_init(void);

/* Ends all records. Context: process; no packet or event can come any more. */
void vif_sock_exit(void);

/**
 * vif_sock_keep() - create a record for vif_sock_owners_of(), for some minutes
 * @sk: a full socket
 *
 * Otherwise a socket has no record if only its control group is attached.
 * Context: packet, caller holds rcu_read_lock().
 */
void vif_sock_keep(struct sock *sk);

/**
 * vif_sock_mark_request() - a listener answers a connection request
 * @sk: the request socket
 *
 * The connection that results has the listener's owners until another task uses it. The request
 * only gets a cookie.
 * Context: packet, caller holds rcu_read_lock().
 */
void vif_sock_mark_request(struct sock *sk);

/**
 * vif_sock_state() - a TCP socket changes its state
 * @sk: the socket, still in @oldstate
 * @oldstate: the state before
 * @newstate: the state after
 *
 * Context: as a tracepoint's probe.
 */
void vif_sock_state(const struct sock *sk, int oldstate, int newstate);

/* Sockets that are attached themselves. */

/* Name a socket, which the caller holds while it uses @id. */
void vif_sock_id(struct sock *sk, struct vif_subject_id *id);

/**
 * vif_sock_prepare() - create the record of a socket that is about to be attached itself
 * @sk: the socket
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int vif_sock_prepare(struct sock *sk);

/* The socket has been attached. Context: process. */
void vif_sock_attached(struct sock *sk);

#endif
