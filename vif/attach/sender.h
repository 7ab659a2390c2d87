/* SPDX-License-Identifier: GPL-2.0 */
/* The sender of a packet: its socket, and the running task. */
#ifndef NETNICE_VIF_SENDER_H
#define NETNICE_VIF_SENDER_H

#include <linux/skbuff.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "incoming.h"
#include "task.h"

/*
 * Do as sk_fullsock(), which shifts by the state: in kernels with UBSAN that may be a call,
 * for which the function that each packet passes would need a stack frame.
 */
static inline bool vif_classify_is_full(const struct sock *sk)
{
	unsigned char state = READ_ONCE(sk->sk_state);

	return state != TCP_TIME_WAIT && state != TCP_NEW_SYN_RECV;
}

/**
 * vif_classify_sender() - the user's socket that sends a packet
 * @skb: at egress
 *
 * Return: a full, request or timewait socket; NULL if there is none. The kernel's own sockets
 * are no user's, and the socket of a tap by which the packet came has not sent it.
 */
static inline struct sock *vif_classify_sender(const struct sk_buff *skb)
{
	struct sock *sk = skb->sk;

	return sk && !skb->skb_iif &&
	       (!vif_classify_is_full(sk) || sk->sk_net_refcnt) ? sk : NULL;
}

/* Is the socket one of the device's namespace? */
static inline bool vif_classify_is_here(const struct sk_buff *skb,
					const struct sock *sk)
{
	return net_eq(sock_net(sk), dev_net(skb->dev));
}

/**
 * vif_classify_is_current() - is the running task the sender?
 * @skb: at egress
 * @sk: its vif_classify_sender(), a full one
 *
 * It is not in softirq, which borrows the task that it interrupts; nor if the packet has been
 * received before: a write to a tap runs the whole receive path in the writer's context.
 * There TCP also answers with packets of its own, but only a sender holds the socket. What
 * a user-level stack sends comes that way, too, as if from a socket. A task that gives packets
 * back to netfilter looks like a sender: see verdict.h.
 */
static inline bool vif_classify_is_current(const struct sk_buff *skb,
					   const struct sock *sk)
{
	return vif_task_is_acting() && !skb->skb_iif &&
	       (sk_is_tcp(sk) ? sock_owned_by_user_nocheck(sk) : !vif_incoming_is_any());
}

#endif
