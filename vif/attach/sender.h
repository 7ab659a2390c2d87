/* SPDX-License-Identifier: GPL-2.0 */
/* Who sends a packet: its socket, and the running task. */
#ifndef NETNICE_VIF_SENDER_H
#define NETNICE_VIF_SENDER_H

#include <linux/skbuff.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "incoming.h"
#include "task.h"

/*
 * sk_fullsock(), which shifts by the state: in kernels with UBSAN that may be a call, and
 * whoever calls it for each packet needs a stack frame for that.
 */
static inline bool vif_classify_is_full(const struct sock *sk)
{
	unsigned char state = READ_ONCE(sk->sk_state);

	return state != TCP_TIME_WAIT && state != TCP_NEW_SYN_RECV;
}

/**
 * vif_classify_sender() - the socket of the user who sends a packet
 * @skb: at egress
 *
 * Return: a full, request or timewait socket; NULL if there is none: the kernel's are
 * nobody's, and that of a tap by which it came is not a sender's.
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
 * Not in softirq, which borrows whatever task it interrupts; nor if the packet has been
 * received before: the write to a tap runs the whole receive path in its writer's
 * context. There TCP also answers with packets of its own; but only who sends holds the
 * socket. What a user-level stack sends comes that way, too, as if from a socket.
 */
static inline bool vif_classify_is_current(const struct sk_buff *skb,
					   const struct sock *sk)
{
	return vif_task_is_acting() && !skb->skb_iif &&
	       (sk_is_tcp(sk) ? sock_owned_by_user_nocheck(sk) : !vif_incoming_is_any());
}

#endif
