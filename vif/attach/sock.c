// SPDX-License-Identifier: GPL-2.0
/*
 * The owners of a socket. If it has a record, its record tells. Otherwise the record of its
 * listener does or, for a subflow of MPTCP, the record of the socket that it belongs to. A task
 * that sends by a socket, or that fd_scan.c finds to have it open, is stored in the socket's
 * record. A task that is not attached needs no record, unless the socket would then be taken for
 * another task's.
 */
#include "sock.h"

#include <linux/cred.h>
#include <linux/sched.h>
#include <net/request_sock.h>
#include <net/tcp.h>

#include "../tree/listeners.h"
#include "../tree/net.h"
#include "sk_lookup.h"
#include "sock_record.h"
#include "subject.h"
#include "task.h"

/*
 * The record of an MPTCP subflow's socket, or NULL. A task attaches that socket, not a subflow. An
 * unused subflow has all of its owners.
 */
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
	const u64 id = READ_ONCE(record->whole);
	const struct vif_sock *whole = unlikely(id) ? vif_sock_find(id) : NULL;

	vif_sock_trail_use(&record->trail);
	owners->known = true;
	owners->left = READ_ONCE(record->left);
	owners->self = (whole ? rcu_dereference(whole->self) : NULL) ?: rcu_dereference(record->self);
	owners->task = rcu_dereference(record->task);
	owners->used_in = READ_ONCE(record->trail.used_in);
	if (!owners->cgroup && vif_cgroup_any())
		owners->cgroup = record->cgroup;
}

/* Find by a socket's own record, or NULL; by its listener's; by its MPTCP socket's. */
static void vif_sock_find_owners(struct sock *sk, struct vif_sock *record,
				 struct vif_sock_owners *owners)
{
	struct vif_sock *whole = NULL;

