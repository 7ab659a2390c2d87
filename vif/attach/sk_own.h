/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose a packet surely is: what a user's program may be shown.
 *
 * Attribution has to say something of each packet; here nobody is named rather than the wrong
 * one. What a socket sends is its user's. What comes is if the socket that it is for is connected,
 * and to exactly these addresses and ports: a listener, or a socket that takes from anybody,
 * may be past by before the firewall has said to whom the packet goes. Who has the other end's
 * answer (TCP) has a connection, but others may have its addresses and ports by now: the segment
 * has to be in its window. Who has only said whom he wants to hear could name somebody else's:
 * there the address has to be the host's, and connection tracking to know that nothing is translated.
 */
#ifndef NETNICE_VIF_SK_OWN_H
#define NETNICE_VIF_SK_OWN_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct net;
struct sk_buff;
struct sock;

/* A user as a number: 0 is nobody. */
static inline u32 vif_sk_own_number(kuid_t uid)
{
	return __kuid_val(uid) + 1;
}

/* The opposite, of what is somebody. */
static inline kuid_t vif_sk_own_uid(u32 number)
{
	return KUIDT_INIT(number - 1);
}

/**
 * vif_sk_own_sent() - whose is a packet that is sent?
 * @skb: the packet
 *
 * Return: vif_sk_own_number() of its full socket's user, or 0.
 */
u32 vif_sk_own_sent(const struct sk_buff *skb);

/**
 * vif_sk_own_is_plain() - is a packet as its socket has sent it?
 * @skb: of vif_sk_own_sent(), at its network header
 *
 * Return: false if it is of a tunnel or IPsec, whose outer headers tell of others' packets, has
 *	another port than the socket (NAT), or is a later fragment.
 */
bool vif_sk_own_is_plain(const struct sk_buff *skb);

/**
 * vif_sk_own_received() - whose is a packet that has come?
 * @net: the device's namespace
 * @skb: the packet, at its network header
 * @sk: the socket that it has been found to be for, of that namespace
 *
 * Context: packet, caller holds rcu_read_lock().
 * Return: vif_sk_own_number() of the socket's user, or 0.
 */
u32 vif_sk_own_received(struct net *net, const struct sk_buff *skb, const struct sock *sk);

#endif
