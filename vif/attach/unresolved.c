// SPDX-License-Identifier: GPL-2.0
#include "unresolved.h"

#include <linux/cred.h>
#include <linux/skbuff.h>
#include <net/neighbour.h>
#include <net/sock.h>

#include "classify.h"
#include "sock.h"
#include "task.h"

/*
 * The socket (referenced) of the packet that waits since last, if it is the running task's. It may
 * be another one that has come meanwhile, from another CPU: that is set right when its owner
 * sends the next one.
 */
static struct sock *last_sender(struct neighbour *neigh)
{
	const struct sk_buff *skb;
	struct sock *sk = NULL;

	read_lock_bh(&neigh->lock);
	skb = skb_peek_tail(&neigh->arp_queue);
	if (skb && skb->dev)
		sk = vif_classify_sender(skb);
	if (sk && !(sk_fullsock(sk) && vif_classify_is_current(skb, sk) &&
		    refcount_inc_not_zero(&sk->sk_refcnt)))
		sk = NULL;
	read_unlock_bh(&neigh->lock);
	return sk;
}

void vif_unresolved_sent(struct neighbour *neigh)
{
	struct sock *sk;

	if (!vif_task_any())
		return;
	sk = last_sender(neigh);
	if (!sk)
		return;
	rcu_read_lock();
	vif_sock_used_by(sk, vif_task_current(), READ_ONCE(sk->sk_state), current_cred());
	rcu_read_unlock();
	sock_put(sk);
}
