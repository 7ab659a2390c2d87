// SPDX-License-Identifier: GPL-2.0
/*
 * A frame of the stack is sent as a packet of the socket of its source port, if a user's socket
 * could send it: without options, fragments or another protocol, from an address of this host, to
 * another host. Pending offloads, checksums and segments, must refer to the header that was
 * checked.
 */
#include "internal.h"

#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/sock.h>

#include "../attach/incoming.h"
#include "../compat/gso.h"
#include "port.h"

/* GSO types that do not segment at the TCP or UDP header. */
#define OTHER_GSO	(SKB_GSO_UDP | SKB_GSO_SCTP | SKB_GSO_ESP | SKB_GSO_FRAGLIST)

/**
 * struct vif_stack_sent - a packet that the stack sends
 * @stack: that
 * @skb: at its network header, with @thoff and the ports behind that in its linear part
 * @family: AF_INET or AF_INET6
 * @protocol: IPPROTO_TCP or IPPROTO_UDP
 * @thoff: offset of its header
 * @sk: the socket of its port
 */
struct vif_stack_sent {
	const struct vif_stack *stack;
	struct sk_buff *skb;
	int family;
	u8 protocol;
	unsigned int thoff;
	struct sock *sk;
};

static __be16 *vif_stack_ports_of(const struct vif_stack_sent *sent)
{
	return (__be16 *)(sent->skb->data + sent->thoff);
}

/* Cut the packet to @bytes, the length in its header. Return false if it is shorter. */
static bool vif_stack_trim(struct sk_buff *skb, unsigned int bytes)
{
	return bytes <= skb->len && !pskb_trim_rcsum(skb, bytes);
}

static bool vif_stack_segments_are_own(const struct vif_stack_sent *sent)
{
	unsigned int type = skb_shinfo(sent->skb)->gso_type, own;

	if (sent->protocol == IPPROTO_UDP)
		own = SKB_GSO_UDP_L4;
	else
		own = sent->family == AF_INET ? SKB_GSO_TCPV4 : SKB_GSO_TCPV6;
	return type & own && !(type & OTHER_GSO);
}

static bool vif_stack_offloads_are_own(const struct vif_stack_sent *sent)
{
	const struct sk_buff *skb = sent->skb;
	bool tcp = sent->protocol == IPPROTO_TCP;

	if (skb->encapsulation)
		return false;
	if (skb->ip_summed == CHECKSUM_PARTIAL &&
	    (skb_checksum_start_offset(skb) != sent->thoff ||
	     skb->csum_offset != (tcp ? offsetof(struct tcphdr, check) :
					offsetof(struct udphdr, check))))
		return false;
	return !skb_is_gso(skb) || vif_stack_segments_are_own(sent);
}

/* Check protocol, ports and offloads, and find the socket. */
static enum vif_stack_refusal vif_stack_check_transport(struct vif_stack_sent *sent)
{
	unsigned int least = sent->protocol == IPPROTO_TCP ? sizeof(struct tcphdr) :
							     sizeof(struct udphdr);
	const struct vif_port *port;

	if (sent->protocol != IPPROTO_TCP && sent->protocol != IPPROTO_UDP)
		return VIF_STACK_PROTOCOL;
	if (!pskb_may_pull(sent->skb, sent->thoff + least) || !vif_stack_offloads_are_own(sent))
		return VIF_STACK_MALFORMED;
	port = vif_port_find(sent->stack->net, sent->protocol, vif_stack_ports_of(sent)[0],
			     sent->family);
	if (!port || port->stack != sent->stack)
		return VIF_STACK_PORT;
	sent->sk = port->sk;
	skb_set_transport_header(sent->skb, sent->thoff);
	return VIF_STACK_TAKEN;
}

/* Make the socket the packet's owner, and @dst its route, whose reference is consumed. */
static bool vif_stack_adopt(struct vif_stack_sent *sent, struct dst_entry *dst)
{
	struct sk_buff *skb = sent->skb;

	skb_forward_csum(skb);
	skb_scrub_packet(skb, true);
	skb_dst_set(skb, dst);
	if (skb_cow_head(skb, LL_RESERVED_SPACE(dst->dev) + dst->header_len))
		return false;
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, sent->thoff);
	memset(skb->cb, 0, sizeof(skb->cb));
	skb_clear_hash(skb);
	skb_set_queue_mapping(skb, 0);
	/* pieces of it, and what IPsec adds, will be, too */
	skb_set_owner_w(skb, sent->sk);
	skb->priority = READ_ONCE(sent->sk->sk_priority);
	skb->mark = READ_ONCE(sent->sk->sk_mark);
	skb->dev = dst->dev;
	return true;
}

/*
 * Decrement the hop limit; the checksum is computed later. Return false if this was the last hop.
 */
