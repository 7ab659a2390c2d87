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

#include "../attach/task.h"

/* The most that fits, with a header of IPv4 before it. */
#define MOST	(IP_MAX_MTU - sizeof(struct iphdr) - sizeof(struct udphdr))

static bool is_6(const struct sock *sk)
{
#if IS_ENABLED(CONFIG_IPV6)
	return sk->sk_family == AF_INET6 && !ipv6_addr_v4mapped(&sk->sk_v6_daddr);
#else
	return false;
#endif
}

/* The one that the socket has sent by last, referenced, or NULL: it may have connected elsewhere. */
static struct dst_entry *last_route(struct sock *sk, u32 cookie, int family)
{
	struct dst_entry *dst = sk_dst_check(sk, cookie);

	if (!dst || dst->ops->family == family)
		return dst;
	dst_release(dst);
	return NULL;
}

static struct dst_entry *route4(struct sock *sk)
{
	const struct inet_sock *inet = inet_sk(sk);
	struct dst_entry *dst = last_route(sk, 0, AF_INET);
	struct flowi4 fl;
	struct rtable *rt;

	if (dst)
		return dst;
	rt = ip_route_output_ports(sock_net(sk), &fl, sk, inet->inet_daddr, inet->inet_saddr,
				   inet->inet_dport, inet->inet_sport, IPPROTO_UDP,
				   READ_ONCE(inet->tos) & INET_DSCP_MASK,
				   READ_ONCE(sk->sk_bound_dev_if));
	if (IS_ERR(rt))
		return NULL;
	sk_dst_set(sk, dst_clone(&rt->dst));
	return &rt->dst;
}

static bool is_route_to_many(const struct dst_entry *dst)
{
	return ((const struct rtable *)dst)->rt_flags & (RTCF_BROADCAST | RTCF_MULTICAST);
}

/*
 * Who writes to a tap receives what he has written himself, and is not to pass for the socket's
 * user: see vif_classify_is_current(). It is cut by nobody then: the pieces would be his.
 */
static bool set_owner(struct sock *to, struct sk_buff *skb, const struct dst_entry *dst,
		      unsigned int headers)
{
	if (!vif_task_is_acting()) {
		if (sk_wmem_alloc_get(to) >= READ_ONCE(to->sk_sndbuf))
			return false;
		skb_set_owner_w(skb, to);
		return true;
	}
	if (skb->len + headers > dst_mtu(dst))
		return false;
	skb_orphan(skb);
	sock_hold(to);
	skb->sk = to;
	skb->destructor = sock_efree;
	return true;
}

