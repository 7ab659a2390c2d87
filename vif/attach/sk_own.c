// SPDX-License-Identifier: GPL-2.0
#include "sk_own.h"

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <net/inet_sock.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/netfilter/nf_conntrack_tuple.h>
#include <net/tcp_states.h>

#include "classify.h"
#include "sk_lookup.h"

/* States in which the other end has answered. */
#define ANSWERED	(TCPF_ESTABLISHED | TCPF_FIN_WAIT1 | TCPF_FIN_WAIT2 | TCPF_CLOSING | \
			 TCPF_CLOSE_WAIT | TCPF_LAST_ACK)

static u32 number_of(const struct sock *sk)
{
	return vif_sk_own_number(READ_ONCE(sk->sk_uid));
}

u32 vif_sk_own_sent(const struct sk_buff *skb)
{
	const struct sock *sk = vif_classify_sender(skb);

	return sk && vif_classify_is_full(sk) && vif_classify_is_here(skb, sk) ? number_of(sk) : 0;
}

static bool is_by_ports(const struct sk_buff *skb, int offset, const struct sock *sk)
{
	const __be16 *port;
	__be16 buf[2];

	port = skb_header_pointer(skb, offset, sizeof(buf), buf);
	return port && port[0] == sk->sk_dport && ntohs(port[1]) == sk->sk_num;
}

static bool is_exact4(const struct sk_buff *skb, const struct sock *sk)
{
	int offset = skb_network_offset(skb);
	const struct iphdr *ip;
	struct iphdr buf;

	ip = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	return ip && ip->protocol == sk->sk_protocol && !(ip->frag_off & htons(IP_OFFSET)) &&
	       ip->saddr == sk->sk_daddr && ip->daddr == sk->sk_rcv_saddr &&
	       is_by_ports(skb, offset + ip->ihl * 4, sk);
}

#if IS_ENABLED(CONFIG_IPV6)
static bool is_exact6(const struct sk_buff *skb, const struct sock *sk)
{
	int offset = skb_network_offset(skb);
	const struct ipv6hdr *ip;
	struct ipv6hdr buf;
	__be16 fragment;
	u8 protocol;

	ip = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!ip || !ipv6_addr_equal(&ip->saddr, &sk->sk_v6_daddr) ||
	    !ipv6_addr_equal(&ip->daddr, &sk->sk_v6_rcv_saddr))
		return false;
	protocol = ip->nexthdr;
	offset = ipv6_skip_exthdr(skb, offset + sizeof(*ip), &protocol, &fragment);
	return offset >= 0 && protocol == sk->sk_protocol &&
	       !(fragment & htons(IP6_OFFSET)) && is_by_ports(skb, offset, sk);
}
#else
static bool is_exact6(const struct sk_buff *skb, const struct sock *sk)
{
	return false;
}
#endif

/* Of what is exact: can it be nobody else's, as nothing is translated? */
static bool is_untranslated(const struct sk_buff *skb, const struct sock *sk)
{
#if IS_ENABLED(CONFIG_NF_NAT)
	struct nf_conntrack_tuple answer;

	if (!rcu_access_pointer(nf_nat_hook))
		return true;
	/* what is asked knows IPv4 alone; of a flow's first packet it does not say what it will be */
	return skb->protocol == htons(ETH_P_IP) && nf_ct_get_tuple_skb(&answer, skb) &&
	       answer.src.u3.ip == sk->sk_rcv_saddr && answer.dst.u3.ip == sk->sk_daddr &&
	       ntohs(answer.src.u.all) == sk->sk_num && answer.dst.u.all == sk->sk_dport;
#else
	return true;
#endif
}

static bool is_own(struct net *net, const struct sk_buff *skb, const struct sock *sk)
{
	unsigned char state = READ_ONCE(sk->sk_state);
	bool tcp;

	/* others are no whole struct sock */
	if (!vif_classify_is_full(sk))
		return false;
	tcp = sk_is_tcp(sk);
	if (!(tcp ? (1 << state) & (ANSWERED | TCPF_SYN_SENT) : state == TCP_ESTABLISHED))
		return false;
	if (!(skb->protocol == htons(ETH_P_IP) ? is_exact4(skb, sk) :
	      skb->protocol == htons(ETH_P_IPV6) && is_exact6(skb, sk)))
		return false;
	return (tcp && state != TCP_SYN_SENT) ||
	       (vif_sk_lookup_is_local(net, skb) && is_untranslated(skb, sk));
}

u32 vif_sk_own_received(struct net *net, const struct sk_buff *skb, const struct sock *sk)
{
	return is_own(net, skb, sk) ? number_of(sk) : 0;
}
