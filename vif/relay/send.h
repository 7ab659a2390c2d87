/* SPDX-License-Identifier: GPL-2.0 */
/* What a relay sends. */
#ifndef NETNICE_VIF_RELAY_SEND_H
#define NETNICE_VIF_RELAY_SEND_H

#include <linux/skbuff.h>
#include <net/sock.h>

/* Is the socket connected, and open for that? Context: any. */
static inline bool vif_relay_can_send(const struct sock *to)
{
	return READ_ONCE(to->sk_state) == TCP_ESTABLISHED && !sock_flag(to, SOCK_DEAD) &&
	       !(READ_ONCE(to->sk_shutdown) & SEND_SHUTDOWN);
}

/* Is it connected to a group, or to all of a network? Context: process. */
bool vif_relay_is_to_many(struct sock *to);

/**
 * vif_relay_send() - send a datagram that has been received
 * @to: by this socket, to where that is connected
 * @skb: the datagram, at its UDP header, with a checksum that is right
 * @hops: that it may go yet, at most
 *
 * Context: packet, caller holds rcu_read_lock().
 * Return: false if it could not be: it is the caller's still, but for its headers.
 */
bool vif_relay_send(struct sock *to, struct sk_buff *skb, unsigned int hops);

#endif