/* What is the packet's by how it has come is not by how it goes. */
static bool prepare(struct sock *to, struct sk_buff *skb, const struct dst_entry *dst,
		    unsigned int header)
{
	header += sizeof(struct udphdr);
	skb_clear_hash(skb);
	__skb_pull(skb, sizeof(struct udphdr));
	if (skb->len > MOST ||
	    skb_cow_head(skb, LL_RESERVED_SPACE(dst->dev) + dst->header_len + header) ||
	    !set_owner(to, skb, dst, header))
		return false;
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

static struct udphdr *push_udp(struct sk_buff *skb, const struct inet_sock *inet)
{
	struct udphdr *uh = __skb_push(skb, sizeof(*uh));

	skb_reset_transport_header(skb);
	uh->source = inet->inet_sport;
	uh->dest = inet->inet_dport;
	uh->len = htons(skb->len);
	return uh;
}

/* The route is the packet's then, if it returns true. */
static bool send4(struct sock *to, struct sk_buff *skb, struct dst_entry *dst, unsigned int hops)
{
	const struct inet_sock *inet = inet_sk(to);
	const __be32 from = inet->inet_saddr, at = inet->inet_daddr;
	int ttl = READ_ONCE(inet->uc_ttl);
	struct iphdr *ip;

	if (is_route_to_many(dst) || !prepare(to, skb, dst, sizeof(*ip)))
		return false;
	push_udp(skb, inet);
	udp_set_csum(false, skb, from, at, skb->len);
	ip = __skb_push(skb, sizeof(*ip));
	skb_reset_network_header(skb);
	memset(IPCB(skb), 0, sizeof(*IPCB(skb)));
	*ip = (struct iphdr) {
		.version = 4,
		.ihl = sizeof(*ip) / 4,
		.tos = READ_ONCE(inet->tos),
		.ttl = min_t(unsigned int, ttl < 0 ? ip4_dst_hoplimit(dst) : ttl, hops),
		.protocol = IPPROTO_UDP,
		.saddr = from,
		.daddr = at,
	};
	skb->ignore_df = ip_sk_ignore_df(to);
	if (ip_dont_fragment(to, dst) && (skb->len <= dst_mtu(dst) || !skb->ignore_df))
		ip->frag_off = htons(IP_DF);
	skb_dst_set(skb, dst);
	ip_select_ident(sock_net(to), skb, to);
	ip_local_out(sock_net(to), to, skb);
	return true;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *route6(struct sock *sk)
{
	const struct inet_sock *inet = inet_sk(sk);
	struct ipv6_pinfo *np = inet6_sk(sk);
	struct dst_entry *dst = last_route(sk, READ_ONCE(np->dst_cookie), AF_INET6);
	struct flowi6 fl = {
		.flowi6_proto = IPPROTO_UDP,
		.flowi6_oif = READ_ONCE(sk->sk_bound_dev_if),
		.flowi6_mark = READ_ONCE(sk->sk_mark),
		.flowi6_uid = READ_ONCE(sk->sk_uid),
		.flowlabel = np->flow_label,
		.saddr = np->saddr,
		.daddr = sk->sk_v6_daddr,
		.fl6_sport = inet->inet_sport,
		.fl6_dport = inet->inet_dport,
	};

	if (dst)
		return dst;
	security_sk_classify_flow(sk, flowi6_to_flowi_common(&fl));
	dst = ip6_dst_lookup_flow(sock_net(sk), sk, &fl, NULL);
	if (IS_ERR(dst))
		return NULL;
	WRITE_ONCE(np->dst_cookie, rt6_get_cookie((struct rt6_info *)dst));
	sk_dst_set(sk, dst_clone(dst));
	return dst;
}

static bool send6(struct sock *to, struct sk_buff *skb, struct dst_entry *dst, unsigned int hops)
{
	const struct ipv6_pinfo *np = inet6_sk(to);
	const struct in6_addr from = np->saddr, at = to->sk_v6_daddr;
	int limit = np->hop_limit;
	struct ipv6hdr *ip;

	if (ipv6_addr_is_multicast(&at) || !prepare(to, skb, dst, sizeof(*ip)))
		return false;
	push_udp(skb, inet_sk(to));
	udp6_set_csum(false, skb, &from, &at, skb->len);
	ip = __skb_push(skb, sizeof(*ip));
	skb_reset_network_header(skb);
	memset(IP6CB(skb), 0, sizeof(*IP6CB(skb)));
	ip6_flow_hdr(ip, np->tclass, np->flow_label & IPV6_FLOWLABEL_MASK);
	ip->payload_len = htons(skb->len - sizeof(*ip));
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = min_t(unsigned int, limit < 0 ? ip6_dst_hoplimit(dst) : limit, hops);
	ip->saddr = from;
	ip->daddr = at;
	skb->ignore_df = ip6_sk_ignore_df(to);
	skb_dst_set(skb, dst);
	ip6_local_out(sock_net(to), to, skb);
	return true;
}
#else
static struct dst_entry *route6(struct sock *sk)
{
	return NULL;
}

static bool send6(struct sock *to, struct sk_buff *skb, struct dst_entry *dst, unsigned int hops)
{
	return false;
}
#endif

bool vif_relay_is_to_many(struct sock *to)
{
	struct dst_entry *dst;
	bool is;

	if (is_6(to))
		return ipv6_addr_is_multicast(&to->sk_v6_daddr);
	dst = route4(to);
	is = dst && is_route_to_many(dst);
	dst_release(dst);
	return is;
}

bool vif_relay_send(struct sock *to, struct sk_buff *skb, unsigned int hops)
{
	const bool six = is_6(to);
	struct dst_entry *dst = six ? route6(to) : route4(to);

	if (!dst)
		return false;
	if (six ? send6(to, skb, dst, hops) : send4(to, skb, dst, hops))
		return true;
	dst_release(dst);
	return false;
}