	owners->trail = record ? &record->trail : NULL;
	if (sk_fullsock(sk) && sk_is_tcp(sk) && sk_is_mptcp(sk))
		whole = vif_sock_find_whole(sk);
	if (record && whole && READ_ONCE(record->whole) != whole->id)
		WRITE_ONCE(record->whole, whole->id);
	if (!record)
		record = vif_sock_find_listener(sock_net(sk), atomic64_read(&sk->sk_cookie));
	if (!record)
		record = whole;
	if (record)
		vif_sock_copy_owners(record, owners);
	if (whole && rcu_access_pointer(whole->self))
		owners->self = rcu_dereference(whole->self);
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

u64 vif_sock_flow_cookie(struct sock *sk)
{
	struct vif_sock *whole;
	u64 id;

	if (sk->sk_state == TCP_NEW_SYN_RECV) {
		sk = inet_reqsk(sk)->rsk_listener;
		if (!sk)
			return 0;
		vif_sock_keep(sk);
	}
	if (!sk_fullsock(sk))
		return atomic64_read(&sk->sk_cookie);
	id = vif_sock_cookie(sk);
	if (!sk_is_tcp(sk) || !sk_is_mptcp(sk) || vif_sock_find(id) ||
	    vif_sock_find_listener(sock_net(sk), id))
		return id;
	whole = vif_sock_find_whole(sk);
	return whole ? whole->id : id;
}

void vif_sock_owners_of(const struct net *net, u64 cookie, struct vif_sock_owners *owners)
{
	struct vif_sock *record = vif_sock_find(cookie) ?: vif_sock_find_listener(net, cookie);

	*owners = (struct vif_sock_owners) {};
	if (record)
		vif_sock_copy_owners(record, owners);
}

struct cgroup *vif_sock_used_in(struct sock *sk, struct task_struct *task)
{
	if (!vif_cgroup_was_any())
		return NULL;
	return vif_cgroup_of_user(sk, vif_net_find(sock_net(sk)), task);
}

/* Note that @task has used a socket, in the group @used_in; either may be NULL. */
static void vif_sock_learn(struct sock *sk, struct vif_subject *task, struct cgroup *used_in,
			   bool listens, const struct cred *user)
{
	struct vif_sock_hold hold;
	struct vif_sock *record;

	if (task && !vif_subject_get(task))
		return;
	vif_sock_lock_for(&hold, sk, user, listens);
	record = __vif_sock_get(&hold);
	if (record)
		__vif_sock_set_used_in(record, vif_cgroup_tryget(used_in));
	/* once a task is gone, its records are not looked up any more */
	if (record && !(task && hlist_unhashed_lockless(&task->node)))
		__vif_sock_set_task(record, task);
	else if (task)
		vif_subject_put(task);
	if (record && record->tcp && record->until && used_in && !task)
		__vif_sock_open(record);
	if (record)
		__vif_sock_settle(record);
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

/* Is the socket itself attached, and open? It may connect again. */
static bool __vif_sock_is_attached(const struct vif_sock *record)
{
	return record->own && !READ_ONCE(__vif_sock_self(record)->ended);
}

void vif_sock_end_left(struct sock *sk, bool free)
{
	struct vif_sock_hold hold;
	struct vif_sock *record;

	vif_sock_lock(&hold);
	record = vif_sock_find(atomic64_read(&sk->sk_cookie));
	if (record && record->left && __vif_sock_is_attached(record))
		__vif_sock_set_task(record, NULL);
	else if (record && record->left && free)
		__vif_sock_forget(record);
	else if (record && record->left)
		WRITE_ONCE(record->left, false);
	vif_sock_unlock(&hold);
}

/*
 * A socket without an owner needs no record, unless it would then be attributed to its listener.
 */
static void vif_sock_used_by_nobody(struct sock *sk, struct vif_sock *record,
				    bool listens, const struct cred *user)
{
	u64 id = atomic64_read(&sk->sk_cookie);

	if (record && !rcu_access_pointer(record->self) && !vif_sock_find_listener(sock_net(sk), id) &&
	    !READ_ONCE(record->trail.by[VIF_EGRESS]) &&
	    !READ_ONCE(record->trail.by[VIF_INGRESS]))
		vif_sock_remove(id);
	else
		vif_sock_learn(sk, NULL, NULL, listens, user);
}

/* Is this already stored? A listener that is attached also has a slot. */
static bool vif_sock_is_used_by(const struct sock *sk, const struct vif_sock *record,
				const struct vif_subject *task, const struct cgroup *used_in,
				bool listens)
{
	if (record && READ_ONCE(record->trail.used_in) != used_in)
		return false;
	if (task)
		return record && rcu_access_pointer(record->task) == task &&
		       !listens && !READ_ONCE(record->until);
	if (used_in)
		return record && !rcu_access_pointer(record->task) && !listens &&
		       !(record->tcp && READ_ONCE(record->until));
	if (record)
		return !rcu_access_pointer(record->task) &&
		       !(listens && rcu_access_pointer(record->self));
	return !vif_sock_find_listener(sock_net(sk), atomic64_read(&sk->sk_cookie));
}

static bool vif_sock_listens(const struct sock *sk, int state)
{
	return sk_is_tcp(sk) && state == TCP_LISTEN;
}

void vif_sock_used_by(struct sock *sk, struct vif_subject *task, struct cgroup *used_in,
		      int state, const struct cred *user)
{
	struct vif_sock *record = vif_sock_find(atomic64_read(&sk->sk_cookie));

	if (vif_sock_is_used_by(sk, record, task, used_in, vif_sock_listens(sk, state)))
		return;
	if (!task && !used_in)
		vif_sock_used_by_nobody(sk, record, vif_sock_listens(sk, state), user);
	else if (vif_sock_is_net(sk) && !(sk_is_tcp(sk) && state == TCP_CLOSE))
		vif_sock_learn(sk, task, used_in, vif_sock_listens(sk, state), user);
}

void vif_sock_waits(struct sock *sk, struct vif_subject *task, const struct cred *user)
{
	struct vif_sock *record = vif_sock_find(atomic64_read(&sk->sk_cookie));

	if (!record) {
		vif_sock_used_by(sk, task, NULL, READ_ONCE(sk->sk_state), user);
		record = vif_sock_find(atomic64_read(&sk->sk_cookie));
	}
	if (record)
		WRITE_ONCE(record->waited, true);
}

void vif_sock_sent_by(struct sock *sk, struct vif_subject *task,
		      struct vif_sock_owners *owners)
{
	struct vif_sock *record = vif_sock_find(atomic64_read(&sk->sk_cookie));
	struct cgroup *used_in = vif_sock_used_in(sk, current);
	int state = READ_ONCE(sk->sk_state);

	*owners = (struct vif_sock_owners) {
		.cgroup = vif_cgroup_of_sock(sk),
	};
	if (!vif_sock_is_used_by(sk, record, task, used_in, vif_sock_listens(sk, state))) {
		vif_sock_used_by(sk, task, used_in, state, current_cred());
		record = vif_sock_find(atomic64_read(&sk->sk_cookie));
	}
	vif_sock_find_owners(sk, record, owners);
	/* whether there was memory for a record or not */
	owners->task = task;
	if (!record)
		owners->used_in = used_in;
}

/*
 * A socket that connects or listens is used by the running task. A request, and an accepted
 * connection, gets a cookie that leads to its listener. When a TCP socket has ended, its record is
 * removed, at once or when no more packets can follow (sock_record.c). Other records are removed
 * with the task that used the socket, unless another task continues to use it, or a packet of it
 * may still be queued.
 */

/* Give a connection of a listener a cookie that leads to the listener. */
static void vif_sock_inherit_cookie(struct sock *sk, const struct sock *listener)
{
	struct vif_sock *record = vif_sock_find(atomic64_read(&listener->sk_cookie));
	unsigned int slot = record ? READ_ONCE(record->slot) : 0;

	if (slot)
		vif_sock_cookie_mark(sk, slot);
}

void vif_sock_mark_request(struct sock *sk)
{
	struct sock *listener = inet_reqsk(sk)->rsk_listener;

	if (listener && vif_sock_any() && !atomic64_read(&sk->sk_cookie))
		vif_sock_inherit_cookie(sk, listener);
}

/* A connection made under SYN cookies has not got its cookie from a request. */
static void vif_sock_established(struct sock *sk)
{
	struct sock *listener = NULL;
	struct vif_net *vn;

	if (atomic64_read(&sk->sk_cookie))
		return;
	vn = vif_net_find(sock_net(sk));
	if (vn && READ_ONCE(vn->listeners->n))
		listener = vif_sk_lookup_listener(sk);
	if (listener)
		vif_sock_inherit_cookie(sk, listener);
}

/* Connecting and listening are done by a task for itself. */
static void vif_sock_opened(struct sock *sk, int state)
{
	if (vif_task_is_acting())
		vif_sock_used_by(sk, vif_task_current(), vif_sock_used_in(sk, current), state,
				 current_cred());
}

/*
 * Return the group of a socket, if any group is attached on a device of its namespace: attachments
 * in other namespaces do not affect its packets. Caller holds rcu_read_lock().
 */
static struct cgroup *vif_sock_group_of(struct sock *sk)
{
	struct cgroup *cgroup = vif_cgroup_of_sock(sk);
	const struct vif_net *vn = cgroup ? vif_net_find(sock_net(sk)) : NULL;

	return vn && atomic_read(&vn->grouped) ? cgroup : NULL;
}

/*
 * A connection that ends in these states may leave a timewait socket, which has
 * its cookie, but not its control group.
 */
static bool vif_sock_leaves_timewait(int state)
{
	return state == TCP_FIN_WAIT2 || state == TCP_CLOSING;
}

/* A listener resets connections that were not accepted. */
static bool vif_sock_lingers(int state)
{
	return vif_sock_leaves_timewait(state) || state == TCP_LISTEN;
}

void vif_sock_keep(struct sock *sk)
{
	struct vif_sock_hold hold;
	struct vif_sock *record;
	u64 id;

	if (!vif_sock_group_of(sk))
		return;
	id = vif_sock_cookie(sk);
	if (vif_sock_find(id) || vif_sock_find_listener(sock_net(sk), id))
		return;
	vif_sock_lock_for(&hold, sk, NULL, false);
	record = vif_sock_find(id) ? NULL : __vif_sock_get(&hold);
	if (record)
		__vif_sock_linger(record, true);
	vif_sock_unlock(&hold);
}

/* @keep: its control group is to be known after the end. */
static void vif_sock_note_closed(struct sock *sk, int oldstate, bool keep)
{
	struct vif_sock_hold hold;
	struct vif_sock *record;

	if (keep)
		vif_sock_lock_for(&hold, sk, NULL, false);
	else
		vif_sock_lock(&hold);
	record = keep ? __vif_sock_get(&hold) : vif_sock_find(atomic64_read(&sk->sk_cookie));
	if (record && __vif_sock_is_attached(record))
		record->closed = true;
	else if (record && !vif_sock_lingers(oldstate))
		__vif_sock_forget(record);
	else if (record && !record->until)
		__vif_sock_linger(record, true);
	vif_sock_unlock(&hold);
}

/* Most connections have no owner: they do not contend for the lock. */
static void vif_sock_closed(struct sock *sk, int oldstate)
{
	u64 id = atomic64_read(&sk->sk_cookie);
	bool keep;

	if (!id)
		return;
	keep = vif_sock_lingers(oldstate) && vif_sock_group_of(sk);
	if (keep || vif_sock_find(id))
		vif_sock_note_closed(sk, oldstate, keep);
}

static void vif_sock_closing(struct sock *sk)
{
	if (vif_sock_group_of(sk))
		vif_sock_cookie(sk);
}

void vif_sock_state(const struct sock *csk, int oldstate, int newstate)
{
	struct sock *sk = (struct sock *)csk;

	if (!vif_task_any() && !vif_sock_any() && !vif_cgroup_any())
		return;
	if (!sk_is_tcp(sk))
		return;
	rcu_read_lock();
	if (newstate == TCP_SYN_SENT || newstate == TCP_LISTEN)
		vif_sock_opened(sk, newstate);
	else if (vif_sock_leaves_timewait(newstate))
		vif_sock_closing(sk);
	else if (newstate == TCP_CLOSE)
		vif_sock_closed(sk, oldstate);
	else if (newstate == TCP_ESTABLISHED && oldstate == TCP_SYN_RECV)
		vif_sock_established(sk);
	rcu_read_unlock();
}

/**
 * struct vif_sock_task_end - a task that has gone
 * @task: it
 * @heir: the task that continues to use its sockets, or NULL
 * @left: its records
 */
struct vif_sock_task_end {
	struct vif_subject *task;
	struct vif_subject *heir;
	struct list_head left;
};

/*
 * Does a socket that has received, or is attached itself, stay with its ended task? Another process
 * may have it, but nothing tells which one. Without this, a user whose processes hand the socket on,
 * and exit, would receive, or send by a relay, without a limit in the time that each search takes.
 * Root may leave each VIF anyway.
 */
static bool __vif_sock_is_left(const struct vif_sock *record)
{
	return (READ_ONCE(record->trail.by[VIF_INGRESS]) || __vif_sock_is_attached(record)) &&
	       record->payer->key.uid;
}

/* Handle one remaining record; return false if there is no more. */
static bool __vif_sock_pass_on(void *arg)
{
	struct vif_sock_task_end *end = arg;
	struct vif_sock *record;

	record = list_first_entry_or_null(&end->left, struct vif_sock, of_task);
	if (!record)
		return false;
	if (record->tcp) {
		list_move_tail(&record->of_task, &end->task->socks);
	} else if (end->heir && vif_subject_get(end->heir)) {
		__vif_sock_set_task(record, end->heir);
	} else if (record->sctp || READ_ONCE(record->waited) || __vif_sock_is_left(record)) {
		list_move_tail(&record->of_task, &end->task->socks);
		WRITE_ONCE(record->left, !record->sctp && __vif_sock_is_left(record));
		/* the record of an attached socket ends with the socket */
		if (!__vif_sock_is_attached(record))
			__vif_sock_linger(record, false);
	} else if (__vif_sock_is_attached(record)) {
		__vif_sock_set_task(record, NULL);
	} else {
		__vif_sock_forget(record);
	}
	return true;
}

/*
 * Connections keep their VIF after a task's end; other sockets may be used further. A task that
 * uses one meanwhile takes its record from the list.
 */
static void vif_sock_task_gone(struct vif_subject *task)
{
	struct vif_sock_task_end end = {
		.task = task,
		.heir = task->kind == VIF_THREAD && !task->up->ended ? task->up : NULL,
		.left = LIST_HEAD_INIT(end.left),
	};
	struct vif_sock_hold hold;

	vif_sock_lock(&hold);
	list_splice_init(&task->socks, &end.left);
	vif_sock_unlock(&hold);
	vif_sock_in_batches(__vif_sock_pass_on, &end);
}

static void vif_sock_gone(struct vif_subject *self)
{
	u64 id = atomic64_read(&self->sk->sk_cookie);
	struct vif_sock_hold hold;
	struct vif_sock *record;

	vif_sock_lock(&hold);
	record = vif_sock_find(id);
	if (record && record->tcp && !record->closed &&
	    self->sk->sk_state != TCP_CLOSE) {
		record->own = false;
		__vif_sock_line_up(record, VIF_SOCK_TCP);
	} else if (record) {
		__vif_sock_forget(record);
	}
	vif_sock_unlock(&hold);
}

/*
 * A task has exited, or an attached socket been closed. Records of TCP sockets stay: they
 * may have something to send yet.
 */
static void vif_sock_subject_gone(struct vif_subject *subject)
{
	if (subject->kind == VIF_PROCESS || subject->kind == VIF_THREAD)
		vif_sock_task_gone(subject);
	else if (subject->kind == VIF_SOCKET)
		vif_sock_gone(subject);
}

int vif_sock_init(void)
{
	vif_sock_cookie_init();
	vif_subject_when_gone(vif_sock_subject_gone);
	return vif_sock_record_init();
}

void vif_sock_exit(void)
{
	vif_sock_sweep_stop();
	vif_sock_record_exit();
}

/*
 * A socket that is attached has an entry (subject.h), which holds it, and a record, by
 * which its packets find the entry: of the connections that a listener accepts, too.
 */

static void *vif_sock_self_find(const struct vif_subject_id *id)
{
	return id->ptr;
}

void vif_sock_id(struct sock *sk, struct vif_subject_id *id)
{
	*id = (struct vif_subject_id) {
		.kind = VIF_SOCKET,
		.find = vif_sock_self_find,
		.ptr = sk,
	};
}

int vif_sock_prepare(struct sock *sk)
{
	struct vif_sock_hold hold;
	struct vif_sock *record;

	vif_sock_lock_for(&hold, sk, current_cred(), false);
	record = __vif_sock_get(&hold);
	/* the attachment may fail */
	if (record)
		__vif_sock_settle(record);
	vif_sock_unlock(&hold);
	return record ? 0 : -ENOMEM;
}

/* The reference to @self passes to the record. */
static void __vif_sock_self_set(struct vif_sock *record, struct vif_subject *self)
{
	struct vif_subject *was = __vif_sock_self(record);

	rcu_assign_pointer(record->self, self);
	vif_genid_change_sock(record->id);
	record->own = true;
	__vif_sock_open(record);
	__vif_sock_line_up(record, VIF_SOCK_ATTACHED);
	if (was)
		vif_subject_put(was);
}

void vif_sock_attached(struct sock *sk)
{
	struct vif_sock_hold hold;
	struct vif_subject *self;
	struct vif_sock *record;

	/* it is not buried meanwhile */
	vif_subject_lock();
	vif_sock_lock_for(&hold, sk, current_cred(), false);
	self = vif_subject_find(sk);
	record = self ? __vif_sock_get(&hold) : NULL;
	if (record && vif_subject_get(self))
		__vif_sock_self_set(record, self);
	vif_sock_unlock(&hold);
	vif_subject_unlock();
	vif_sock_sweep_soon();
}
