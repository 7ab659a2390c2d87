/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The certain owner of a packet. A user's program sees only packets that certainly belong to the
 * user.
 *
 * Classification assigns a VIF to each packet. Here a packet has no owner unless the owner is
 * certain. A sent packet belongs to the user of its socket. A received packet belongs to the user
 * of its socket if the socket is connected to exactly these addresses and ports. A listener, or a
 * socket that receives from any address, does not qualify: the firewall has not yet decided where
 * the packet goes. If the other end has answered (TCP), the socket has a connection, but its
 * addresses and ports may have another owner by now: the segment must be in its window. If the
 * other end has not answered, the user may have named any address: the address must be the host's,
 * and connection tracking must know that nothing is translated.
 */
#ifndef NETNICE_VIF_OWNER_H
#define NETNICE_VIF_OWNER_H

#include <linux/types.h>

struct net;
struct sk_buff;
struct sock;

/**
 * vif_owner_sent() - return the certain owner of a sent packet
 * @skb: the packet
 *
 * Return: vif_program_user() of its full socket's user, or 0.
 */
u32 vif_owner_sent(const struct sk_buff *skb);

/**
 * vif_owner_is_plain() - does a packet still have the headers of its socket?
 * @skb: the packet, after vif_owner_sent(), at its network header
 *
 * Return: false if it is a packet of a tunnel or IPsec (packets of other users may have the same
 *	outer headers), if its port is not the socket's (NAT), or if it is a later fragment.
 */
bool vif_owner_is_plain(const struct sk_buff *skb);

/**
 * vif_owner_received() - find the certain owner of a received packet
 * @net: the device's namespace
 * @skb: the packet, at its network header
 * @sk: the socket that was found for it, of that namespace
 *
 * Context: packet, caller holds rcu_read_lock().
 * Return: vif_program_user() of the socket's user, or 0.
 */
u32 vif_owner_received(struct net *net, const struct sk_buff *skb, const struct sock *sk);

#endif
