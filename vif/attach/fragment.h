/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fragments of datagrams. Only the first fragment has ports. Its result applies to the other
 * fragments: its owner (flow.c), and the verdict of a program
 * (program/verdict.h).
 *
 * A sender may send several first fragments of a datagram, for several ports. The kernel keeps one
 * of them and drops a copy, whatever it contains. So the first one counts for as long as the kernel
 * may keep the datagram, unless the kernel drops it at once (vif_fragment_is_kept()).
 */
#ifndef NETNICE_VIF_FRAGMENT_H
#define NETNICE_VIF_FRAGMENT_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <net/ip.h>
#include <net/ipv6.h>

/* The kernel's longest wait for the rest of a datagram, in seconds: IPv6's. */
#define VIF_FRAGMENT_LASTS	60

/**
 * struct vif_fragment - a packet, if it is a fragment
 * @hash: of its datagram's addresses, identifier and protocol, 0: it is none
 * @first: it is the first one
 */
struct vif_fragment {
	u64 hash;
	bool first;
};

/* vif_fragment_of() returns one of these. */
struct vif_fragment vif_fragment_look(const struct sk_buff *skb, int offset);

/**
 * vif_fragment_of() - is a packet a fragment?
 * @skb: the packet, with the network header set
 * @offset: of that, not negative
 *
 * Of most packets their header says at once that they are none.
 * Context: packet.
 */
static inline struct vif_fragment vif_fragment_of(const struct sk_buff *skb, int offset)
{
	const void *header = skb->data + offset;

	if (skb->protocol == htons(ETH_P_IP) &&
	    skb_headlen(skb) >= offset + sizeof(struct iphdr) &&
	    !(((const struct iphdr *)header)->frag_off & htons(IP_MF | IP_OFFSET)))
		return (struct vif_fragment) { };
	if (skb->protocol == htons(ETH_P_IPV6) &&
	    skb_headlen(skb) >= offset + sizeof(struct ipv6hdr) &&
	    !ipv6_ext_hdr(((const struct ipv6hdr *)header)->nexthdr))
		return (struct vif_fragment) { };
	return vif_fragment_look(skb, offset);
}

/**
 * vif_fragment_is_kept() - does the kernel keep a first fragment for its datagram?
 * @skb: a first fragment
 * @offset: of its IP header, from skb->data
 *
 * Checks the header as the receiver does, except for IPv4 options and IPv6 extension headers.
 * Context: packet, caller holds rcu_read_lock().
 */
bool vif_fragment_is_kept(const struct sk_buff *skb, int offset);

#endif