static bool vif_stack_count_hop(struct vif_stack_sent *sent)
{
	u8 *left = sent->family == AF_INET ? &ip_hdr(sent->skb)->ttl :
					     &ipv6_hdr(sent->skb)->hop_limit;

	if (!sent->stack->hops)
		return true;
	return *left > 1 && --*left;
}

/* Send by @out, for example ip_local_out(). Consumes @dst and the packet. */
static void vif_stack_send_one(struct vif_stack_sent *sent, struct dst_entry *dst,
			       int (*out)(struct net *net, struct sock *sk, struct sk_buff *skb))
{
	if (vif_stack_adopt(sent, dst) && vif_stack_count_hop(sent))
		vif_incoming_send(sent->stack->net, sent->skb, out);
	else
		kfree_skb(sent->skb);
}

/* Will IPsec or fragmentation segment it later? Its segments would have no owner. */
static bool vif_stack_is_cut_later(const struct sk_buff *skb, const struct dst_entry *dst)
{
	return skb_is_gso(skb) &&
	       (dst_xfrm(dst) || !skb_gso_validate_network_len(skb, dst_mtu(dst)));
}

/* Segment the packet, and send each segment. */
static void vif_stack_send_cut(struct vif_stack_sent *sent, struct dst_entry *dst,
			       int (*out)(struct net *net, struct sock *sk, struct sk_buff *skb))
{
	struct sk_buff *whole = sent->skb, *piece, *next;

	piece = skb_gso_segment(whole, NETIF_F_SG | NETIF_F_HW_CSUM);
	if (IS_ERR_OR_NULL(piece)) {
		kfree_skb(whole);
		return;
	}
	consume_skb(whole);
	for (; piece; piece = next) {
		next = piece->next;
		skb_mark_not_on_list(piece);
		sent->skb = piece;
		vif_stack_send_one(sent, dst_clone(dst), out);
	}
}

/* Send the packet, in segments if necessary. */
static enum vif_stack_refusal
vif_stack_send(struct vif_stack_sent *sent, struct dst_entry *dst,
	       int (*out)(struct net *net, struct sock *sk, struct sk_buff *skb))
{
	if (dst->dev != sent->stack->link) {
		dst_release(dst);
		return VIF_STACK_ROUTE;
	}
	if (vif_stack_is_cut_later(sent->skb, dst)) {
		vif_stack_send_cut(sent, dst, out);
		dst_release(dst);
	} else {
		vif_stack_send_one(sent, dst, out);
	}
	return VIF_STACK_TAKEN;
}

static enum vif_stack_refusal vif_stack_send4(struct vif_stack_sent *sent)
{
	const struct iphdr *ip = ip_hdr(sent->skb);
	const __be16 *ports = vif_stack_ports_of(sent);
	struct sock *sk = sent->sk;
	struct flowi4 fl;
	struct rtable *rt;

	if (inet_addr_type(sent->stack->net, ip->saddr) != RTN_LOCAL)
		return VIF_STACK_ADDRESS;
	flowi4_init_output(&fl, 0, READ_ONCE(sk->sk_mark), ip->tos & INET_DSCP_MASK,
			   RT_SCOPE_UNIVERSE, sent->protocol, 0, ip->daddr, ip->saddr,
			   ports[1], ports[0], READ_ONCE(sk->sk_uid));
	rt = ip_route_output_flow(sent->stack->net, &fl, sk);
	if (IS_ERR(rt))
		return VIF_STACK_ROUTE;
	if (rt->rt_flags & (RTCF_BROADCAST | RTCF_MULTICAST | RTCF_LOCAL)) {
		ip_rt_put(rt);
		return VIF_STACK_DESTINATION;
	}
	return vif_stack_send(sent, &rt->dst, ip_local_out);
}

static enum vif_stack_refusal vif_stack_out4(struct vif_stack_sent *sent)
{
	enum vif_stack_refusal why;
	struct sk_buff *skb = sent->skb;
	const struct iphdr *ip;

	if (!pskb_may_pull(skb, sizeof(*ip)))
		return VIF_STACK_MALFORMED;
	ip = ip_hdr(skb);
	if (ip->version != 4 || ip->ihl < 5)
		return VIF_STACK_MALFORMED;
	if (ip->ihl > 5)
		return VIF_STACK_OPTION;
	if (ip->frag_off & htons(IP_MF | IP_OFFSET))
		return VIF_STACK_FRAGMENT;
	if (!vif_stack_trim(skb, ntohs(ip->tot_len)))
		return VIF_STACK_MALFORMED;
	sent->family = AF_INET;
	sent->protocol = ip_hdr(skb)->protocol;
	sent->thoff = sizeof(*ip);
	why = vif_stack_check_transport(sent);
	return why == VIF_STACK_TAKEN ? vif_stack_send4(sent) : why;
}

