// SPDX-License-Identifier: GPL-2.0
/*
 * A socket that connects or listens is used by the running task. A request, and an accepted
 * connection, gets a cookie that leads to its listener. When a TCP socket has ended, its record is
 * removed, at once or when no more packets can follow (sock_sweep.c). Other records are removed
 * with the task that used the socket, unless another task continues to use it, or a packet of it
 * may still be queued.
 */
#include "sock_state.h"

#include <linux/cred.h>
#include <linux/sched.h>
#include <net/request_sock.h>
#include <net/tcp.h>

#include "../tree/listeners.h"
#include "../tree/net.h"
#include "cgroup.h"
#include "sk_lookup.h"
#include "sock.h"
#include "sock_record_priv.h"
#include "sock_sweep.h"
#include "subject_end.h"
#include "task.h"

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
		vif_sock_used_by(sk, vif_task_current(), state, current_cred());
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
	struct cgroup *cgroup = vif_sock_group_of(sk);
	struct vif_sock_hold hold;
	struct vif_sock *record;
	u64 id;

	if (!cgroup)
		return;
	id = vif_sock_cookie(sk);
	if (vif_sock_find(id) || vif_sock_find_listener(sk, id))
		return;
	vif_sock_lock_for(&hold, sk, NULL, false);
	record = vif_sock_find(id) ? NULL : __vif_sock_get(&hold);
	if (record)
		__vif_sock_linger(record, cgroup);
	vif_sock_unlock(&hold);
}

/* Is the socket itself attached, and open? It may connect again. */
static bool __vif_sock_is_attached(const struct vif_sock *record)
{
	return record->own && !READ_ONCE(__vif_sock_self(record)->ended);
}

/* @cgroup: if it is not NULL, it is to be known after the end. */
static void vif_sock_note_closed(struct sock *sk, int oldstate, struct cgroup *cgroup)
{
	struct vif_sock_hold hold;
	struct vif_sock *record;

	if (cgroup)
		vif_sock_lock_for(&hold, sk, NULL, false);
	else
		vif_sock_lock(&hold);
	record = cgroup ? __vif_sock_get(&hold) : vif_sock_find(atomic64_read(&sk->sk_cookie));
	if (record && __vif_sock_is_attached(record))
		record->closed = true;
	else if (record && !vif_sock_lingers(oldstate))
		__vif_sock_forget(record);
	else if (record && !record->until)
		__vif_sock_linger(record, cgroup);
	vif_sock_unlock(&hold);
}

/* Most connections have no owner: they do not contend for the lock. */
static void vif_sock_closed(struct sock *sk, int oldstate)
{
	u64 id = atomic64_read(&sk->sk_cookie);
	struct cgroup *cgroup;

	if (!id)
		return;
	cgroup = vif_sock_lingers(oldstate) ? vif_sock_group_of(sk) : NULL;
	if (cgroup || vif_sock_find(id))
		vif_sock_note_closed(sk, oldstate, cgroup);
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
 * struct task_end - a task that has gone
 * @task: it
 * @heir: the task that continues to use its sockets, or NULL
 * @left: its records
 */
struct task_end {
	struct vif_subject *task;
	struct vif_subject *heir;
	struct list_head left;
};

/* Handle one remaining record; return false if there is no more. */
static bool __vif_sock_pass_on(void *arg)
{
	struct task_end *end = arg;
	struct vif_sock *record;

	record = list_first_entry_or_null(&end->left, struct vif_sock, of_task);
	if (!record)
		return false;
	if (record->tcp) {
		list_move_tail(&record->of_task, &end->task->socks);
	} else if (end->heir && vif_subject_get(end->heir)) {
		__vif_sock_set_task(record, end->heir);
	} else if (__vif_sock_is_attached(record)) {
		__vif_sock_set_task(record, NULL);
	} else if (record->sctp || READ_ONCE(record->waited)) {
		list_move_tail(&record->of_task, &end->task->socks);
		__vif_sock_linger(record, NULL);
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
	struct task_end end = {
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
