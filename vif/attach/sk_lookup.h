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
struct nf_conntrack_tuple;
struct sock;

/**
 * vif_sk_lookup_received() - find the socket that a received packet is for
 * @net: the device's namespace
 * @skb: the packet, at its network header
 *
 * It finds sockets of TCP and UDP, and the sockets that ICMP errors are about, for unicast,
 * multicast and broadcast packets. VRFs and sockets bound to upper devices are considered, as the
 * kernel will do. If the packet is a tunnel's, the socket of the inner packet is found, if that is
 * for this host. The result may be a request or timewait socket, a listener, or a socket of another
 * namespace.
 * Context: packet context, caller holds rcu_read_lock().
 * Return: the socket, for sock_gen_put(), or NULL.
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
 * @skb: the packet, not shared; no socket is found unless it is a multicast or broadcast datagram
 * @fn: returns whether to continue
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
 * vif_sk_lookup_ends_here() - does its device itself receive a packet?
 * @skb: a received packet
 *
 * If the device is a port of a bridge, bond or VRF, the device above receives the packet, and other
 * sockets may be bound to it.
 * Context: packet context, caller holds rcu_read_lock().
 */
static inline bool vif_sk_lookup_ends_here(const struct sk_buff *skb)
{
	return skb->pkt_type == PACKET_HOST && !skb_vlan_tag_present(skb) &&
	       !rcu_access_pointer(skb->dev->rx_handler) && !netif_is_l3_slave(skb->dev);
}

#if IS_ENABLED(CONFIG_NF_NAT)
/**
 * vif_sk_lookup_answer() - addresses and ports of an answer to a packet
 * @skb: the packet
 * @answer: result: source and destination as the answer's sender knows them, before any translation
 *
 * The packet is translated if its destination is not the answer's source.
 * Context: packet context, caller holds rcu_read_lock().
 * Return: false if connection tracking does not know them: a packet of IPv6, or a flow's first.
 */
bool vif_sk_lookup_answer(const struct sk_buff *skb, struct nf_conntrack_tuple *answer);
#endif

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
