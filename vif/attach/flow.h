/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flows: what received packets are answers to, or later parts of, where their
 * headers do not lead to a socket. Learned from what was sent (ICMP echo, SCTP and
 * other raw protocols, flows whose addresses are translated), and from first
 * fragments.
 *
 * A memory of limited size in each network namespace, in which the new takes the place of
 * the old. It has the cookies of sockets, and so keeps nothing.
 */
#ifndef NETNICE_VIF_FLOW_H
#define NETNICE_VIF_FLOW_H

#include <linux/types.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/sock.h>

static inline bool vif_flow_is_translated(const struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_NF_CONNTRACK)
	enum ip_conntrack_info ctinfo;
	const struct nf_conn *ct = nf_ct_get(skb, &ctinfo);

	return ct && READ_ONCE(ct->status) & IPS_NAT_MASK;
#else
	return false;
#endif
}

/**
 * vif_flow_is_news() - is there something to learn from a packet that is sent?
 * @skb: the packet
 * @sk: its socket, a full one
 *
 * Return: false if answers are found by address and port, as those of TCP and UDP are.
 */
static inline bool vif_flow_is_news(const struct sk_buff *skb,
				    const struct sock *sk)
{
	if (sk->sk_family == AF_PACKET)
		return false;
	return vif_flow_is_translated(skb) || sk->sk_type == SOCK_RAW ||
	       (sk->sk_protocol != IPPROTO_TCP &&
		sk->sk_protocol != IPPROTO_UDP &&
		sk->sk_protocol != IPPROTO_UDPLITE);
}

/**
 * vif_flow_sent() - learn from a packet that is sent
 * @net: the device's namespace
 * @skb: the packet, for which vif_flow_is_news()
 * @sk: its socket, a full one, with a record
 *
 * Context: packet context, caller holds rcu_read_lock().
 */
void vif_flow_sent(struct net *net, const struct sk_buff *skb, struct sock *sk);

/* Learn from a first fragment that is for a socket. Context: as above. */
void vif_flow_first_fragment(struct net *net, const struct sk_buff *skb,
			     u64 cookie);

/**
 * vif_flow_find() - whose flow a received packet belongs to
 * @net: the device's namespace
 * @skb: the packet, at its network header
 *
 * Context: packet context, caller holds rcu_read_lock().
 * Return: the cookie of a socket, or 0.
 */
u64 vif_flow_find(struct net *net, const struct sk_buff *skb);

int vif_flow_init(void);

/* Context: process; no packet can come any more. */
void vif_flow_exit(void);

#endif
