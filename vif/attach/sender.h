/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sender of a packet: its socket, and the task that runs.
 *
 * The running task can look like the sender without being the sender. Packets that wait for a
 * program's verdict (NFQUEUE: application firewalls, IPS) continue inside a system call of that
 * program, and the sender of such a datagram was not seen at a device before. So the first verdict
 * registers a hook at the place where packets enter IP's output, in the context of their sender.
 * The hook records the sender with the socket. Packets that wait for a neighbour's address are sent
 * in a softirq: their sender is recorded when they begin to wait.
 */
#ifndef NETNICE_VIF_SENDER_H
#define NETNICE_VIF_SENDER_H

#include <linux/net.h>
#include <linux/preempt.h>
#include <linux/skbuff.h>
#include <net/mptcp.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "incoming.h"
#include "task.h"

struct neighbour;

/*
 * Do as sk_fullsock(), which shifts by the state: in kernels with UBSAN that may be a call,
 * for which the function that each packet passes would need a stack frame.
 */
static inline bool vif_classify_is_full(const struct sock *sk)
{
	unsigned char state = READ_ONCE(sk->sk_state);

	return state != TCP_TIME_WAIT && state != TCP_NEW_SYN_RECV;
}

/* Of the kernel's sockets, one that is part of what a user has open: of MPTCP or SMC. */
static noinline_for_stack bool vif_classify_is_opened(const struct sock *sk)
{
	const struct socket *socket = READ_ONCE(sk->sk_socket);

	return (sk_is_tcp(sk) && sk_is_mptcp(sk)) || (socket && READ_ONCE(socket->file));
}

/**
 * vif_classify_is_users() - does a socket belong to a user?
 * @sk: a full socket
 *
 * The kernel's own sockets do not. Some of them hold their namespace like users' sockets: the ones
 * of mounts (NFS, SMB, NVMe). Packets that are sent there in the context of one user are for all
 * users.
 * Context: packet, caller holds rcu_read_lock().
 */
static inline bool vif_classify_is_users(const struct sock *sk)
{
	return sk->sk_net_refcnt && (likely(!sk->sk_kern_sock) || vif_classify_is_opened(sk));
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
	       (!vif_classify_is_full(sk) || vif_classify_is_users(sk)) ? sk : NULL;
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
 * back to netfilter looks like a sender: see vif_verdict_is_running().
 */
static inline bool vif_classify_is_current(const struct sk_buff *skb,
					   const struct sock *sk)
{
	return vif_task_is_acting() && !skb->skb_iif &&
	       (sk_is_tcp(sk) ? sock_owned_by_user_nocheck(sk) : !vif_incoming_is_any());
}

/* Use vif_verdict_is_running(). */
bool __vif_verdict_is_running(struct net *net);

/**
 * vif_verdict_is_running() - does the running task give packets back to netfilter?
 * @net: the namespace of the packet
 * @outer: how often bottom halves are disabled without that: 1 at a device, 0 before
 *
 * Context: process, a user's task; caller holds rcu_read_lock().
 */
static inline bool vif_verdict_is_running(struct net *net, unsigned int outer)
{
	/* netfilter disables them once more */
	return softirq_count() > outer * SOFTIRQ_DISABLE_OFFSET && __vif_verdict_is_running(net);
}

/**
 * vif_unresolved_sent() - record the owners of packets that wait for a neighbour's address
 * @neigh: the neighbour
 *
 * Without this, their owner would be unknown when they are sent, in a softirq. The sysctl
 * unres_qlen_bytes bounds their queue.
 * Context: the sender of the last one; @neigh->lock is not held.
 */
void vif_unresolved_sent(struct neighbour *neigh);

/* Context: process; vif_unresolved_sent() is not called any more. */
void vif_unresolved_stop(void);

#endif
