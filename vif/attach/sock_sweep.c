// SPDX-License-Identifier: GPL-2.0
/*
 * Nothing tells when the last packet of a closed connection has come, nor that a socket
 * that is no TCP's is closed: we look, as long as there is anything to be looked after.
 */
#include "sock_sweep.h"

#include <linux/jiffies.h>
#include <linux/workqueue.h>
#include <net/tcp.h>

#include "../tree/genid.h"
#include "../tree/net.h"
#include "cgroup.h"
#include "sock_record_priv.h"
#include "subject_end.h"
#include "subject_walk.h"

/* How long packets may follow a connection: FIN_WAIT2 and TIME_WAIT, at their defaults. */
#define LINGER		(2 * TCP_TIMEWAIT_LEN)

/* For how long what a closed socket has sent may wait for a neighbour's address: 3 s by default. */
#define UNSENT		(10 * HZ)

/* How soon an attached socket is noticed to be closed. */
#define SWEEP		(HZ / 4)

/* Each in the order of @until: sockets that may get answers; sockets that may still send. */
static LIST_HEAD(ending);
static LIST_HEAD(unsent);

static void vif_sock_sweep_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(vif_sock_sweeper, vif_sock_sweep_work);

void vif_sock_sweep_soon(void)
{
	queue_delayed_work(vif_wq, &vif_sock_sweeper, SWEEP);
}

void __vif_sock_linger(struct vif_sock *record, struct cgroup *cgroup)
{
	bool answers = record->tcp || record->sctp || cgroup;

	lockdep_assert_held(&vif_sock_spinlock);
	if (cgroup && !record->cgroup) {
		vif_cgroup_get(cgroup);
		WRITE_ONCE(record->cgroup, cgroup);
	}
	record->until = (jiffies + (answers ? LINGER : UNSENT)) | 1;
	vif_genid_change_sock(record->id);
	list_move_tail(&record->end, answers ? &ending : &unsent);
	__vif_sock_line_up(record, VIF_SOCK_CLOSED);
	vif_sock_sweep_soon();
}

/*
 * Only its entry holds it: no packet of it is queued anywhere, for an address for example. But a
 * receiver may keep such a packet forever.
 */
static bool vif_sock_is_left(const struct vif_subject *subject)
{
	const struct sock *sk = subject->sk;

	return (refcount_read(&sk->sk_refcnt) == 1 && !sk_wmem_alloc_get(sk)) ||
	       time_after(jiffies, READ_ONCE(subject->retired) + UNSENT);
}

/* A closed socket's attachments end; its connection may still have to be. */
static void vif_sock_sweep_one(struct vif_subject *subject, void *arg)
{
	if (subject->kind == VIF_SOCKET && sock_flag(subject->sk, SOCK_DEAD) &&
	    (!READ_ONCE(subject->retired) || vif_sock_is_left(subject)))
		vif_subject_end(VIF_SOCKET, subject->sk);
}

/* The next one of a list whose time is over; false if there is none. */
static bool __vif_sock_sweep_next(void *list)
{
	struct vif_sock *record;

	record = list_first_entry_or_null(list, struct vif_sock, end);
	if (!record || time_before(jiffies, record->until))
		return false;
	__vif_sock_forget(record);
	return true;
}

static void vif_sock_sweep_work(struct work_struct *work)
{
	bool more;

	vif_sock_in_batches(__vif_sock_sweep_next, &ending);
	vif_sock_in_batches(__vif_sock_sweep_next, &unsent);
	more = !list_empty_careful(&ending) || !list_empty_careful(&unsent);
	if (vif_subject_any(VIF_SOCKET)) {
		vif_subject_each_change(vif_sock_sweep_one, NULL);
		more = true;
	}
	if (more)
		vif_sock_sweep_soon();
}

void vif_sock_sweep_stop(void)
{
	cancel_delayed_work_sync(&vif_sock_sweeper);
}
