/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flows: find the owner of received packets whose headers do not lead to a socket, because they are
 * answers to sent packets, or later fragments. Flows are learned from sent packets (ICMP echo, SCTP
 * and other raw protocols, flows with translated addresses) and from first fragments.
 *
 * Each network namespace has a table of limited size, in which new entries replace old ones.
 * Entries have numbers of sockets and VIFs, and hold no references.
 */
#ifndef NETNICE_VIF_FLOW_H
#define NETNICE_VIF_FLOW_H

#include <linux/types.h>
#include <net/sock.h>

/**
 * vif_flow_sent() - learn from a sent packet
 * @net: the device's namespace
 * @skb: the packet, for which vif_classify_is_news() is true
 * @sk: its socket, a full one, with a record
 * @translated: its addresses are translated, so answers have other addresses
 *
 * Context: packet context, caller holds rcu_read_lock().
 */
void vif_flow_sent(struct net *net, const struct sk_buff *skb, struct sock *sk,
		   bool translated);

/**
 * struct vif_flow_owner - the owner of a flow
 * @cookie: the cookie of its socket, or 0
 * @ino: of a datagram for several sockets, the number of its VIF, otherwise 0
 */
struct vif_flow_owner {
	u64 cookie;
	u64 ino;
};

static inline bool vif_flow_is_owner(struct vif_flow_owner a, struct vif_flow_owner b)
{
	return a.cookie == b.cookie && a.ino == b.ino;
}

/**
 * vif_flow_first_fragment() - learn from a first fragment
 * @net: the device's namespace
 * @skb: the packet, for which vif_fragment_is_kept()
 * @owner: its owner
 * @replaces: also if there was an earlier first fragment of the datagram
 *
 * Context: packet context, caller holds rcu_read_lock().
 * Return: the datagram's owner: @owner, or the owner of an earlier first fragment.
 */
struct vif_flow_owner vif_flow_first_fragment(struct net *net, const struct sk_buff *skb,
					      struct vif_flow_owner owner, bool replaces);

/**
 * vif_flow_find() - find the owner of a received packet's flow
 * @net: the device's namespace
 * @skb: the packet, at its network header
 *
 * Learns from first fragments.
 * Context: packet context, caller holds rcu_read_lock().
 * Return: the owner, all zero if there is none.
 */
struct vif_flow_owner vif_flow_find(struct net *net, const struct sk_buff *skb);

int vif_flow_init(void);

/* Context: process; no packet can come any more. */
void vif_flow_exit(void);

#endif
