// SPDX-License-Identifier: GPL-2.0
/*
 * A datagram leaves as if the socket had been told to send what is in it: by its addresses, route
 * and options, and through all that looks at what its owner sends. The packet stays where it is in
 * memory; only its headers are written anew. Where it waits, in a VIF or a device's queue, it takes
 * room in the socket's buffer: if there is none, it is dropped.
 */
#include "send.h"

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/security.h>
#include <linux/udp.h>
#include <net/inet_sock.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/udp.h>

#include "../attach/incoming.h"

/* The most that fits, with a header of IPv4 before it. */
#define MOST	(IP_MAX_MTU - sizeof(struct iphdr) - sizeof(struct udphdr))

static bool vif_relay_is_6(const struct sock *sk)
{
#if IS_ENABLED(CONFIG_IPV6)
	return sk->sk_family == AF_INET6 && !ipv6_addr_v4mapped(&sk->sk_v6_daddr);
#else
	return false;
#endif
}

/* The one that the socket has sent by last, referenced, or NULL: it may have connected elsewhere. */
static struct dst_entry *vif_relay_last_route(struct sock *sk, u32 cookie, int family)
{
	struct dst_entry *dst = sk_dst_check(sk, cookie);

	if (!dst || dst->ops->family == family)
		return dst;
	dst_release(dst);
	return NULL;
}

/*
 * @fl: set to where the socket is connected, as it is now: it may connect elsewhere at any time, or
 * to nothing.
 */
static struct dst_entry *vif_relay_route4(struct sock *sk, struct flowi4 *fl)
{
	const struct inet_sock *inet = inet_sk(sk);
	struct dst_entry *dst;
	struct rtable *rt;

	flowi4_init_output(fl, READ_ONCE(sk->sk_bound_dev_if) ?: READ_ONCE(inet->uc_index),
			   READ_ONCE(sk->sk_mark), READ_ONCE(inet->tos) & INET_DSCP_MASK,
			   sock_flag(sk, SOCK_LOCALROUTE) ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE,
			   IPPROTO_UDP, inet_sk_flowi_flags(sk), READ_ONCE(inet->inet_daddr),
			   READ_ONCE(inet->inet_saddr), READ_ONCE(inet->inet_dport),
			   READ_ONCE(inet->inet_sport), READ_ONCE(sk->sk_uid));
	if (!fl->daddr || !fl->saddr || !fl->fl4_dport || !fl->fl4_sport ||
	    ipv4_is_multicast(fl->daddr) || ipv4_is_lbcast(fl->daddr))
		return NULL;
	dst = vif_relay_last_route(sk, 0, AF_INET);
	if (dst)
		return dst;
	security_sk_classify_flow(sk, flowi4_to_flowi_common(fl));
	rt = ip_route_output_flow(sock_net(sk), fl, sk);
	if (IS_ERR(rt))
		return NULL;
	sk_dst_set(sk, dst_clone(&rt->dst));
	return &rt->dst;
}

static bool vif_relay_is_route_to_many(const struct dst_entry *dst)
{
	return ((const struct rtable *)dst)->rt_flags & (RTCF_BROADCAST | RTCF_MULTICAST);
}

/* A sender on this host may have left the checksum of a packet inside to the device. */
static bool vif_relay_is_whole(struct sk_buff *skb)
{
	const int start = skb_checksum_start_offset(skb);

	/* a filter may have cut it off */
	return skb->ip_summed != CHECKSUM_PARTIAL || start < 0 ||
	       start + skb->csum_offset + sizeof(__sum16) > skb_headlen(skb) ||
	       !skb_checksum_help(skb);
}

/* What is the packet's by how it has come is not by how it goes. */
static bool vif_relay_prepare(struct sock *to, struct sk_buff *skb, const struct dst_entry *dst,
			      unsigned int header)
{
	header += sizeof(struct udphdr);
	skb_clear_hash(skb);
	__skb_pull(skb, sizeof(struct udphdr));
	if (skb->len > MOST ||
	    sk_wmem_alloc_get(to) >= READ_ONCE(to->sk_sndbuf) || !vif_relay_is_whole(skb) ||
	    skb_cow_head(skb, LL_RESERVED_SPACE(dst->dev) + dst->header_len + header))
		return false;
	skb_set_owner_w(skb, to);
	/* who has sent it may have asked for its times: they are none of our socket's */
	skb_shinfo(skb)->tx_flags = 0;
	skb_shinfo(skb)->tskey = 0;
	skb_set_dst_pending_confirm(skb, 0);
	skb_init_secmark(skb);
	/* pieces of a large packet come one after another, and lead to the next */
	skb_mark_not_on_list(skb);
	skb_scrub_packet(skb, true);
	skb->encapsulation = 0;
	/* it was right; the next one is made by the device, or before it */
	skb->ip_summed = CHECKSUM_NONE;
	skb->mark = READ_ONCE(to->sk_mark);
	skb->priority = READ_ONCE(to->sk_priority);
	return true;
}

static struct udphdr *vif_relay_push_udp(struct sk_buff *skb, __be16 from, __be16 to)
{
	struct udphdr *uh = __skb_push(skb, sizeof(*uh));

	skb_reset_transport_header(skb);
	uh->source = from;
	uh->dest = to;
	uh->len = htons(skb->len);
	return uh;
}

/* As the kernel sends a socket's own. */
static bool vif_relay_may_be_cut(const struct sock *to, const struct sk_buff *skb,
				 const struct dst_entry *dst)
{
	switch (READ_ONCE(inet_sk(to)->pmtudisc)) {
	case IP_PMTUDISC_DO:
	case IP_PMTUDISC_PROBE:
		return false;
	default:
		return skb->len > dst_mtu(dst) || !ip_dont_fragment(to, dst);
	}
}

