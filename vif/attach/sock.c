// SPDX-License-Identifier: GPL-2.0
/*
 * Whose a socket is. Its record tells, if it has one; else its listener's does, or, of a
 * subflow of MPTCP, that of the socket that it belongs to. A task that sends by a socket,
 * or is found to have it (fd_scan.c), is noted in its record; one that is not attached needs
 * none, unless the socket would then pass for another's.
 */
#include "sock.h"

#include <linux/cred.h>
#include <net/request_sock.h>
#include <net/tcp.h>

#include "sock_record_priv.h"
#include "subject.h"

/* An unused MPTCP subflow belongs to the owner of its MPTCP socket. */
static struct vif_sock *vif_sock_find_whole(const struct sock *sk)
{
	const struct socket *sock = READ_ONCE(sk->sk_socket);
	const struct sock *whole = sock ? READ_ONCE(sock->sk) : NULL;

	/* which may have gone: such memory is used for nothing else meanwhile */
	if (!whole || whole == sk || whole->sk_protocol != IPPROTO_MPTCP)
		return NULL;
	return vif_sock_find(atomic64_read(&whole->sk_cookie));
}

static void vif_sock_copy_owners(struct vif_sock *record, struct vif_sock_owners *owners)
{
	vif_sock_trail_use(&record->trail);
	owners->known = true;
	owners->self = rcu_dereference(record->self);
	owners->task = rcu_dereference(record->task);
	if (!owners->cgroup)
		owners->cgroup = READ_ONCE(record->cgroup);
}

/* Find by a socket's own record, or NULL; by its listener's; by its MPTCP socket's. */
static void vif_sock_find_owners(struct sock *sk, struct vif_sock *record,
				 struct vif_sock_owners *owners)
{
	owners->trail = record ? &record->trail : NULL;
	if (!record)
		record = vif_sock_find_listener(sk, atomic64_read(&sk->sk_cookie));
	if (!record && sk_fullsock(sk) && sk_is_tcp(sk) && sk_is_mptcp(sk))
		record = vif_sock_find_whole(sk);
	if (record)
		vif_sock_copy_owners(record, owners);
}

void vif_sock_owners(struct sock *sk, struct vif_sock_owners *owners)
{
	*owners = (struct vif_sock_owners) {};
	if (sk->sk_state == TCP_NEW_SYN_RECV) {
		sk = inet_reqsk(sk)->rsk_listener;
		if (!sk)
			return;
	}
	if (sk_fullsock(sk))
		owners->cgroup = vif_cgroup_of_sock(sk);
	if (vif_sock_any())
		vif_sock_find_owners(sk, vif_sock_find(atomic64_read(&sk->sk_cookie)), owners);
}

void vif_sock_owners_of(u64 cookie, struct vif_sock_owners *owners)
{
	struct vif_sock *record = vif_sock_find(cookie);

	*owners = (struct vif_sock_owners) {};
	if (record)
		vif_sock_copy_owners(record, owners);
}

/* Note that @task, which may be NULL, has used a socket, and who that is. */
static void vif_sock_learn(struct sock *sk, struct vif_subject *task, bool listens,
			   const struct cred *user)
{
	struct vif_sock_hold hold;
	struct vif_sock *record;

	if (task && !vif_subject_get(task))
		return;
	vif_sock_lock_for(&hold, sk, user, listens);
	record = __vif_sock_get(&hold);
	/* once a task is gone, its records are not looked up any more */
	if (record && !(task && hlist_unhashed_lockless(&task->node)))
		__vif_sock_set_task(record, task);
	else if (task)
		vif_subject_put(task);
	if (record && listens)
		__vif_sock_take_slot(record, &hold);
	vif_sock_unlock(&hold);
}

static void vif_sock_remove(u64 id)
{
	struct vif_sock_hold hold;
	struct vif_sock *record;

	vif_sock_lock(&hold);
	record = vif_sock_find(id);
	if (record)
		__vif_sock_forget(record);
	vif_sock_unlock(&hold);
}

/*
 * A socket without an owner needs no record, unless it would then be attributed to its listener.
 */
static void vif_sock_used_by_nobody(struct sock *sk, struct vif_sock *record,
				    bool listens, const struct cred *user)
{
	u64 id = atomic64_read(&sk->sk_cookie);

	if (record && !rcu_access_pointer(record->self) && !vif_sock_find_listener(sk, id) &&
	    !READ_ONCE(record->trail.by[VIF_EGRESS]) &&
	    !READ_ONCE(record->trail.by[VIF_INGRESS]))
		vif_sock_remove(id);
	else
		vif_sock_learn(sk, NULL, listens, user);
}

/* Is this already stored? */
static bool vif_sock_is_used_by(const struct sock *sk, const struct vif_sock *record,
				const struct vif_subject *task, bool listens)
{
	if (task)
		return record && rcu_access_pointer(record->task) == task &&
		       !listens && !READ_ONCE(record->until);
	if (record)
		return !rcu_access_pointer(record->task);
	return !vif_sock_find_listener(sk, atomic64_read(&sk->sk_cookie));
}

static bool vif_sock_listens(const struct sock *sk, int state)
{
	return sk_is_tcp(sk) && state == TCP_LISTEN;
}

void vif_sock_used_by(struct sock *sk, struct vif_subject *task, int state,
		      const struct cred *user)
{
	struct vif_sock *record = vif_sock_find(atomic64_read(&sk->sk_cookie));

	if (vif_sock_is_used_by(sk, record, task, vif_sock_listens(sk, state)))
		return;
	if (!task)
		vif_sock_used_by_nobody(sk, record, vif_sock_listens(sk, state), user);
	else if (vif_sock_is_net(sk) && !(sk_is_tcp(sk) && state == TCP_CLOSE))
		vif_sock_learn(sk, task, vif_sock_listens(sk, state), user);
}

void vif_sock_waits(struct sock *sk, struct vif_subject *task, const struct cred *user)
{
	struct vif_sock *record = vif_sock_find(atomic64_read(&sk->sk_cookie));

	if (!record) {
		vif_sock_used_by(sk, task, READ_ONCE(sk->sk_state), user);
		record = vif_sock_find(atomic64_read(&sk->sk_cookie));
	}
	if (record)
		WRITE_ONCE(record->waited, true);
}

void vif_sock_sent_by(struct sock *sk, struct vif_subject *task,
		      struct vif_sock_owners *owners)
{
	struct vif_sock *record = vif_sock_find(atomic64_read(&sk->sk_cookie));
	int state = READ_ONCE(sk->sk_state);

	*owners = (struct vif_sock_owners) {
		.cgroup = vif_cgroup_of_sock(sk),
	};
	if (!vif_sock_is_used_by(sk, record, task, vif_sock_listens(sk, state))) {
		vif_sock_used_by(sk, task, state, current_cred());
		record = vif_sock_find(atomic64_read(&sk->sk_cookie));
	}
	vif_sock_find_owners(sk, record, owners);
	/* whether there was memory for a record or not */
	owners->task = task;
}
