// SPDX-License-Identifier: GPL-2.0
/*
 * The owner of waiting packets is read under the lock of the neighbour, in the event that they
 * start to wait. A probe of a real-time kernel (raw.h) cannot wait for that lock: if the lock is
 * taken, a worker reads it, usually before the address arrives.
 */
#include "unresolved.h"

#include <linux/cred.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <net/neighbour.h>
#include <net/sock.h>

#include "../tree/net.h"
#include "incoming.h"
#include "raw.h"
#include "sender.h"
#include "sock.h"
#include "subject.h"
#include "task.h"
#include "verdict.h"

/* For the worker; beyond this number senders are not recorded. */
#define LATER_MAX	64

/**
 * struct sender - possible sender of waiting packets
 * @neigh: the neighbour that they wait for
 * @task: its entry
 * @cred: its credentials
 */
struct sender {
	struct neighbour *neigh;
	struct vif_subject *task;
	const struct cred *cred;
};

/* References are held to all of each; under the lock. */
static struct sender later[LATER_MAX];
static unsigned int later_count;
static DEFINE_RAW_SPINLOCK(vif_unresolved_lock);

/*
 * May the task have sent it? Packets of other tasks are in the queue too: a packet of the task's
 * own user is attributed to it, if no owner of the socket is known. TCP's are known from connect().
 */
static bool vif_unresolved_is_of(const struct sk_buff *skb, const struct sender *sender)
{
	const struct sock *sk = vif_classify_sender(skb);

	return sk && sk_fullsock(sk) && !sk_is_tcp(sk) &&
	       uid_eq(READ_ONCE(sk->sk_uid), sender->cred->fsuid);
}

/* Not the last one alone: others may have come meanwhile. */
static void __vif_unresolved_note(const struct sender *sender)
{
	struct sk_buff *skb;

	skb_queue_walk(&sender->neigh->arp_queue, skb)
		if (vif_unresolved_is_of(skb, sender))
			vif_sock_waits(skb->sk, sender->task, sender->cred);
}

static void vif_unresolved_note(const struct sender *sender)
{
	read_lock_bh(&sender->neigh->lock);
	__vif_unresolved_note(sender);
	read_unlock_bh(&sender->neigh->lock);
}

static bool vif_unresolved_dequeue(struct sender *sender)
{
	unsigned long flags;
	bool any;

	raw_spin_lock_irqsave(&vif_unresolved_lock, flags);
	any = later_count;
	if (any)
		*sender = later[--later_count];
	raw_spin_unlock_irqrestore(&vif_unresolved_lock, flags);
	return any;
}

static void vif_unresolved_work_fn(struct work_struct *work)
{
	struct sender sender;

	while (vif_unresolved_dequeue(&sender)) {
		rcu_read_lock();
		vif_unresolved_note(&sender);
		rcu_read_unlock();
		neigh_release(sender.neigh);
		vif_subject_put(sender.task);
		put_cred(sender.cred);
	}
}

static DECLARE_WORK(vif_unresolved_work, vif_unresolved_work_fn);

static void vif_unresolved_enqueue(const struct sender *sender)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&vif_unresolved_lock, flags);
	if (later_count < LATER_MAX && vif_subject_get(sender->task)) {
		neigh_hold(sender->neigh);
		get_cred(sender->cred);
		later[later_count++] = *sender;
	}
	raw_spin_unlock_irqrestore(&vif_unresolved_lock, flags);
	queue_work(vif_wq, &vif_unresolved_work);
}

static void vif_unresolved_note_raw(const struct sender *sender)
{
	if (!read_trylock(&sender->neigh->lock)) {
		vif_unresolved_enqueue(sender);
		return;
	}
	__vif_unresolved_note(sender);
	read_unlock(&sender->neigh->lock);
}

void vif_unresolved_sent(struct neighbour *neigh)
{
	struct sender sender = { .neigh = neigh, .cred = current_cred() };

	if (!vif_task_any() || !vif_task_is_acting() || vif_incoming_is_any())
		return;
	rcu_read_lock();
	sender.task = vif_task_current();
	if (sender.task && vif_context_is_raw())
		vif_unresolved_note_raw(&sender);
	else if (sender.task && !vif_verdict_is_running(dev_net(neigh->dev), 0))
		vif_unresolved_note(&sender);
	rcu_read_unlock();
}

void vif_unresolved_stop(void)
{
	flush_work(&vif_unresolved_work);
}