static bool vif_relay_send4(struct sock *to, struct sk_buff *skb, unsigned int hops)
{
	const struct inet_sock *inet = inet_sk(to);
	struct flowi4 fl;
	struct dst_entry *dst = vif_relay_route4(to, &fl);
	int ttl = READ_ONCE(inet->uc_ttl);
	struct iphdr *ip;

	if (!dst || vif_relay_is_route_to_many(dst) ||
	    !vif_relay_prepare(to, skb, dst, sizeof(*ip))) {
		dst_release(dst);
		return false;
	}
	vif_relay_push_udp(skb, fl.fl4_sport, fl.fl4_dport);
	udp_set_csum(false, skb, fl.saddr, fl.daddr, skb->len);
	ip = __skb_push(skb, sizeof(*ip));
	skb_reset_network_header(skb);
	memset(IPCB(skb), 0, sizeof(*IPCB(skb)));
	*ip = (struct iphdr) {
		.version = 4,
		.ihl = sizeof(*ip) / 4,
		.tos = READ_ONCE(inet->tos),
		.ttl = min_t(unsigned int, ttl < 0 ? ip4_dst_hoplimit(dst) : ttl, hops),
		.protocol = IPPROTO_UDP,
		.saddr = fl.saddr,
		.daddr = fl.daddr,
	};
	skb->ignore_df = ip_sk_ignore_df(to);
	if (!vif_relay_may_be_cut(to, skb, dst))
		ip->frag_off = htons(IP_DF);
	skb_dst_set(skb, dst);
	ip_select_ident(sock_net(to), skb, to);
	vif_incoming_send(sock_net(to), skb, ip_local_out);
	return true;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *vif_relay_route6(struct sock *sk, struct flowi6 *fl)
{
	const struct inet_sock *inet = inet_sk(sk);
	struct ipv6_pinfo *np = inet6_sk(sk);
	struct dst_entry *dst;

	*fl = (struct flowi6) {
		.flowi6_proto = IPPROTO_UDP,
		.flowi6_oif = READ_ONCE(sk->sk_bound_dev_if) ?: READ_ONCE(np->ucast_oif),
		.flowi6_mark = READ_ONCE(sk->sk_mark),
		.flowi6_uid = READ_ONCE(sk->sk_uid),
		.flowlabel = ip6_make_flowinfo(np->tclass, np->flow_label),
		.saddr = np->saddr,
		.daddr = sk->sk_v6_daddr,
		.fl6_sport = READ_ONCE(inet->inet_sport),
		.fl6_dport = READ_ONCE(inet->inet_dport),
	};
	if (!fl->fl6_sport || !fl->fl6_dport || ipv6_addr_any(&fl->daddr) ||
	    ipv6_addr_any(&fl->saddr) ||
	    ipv6_addr_v4mapped(&fl->daddr) || ipv6_addr_is_multicast(&fl->daddr))
		return NULL;
	dst = vif_relay_last_route(sk, READ_ONCE(np->dst_cookie), AF_INET6);
	if (dst)
		return dst;
	security_sk_classify_flow(sk, flowi6_to_flowi_common(fl));
	dst = ip6_dst_lookup_flow(sock_net(sk), sk, fl, NULL);
	if (IS_ERR(dst))
		return NULL;
	WRITE_ONCE(np->dst_cookie, rt6_get_cookie((struct rt6_info *)dst));
	sk_dst_set(sk, dst_clone(dst));
	return dst;
}

static bool vif_relay_send6(struct sock *to, struct sk_buff *skb, unsigned int hops)
{
	const struct ipv6_pinfo *np = inet6_sk(to);
	struct flowi6 fl;
	struct dst_entry *dst = vif_relay_route6(to, &fl);
	int limit = np->hop_limit;
	struct ipv6hdr *ip;

	if (!dst || !vif_relay_prepare(to, skb, dst, sizeof(*ip))) {
		dst_release(dst);
		return false;
	}
	vif_relay_push_udp(skb, fl.fl6_sport, fl.fl6_dport);
	udp6_set_csum(false, skb, &fl.saddr, &fl.daddr, skb->len);
	ip = __skb_push(skb, sizeof(*ip));
	skb_reset_network_header(skb);
	memset(IP6CB(skb), 0, sizeof(*IP6CB(skb)));
	ip6_flow_hdr(ip, np->tclass, np->flow_label & IPV6_FLOWLABEL_MASK);
	ip->payload_len = htons(skb->len - sizeof(*ip));
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = min_t(unsigned int, limit < 0 ? ip6_dst_hoplimit(dst) : limit, hops);
	ip->saddr = fl.saddr;
	ip->daddr = fl.daddr;
	skb->ignore_df = ip6_sk_ignore_df(to);
	skb_dst_set(skb, dst);
	vif_incoming_send(sock_net(to), skb, ip6_local_out);
	return true;
}
#else
static bool vif_relay_send6(struct sock *to, struct sk_buff *skb, unsigned int hops)
{
	return false;
}
#endif

bool vif_relay_is_to_many(struct sock *to)
{
	struct dst_entry *dst;
	struct flowi4 fl;
	bool is;

	if (vif_relay_is_6(to))
		return ipv6_addr_is_multicast(&to->sk_v6_daddr);
	dst = vif_relay_route4(to, &fl);
	is = dst ? vif_relay_is_route_to_many(dst) :
		   ipv4_is_multicast(fl.daddr) || ipv4_is_lbcast(fl.daddr);
	dst_release(dst);
	return is;
}

bool vif_relay_send(struct sock *to, struct sk_buff *skb, unsigned int hops)
{
	return vif_relay_is_6(to) ? vif_relay_send6(to, skb, hops) : vif_relay_send4(to, skb, hops);
}