#if IS_ENABLED(CONFIG_IPV6)
/* Can the address not be one of another host on the wire? */
static bool vif_stack_is_for_none_other(const struct in6_addr *to)
{
	return ipv6_addr_is_multicast(to) || ipv6_addr_any(to) || ipv6_addr_loopback(to) ||
	       ipv6_addr_v4mapped(to);
}

static enum vif_stack_refusal vif_stack_send6(struct vif_stack_sent *sent)
{
	const struct ipv6hdr *ip = ipv6_hdr(sent->skb);
	const __be16 *ports = vif_stack_ports_of(sent);
	struct sock *sk = sent->sk;
	struct flowi6 fl = {
		.flowi6_proto = sent->protocol,
		.flowi6_mark = READ_ONCE(sk->sk_mark),
		.flowi6_uid = READ_ONCE(sk->sk_uid),
		.flowlabel = ip6_flowinfo(ip),
		.saddr = ip->saddr,
		.daddr = ip->daddr,
		.fl6_sport = ports[0],
		.fl6_dport = ports[1],
	};
	struct dst_entry *dst;

	if (ipv6_addr_type(&ip->saddr) & (IPV6_ADDR_LINKLOCAL | IPV6_ADDR_LOOPBACK) ||
	    !ipv6_chk_addr(sent->stack->net, &ip->saddr, NULL, 0))
		return VIF_STACK_ADDRESS;
	if (vif_stack_is_for_none_other(&ip->daddr))
		return VIF_STACK_DESTINATION;
	dst = ip6_dst_lookup_flow(sent->stack->net, sk, &fl, NULL);
	if (IS_ERR(dst))
		return VIF_STACK_ROUTE;
	if (dst->dev->flags & IFF_LOOPBACK) {
		dst_release(dst);
		return VIF_STACK_DESTINATION;
	}
	return vif_stack_send(sent, dst, ip6_local_out);
}

static enum vif_stack_refusal vif_stack_out6(struct vif_stack_sent *sent)
{
	enum vif_stack_refusal why;
	struct sk_buff *skb = sent->skb;
	const struct ipv6hdr *ip;

	if (!pskb_may_pull(skb, sizeof(*ip)) || ipv6_hdr(skb)->version != 6)
		return VIF_STACK_MALFORMED;
	ip = ipv6_hdr(skb);
	if (ip->nexthdr == NEXTHDR_FRAGMENT)
		return VIF_STACK_FRAGMENT;
	if (ipv6_ext_hdr(ip->nexthdr) && ip->nexthdr != NEXTHDR_NONE)
		return VIF_STACK_OPTION;
	if (!vif_stack_trim(skb, sizeof(*ip) + ntohs(ip->payload_len)))
		return VIF_STACK_MALFORMED;
	sent->family = AF_INET6;
	sent->protocol = ipv6_hdr(skb)->nexthdr;
	sent->thoff = sizeof(*ip);
	if (sent->protocol == IPPROTO_ICMPV6 && vif_stack_neighbour6(sent->stack, skb))
		return VIF_STACK_TAKEN;
	why = vif_stack_check_transport(sent);
	return why == VIF_STACK_TAKEN ? vif_stack_send6(sent) : why;
}
#else
static enum vif_stack_refusal vif_stack_out6(struct vif_stack_sent *sent)
{
	return VIF_STACK_PROTOCOL;
}
#endif

/* Consumes the packet if it returns VIF_STACK_TAKEN. */
static enum vif_stack_refusal vif_stack_output(struct vif_stack *stack, struct sk_buff *skb)
{
	struct vif_stack_sent sent = { .stack = stack, .skb = skb };

	if (skb_vlan_tag_present(skb))
		return VIF_STACK_LINK;
	switch (skb->protocol) {
	case htons(ETH_P_IP):
		return vif_stack_out4(&sent);
	case htons(ETH_P_IPV6):
		return vif_stack_out6(&sent);
	case htons(ETH_P_ARP):
		if (vif_stack_neighbour4(stack, skb))
			return VIF_STACK_TAKEN;
		fallthrough;
	default:
		return VIF_STACK_LINK;
	}
}

unsigned int vif_stack_out_hook(void *priv, struct sk_buff *skb,
				const struct nf_hook_state *state)
{
	struct vif_stack *stack = priv;
	enum vif_stack_refusal why;

	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb)
		return NF_STOLEN;
	if (vif_stack_is_ethernet(stack, skb))
		WRITE_ONCE(stack->mac, ether_addr_to_u64(eth_hdr(skb)->h_source));
	why = vif_stack_output(stack, skb);
	if (why == VIF_STACK_TAKEN)
		return NF_STOLEN;
	atomic64_inc(&stack->refused[why]);
	kfree_skb(skb);
	return NF_STOLEN;
}
