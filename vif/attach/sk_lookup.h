/* SPDX-License-Identifier: GPL-2.0 */
/* Find the socket that a packet is for, before the protocol does. */
#ifndef NETNICE_VIF_SK_LOOKUP_H
#define NETNICE_VIF_SK_LOOKUP_H

#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <net/ipv6.h>

struct net;
struct sock;

/**
 * vif_sk_lookup_received() - the socket that a received packet is for
 * @net: the device's namespace
 * @skb: the packet, at its network header
 *
 * Finds TCP's, UDP's, and those that an ICMP error is about, of packets for this host or for many,
 * in the VRF, and bound to the upper device, that will receive them. Of a tunnel's packet it finds
 * the socket that the packet inside is for, if that is for this host, as if the device had received
 * it. The result may be a request or timewait socket, a listener, or one of another namespace.
 * Context: packet context, caller holds rcu_read_lock().
 * Return: the socket, to be given back by sock_gen_put(), or NULL.
 */
struct sock *vif_sk_lookup_received(struct net *net, struct sk_buff *skb);

/*
 * May several sockets receive a packet, of which vif_sk_lookup_received() has found one? Then
 * vif_sk_lookup_many() tells.
 */
static inline bool vif_sk_lookup_may_be_many(const struct sk_buff *skb)
{
	if (skb->pkt_type != PACKET_HOST && skb->pkt_type != PACKET_OTHERHOST)
		return true;
	return skb->protocol == htons(ETH_P_IP) ? ipv4_is_multicast(ip_hdr(skb)->daddr) :
						  ipv6_addr_is_multicast(&ipv6_hdr(skb)->daddr);
}

/**
 * vif_sk_lookup_many() - call a function for each socket that receives a datagram
 * @net: the device's namespace
 * @skb: the packet, not shared; for none if it is not a datagram to a group or broadcast
 * @fn: returns whether to go on
 * @arg: for @fn
 *
 * Context: packet context, caller holds rcu_read_lock(), under which the sockets are valid.
 */
void vif_sk_lookup_many(struct net *net, struct sk_buff *skb,
			bool (*fn)(struct sock *sk, void *arg), void *arg);

/**
 * vif_sk_lookup_is_local() - is a packet for this host?
 * @net: the device's namespace
 * @skb: a received packet, at its network header
 *
 * Context: packet context, caller holds rcu_read_lock().
 */
bool vif_sk_lookup_is_local(struct net *net, const struct sk_buff *skb);

/**
 * vif_sk_lookup_ends_here() - is a packet its device's own?
 * @skb: a received packet
 *
 * What comes by a port of a bridge, bond, VRF or the like is received by that one, whose sockets
 * are others.
 * Context: packet context, caller holds rcu_read_lock().
 */
static inline bool vif_sk_lookup_ends_here(const struct sk_buff *skb)
{
	return skb->pkt_type == PACKET_HOST && !skb_vlan_tag_present(skb) &&
	       !rcu_access_pointer(skb->dev->rx_handler) && !netif_is_l3_slave(skb->dev);
}

/**
 * vif_sk_lookup_reply() - the socket for which the kernel itself answers
 * @net: the device's namespace
 * @skb: a packet that this host sends, without a socket of its own
 *
 * RST and acknowledgements of connections, timewait sockets included, SYN-ACKs
 * under SYN cookies.
 * Context: packet context, caller holds rcu_read_lock().
 * Return: as vif_sk_lookup_received().
 */
struct sock *vif_sk_lookup_reply(struct net *net, const struct sk_buff *skb);

/**
 * vif_sk_lookup_listener() - the listener that a connection has come by
 * @sk: a TCP socket that has just been established
 *
 * Context: caller holds rcu_read_lock(), bottom halves off.
 * Return: valid under rcu_read_lock(), or NULL.
 */
struct sock *vif_sk_lookup_listener(const struct sock *sk);

/**
 * vif_sk_lookup_first_fragment() - is it the first of several fragments?
 * @skb: a received packet, which vif_sk_lookup_received() has seen
 */
bool vif_sk_lookup_first_fragment(const struct sk_buff *skb);

#endif
