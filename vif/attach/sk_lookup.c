// SPDX-License-Identifier: GPL-2.0
#include "sk_lookup.h"

#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/netfilter/nf_socket.h>
#include <net/route.h>
#include <net/sock.h>

#include "../compat/inet.h"
#include "inner.h"
#include "port.h"

static bool ipv4_ok(struct sk_buff *skb)
{
	const struct iphdr *ip;

	if (!pskb_may_pull(skb, sizeof(*ip)))
		return false;
	ip = ip_hdr(skb);
	return ip->version == 4 && ip->ihl >= 5 &&
	       !(ip->frag_off & htons(IP_OFFSET)) &&
	       pskb_may_pull(skb, ip->ihl * 4);
}

/* What follows a later fragment's header is data, not ports. */
static bool ipv6_ok(struct sk_buff *skb)
{
	const struct frag_hdr *fh;
	struct frag_hdr buf;

	if (!pskb_may_pull(skb, sizeof(struct ipv6hdr)) ||
	    ipv6_hdr(skb)->version != 6)
		return false;
	if (ipv6_hdr(skb)->nexthdr != NEXTHDR_FRAGMENT)
		return true;
	fh = skb_header_pointer(skb, sizeof(struct ipv6hdr), sizeof(buf), &buf);
	return fh && !(fh->frag_off & htons(~0x7));
}

static __always_inline struct sock *lookup(struct net *net, struct sk_buff *skb)
{
	if (skb->protocol == htons(ETH_P_IP) && ipv4_ok(skb))
		return nf_sk_lookup_slow_v4(net, skb, skb->dev);
	if (skb->protocol == htons(ETH_P_IPV6) && ipv6_ok(skb))
		return nf_sk_lookup_slow_v6(net, skb, skb->dev);
	return NULL;
}

#if IS_ENABLED(CONFIG_IPV6)
/* By a route, too: somebody may have a whole prefix. */
static bool is_local6(struct net *net, const struct in6_addr *address)
{
	struct rt6_info *rt;
	bool local;

	if (ipv6_chk_addr(net, address, NULL, 0))
		return true;
	rt = rt6_lookup(net, address, NULL, 0, NULL, 0);
	local = rt && (rt->rt6i_flags & RTF_LOCAL);
	ip6_rt_put(rt);
	return local;
}
#endif

bool vif_sk_lookup_is_local(struct net *net, const struct sk_buff *skb)
{
	int offset = skb_network_offset(skb);
	const struct iphdr *ip;
	struct iphdr ip_buf;
#if IS_ENABLED(CONFIG_IPV6)
	const struct ipv6hdr *ip6;
	struct ipv6hdr ip6_buf;

	if (skb->protocol == htons(ETH_P_IPV6)) {
		ip6 = skb_header_pointer(skb, offset, sizeof(ip6_buf), &ip6_buf);
		return ip6 && is_local6(net, &ip6->daddr);
	}
#endif
	if (skb->protocol != htons(ETH_P_IP))
		return false;
	ip = skb_header_pointer(skb, offset, sizeof(ip_buf), &ip_buf);
	return ip && inet_addr_type_dev_table(net, skb->dev, ip->daddr) == RTN_LOCAL;
}

/* May what is for somebody else come by? Else a packet that is not for us goes nowhere. */
static inline bool passes_on(struct net *net, const struct sk_buff *skb)
{
	struct in_device *in_dev = __in_dev_get_rcu(skb->dev);

	return skb->pkt_type == PACKET_OTHERHOST || IPV4_DEVCONF_ALL(net, FORWARDING) ||
	       (in_dev && IN_DEV_FORWARD(in_dev));
}

#if IS_ENABLED(CONFIG_IPV6)
static inline bool passes_on6(const struct net *net, const struct sk_buff *skb)
{
	const struct inet6_dev *in6_dev = __in6_dev_get(skb->dev);

	return skb->pkt_type == PACKET_OTHERHOST ||
	       READ_ONCE(net->ipv6.devconf_all->forwarding) ||
	       (in6_dev && READ_ONCE(in6_dev->cnf.forwarding));
}
#endif

static noinline bool is_anothers(struct net *net, const struct sk_buff *skb)
{
	/* what is for many is for us, too */
	if (skb->protocol == htons(ETH_P_IPV6))
		return !ipv6_addr_is_multicast(&ipv6_hdr(skb)->daddr) &&
		       !vif_sk_lookup_is_local(net, skb);
	return inet_addr_type_dev_table(net, skb->dev, ip_hdr(skb)->daddr) == RTN_UNICAST;
}

/*
 * The lookup knows no addresses but a socket's own: one of all addresses it finds for what is
 * only passed on, too.
 */
static inline bool is_for(struct net *net, const struct sk_buff *skb, const struct sock *sk)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (skb->protocol == htons(ETH_P_IPV6))
		return !ipv6_addr_any(&sk->sk_v6_rcv_saddr) || !passes_on6(net, skb) ||
		       !is_anothers(net, skb);
#endif
	return sk->sk_rcv_saddr || !passes_on(net, skb) || !is_anothers(net, skb);
}

/*
 * For whom is what is inside, if anybody: of a tunnel's packet; else @sk. What connection
 * tracking says is of the outer one.
 */
static struct sock *lookup_inner(struct net *net, struct sk_buff *skb,
					  struct sock *sk)
{
	__be16 inner_protocol, protocol = skb->protocol;
	struct sock *inner = NULL;
	unsigned int offset;

