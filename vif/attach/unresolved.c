// SPDX-License-Identifier: GPL-2.0
#include "unresolved.h"

#include <linux/cred.h>
#include <linux/skbuff.h>
#include <net/neighbour.h>
#include <net/sock.h>

#include "classify.h"
#include "incoming.h"
#include "sock.h"
#include "task.h"

/*
 * May the running task have sent it? Others' packets are in the queue, too: what is of its own user
 * is taken for its own, if nobody is known to have the socket. TCP's are known from connect().
 */
static bool is_own(const struct sk_buff *skb)
{
	const struct sock *sk = vif_classify_sender(skb);

	return sk && sk_fullsock(sk) && !sk_is_tcp(sk) &&
	       uid_eq(READ_ONCE(sk->sk_uid), current_fsuid());
}

void vif_unresolved_sent(struct neighbour *neigh)
{
	struct vif_subject *task;
	struct sk_buff *skb;

	if (!vif_task_any() || !vif_task_is_acting() || vif_incoming_is_any())
		return;
	rcu_read_lock();
	task = vif_task_current();
	if (task) {
		read_lock_bh(&neigh->lock);
		/* not the last one alone: others may have come meanwhile */
		skb_queue_walk(&neigh->arp_queue, skb)
			if (is_own(skb))
				vif_sock_waits(skb->sk, task);
		read_unlock_bh(&neigh->lock);
	}
	rcu_read_unlock();
}