	if (skb_nfct(skb))
		return sk;
	offset = vif_inner_find(skb, &inner_protocol);
	if (!offset || !pskb_may_pull(skb, offset))
		return sk;
	__skb_pull(skb, offset);
	skb_reset_network_header(skb);
	skb->protocol = inner_protocol;
	if (vif_sk_lookup_is_local(net, skb))
		inner = lookup(net, skb);
	skb->protocol = protocol;
	__skb_push(skb, offset);
	skb_reset_network_header(skb);
	if (inner && sk)
		sock_gen_put(sk);
	return inner ?: sk;
}

/* No socket that the kernel would give it to: a stack's, which is in no table, or inside of it. */
static noinline struct sock *lookup_more(struct net *net, struct sk_buff *skb, struct sock *sk)
{
	const struct vif_port *port = NULL;

	if (!sk)
		port = vif_port_of(net, skb);
	if (port && vif_sk_lookup_is_local(net, skb) &&
	    refcount_inc_not_zero(&port->sk->sk_refcnt))
		return port->sk;
	return lookup_inner(net, skb, sk);
}

struct sock *vif_sk_lookup_received(struct net *net, struct sk_buff *skb)
{
	struct sock *sk;

	/* headers can not be pulled while somebody else looks at them */
	if (skb_shared(skb))
		return NULL;
	sk = lookup(net, skb);
	if (unlikely(sk && !is_for(net, skb, sk))) {
		sock_gen_put(sk);
		sk = NULL;
	}
	/* a tunnel has none, or one of the kernel's own */
	return sk && sk->sk_net_refcnt ? sk : lookup_more(net, skb, sk);
}

/* A listener comes without a reference. */
static struct sock *hold(struct sock *sk)
{
	return sk && refcount_inc_not_zero(&sk->sk_refcnt) ? sk : NULL;
}

static struct sock *reply4(struct net *net, const struct sk_buff *skb)
{
	int offset = skb_network_offset(skb), ifindex = skb->dev->ifindex;
	const struct iphdr *ip;
	const struct tcphdr *th;
	struct iphdr ip_buf;
	struct tcphdr th_buf;
	struct sock *sk;

	ip = skb_header_pointer(skb, offset, sizeof(ip_buf), &ip_buf);
	if (!ip || ip->protocol != IPPROTO_TCP ||
	    ip->frag_off & htons(IP_OFFSET))
		return NULL;
	th = skb_header_pointer(skb, offset + ip->ihl * 4, sizeof(th_buf),
				&th_buf);
	if (!th)
		return NULL;
	sk = vif_tcp4_established(net, ip->daddr, th->dest, ip->saddr,
				  ntohs(th->source), ifindex);
	if (!sk && th->syn && th->ack)
		sk = hold(vif_tcp4_listener(net, ip->daddr, th->dest, ip->saddr,
					    ntohs(th->source), ifindex));
	return sk;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct sock *reply6(struct net *net, const struct sk_buff *skb)
{
	int offset = skb_network_offset(skb), ifindex = skb->dev->ifindex;
	const struct ipv6hdr *ip;
	const struct tcphdr *th;
	struct ipv6hdr ip_buf;
	struct tcphdr th_buf;
	struct sock *sk;

	ip = skb_header_pointer(skb, offset, sizeof(ip_buf), &ip_buf);
	if (!ip || ip->nexthdr != IPPROTO_TCP)
		return NULL;
	th = skb_header_pointer(skb, offset + sizeof(*ip), sizeof(th_buf),
				&th_buf);
	if (!th)
		return NULL;
	sk = vif_tcp6_established(net, &ip->daddr, th->dest, &ip->saddr,
				  ntohs(th->source), ifindex);
	if (!sk && th->syn && th->ack)
		sk = hold(vif_tcp6_listener(net, &ip->daddr, th->dest, &ip->saddr,
					    ntohs(th->source), ifindex));
	return sk;
}
#else
static struct sock *reply6(struct net *net, const struct sk_buff *skb)
{
	return NULL;
}
#endif

struct sock *vif_sk_lookup_reply(struct net *net, const struct sk_buff *skb)
{
	switch (skb->protocol) {
	case htons(ETH_P_IP):
		return reply4(net, skb);
	case htons(ETH_P_IPV6):
		return reply6(net, skb);
	default:
		return NULL;
	}
}

struct sock *vif_sk_lookup_listener(const struct sock *sk)
{
	int ifindex = READ_ONCE(sk->sk_bound_dev_if);

	if (sk->sk_family == AF_INET)
		return vif_tcp4_listener(sock_net(sk), sk->sk_daddr,
					 sk->sk_dport, sk->sk_rcv_saddr,
					 sk->sk_num, ifindex);
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6)
		return vif_tcp6_listener(sock_net(sk), &sk->sk_v6_daddr,
					 sk->sk_dport, &sk->sk_v6_rcv_saddr,
					 sk->sk_num, ifindex);
#endif
	return NULL;
}

bool vif_sk_lookup_first_fragment(const struct sk_buff *skb)
{
	switch (skb->protocol) {
	case htons(ETH_P_IP):
		return ip_hdr(skb)->frag_off & htons(IP_MF);
	case htons(ETH_P_IPV6):
		return ipv6_hdr(skb)->nexthdr == NEXTHDR_FRAGMENT;
	default:
		return false;
	}
}
