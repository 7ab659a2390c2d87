// SPDX-License-Identifier: GPL-2.0
#include "owner.h"

#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <net/inet_sock.h>
#include <net/ipv6.h>
#include <net/netfilter/nf_conntrack_tuple.h>
#include <net/tcp.h>

#include "../attach/classify.h"
#include "../attach/sk_lookup.h"
#include "../queue/ip.h"
#include "../tree/program.h"

/* States in which the other end has answered. */
#define ANSWERED	(TCPF_ESTABLISHED | TCPF_FIN_WAIT1 | TCPF_FIN_WAIT2 | TCPF_CLOSING | \
			 TCPF_CLOSE_WAIT | TCPF_LAST_ACK)

static u32 vif_owner_user_of(const struct sock *sk)
{
	return vif_program_user(READ_ONCE(sk->sk_uid));
}

u32 vif_owner_sent(const struct sk_buff *skb)
{
	const struct sock *sk = vif_classify_sender(skb);

	return sk && vif_classify_is_full(sk) && vif_classify_is_here(skb, sk) ?
		       vif_owner_user_of(sk) :
		       0;
}

bool vif_owner_is_plain(const struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;
	const __be16 *port;
	int offset;
	u8 protocol;
	__be16 buf;

	offset = vif_ip_skip(skb, skb_network_offset(skb), skb->protocol, &protocol);
	if (offset == VIF_IP_NOWHERE || protocol != sk->sk_protocol || skb->encapsulation ||
	    vif_classify_is_translated(skb))
		return false;
	if (!vif_ip_has_ports(protocol))
		return true;
	port = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	return port && ntohs(*port) == sk->sk_num;
}

/* Window sizes are used within these bounds: a user could announce any size. */
#define WINDOW_LEAST	(1U << 16)
#define WINDOW_MOST	(1U << 20)

/*
 * Does a segment belong to this connection, not to a later one with the same addresses and ports?
 * Both numbers must match this connection; another one matches by a chance of one to a million.
 */
static bool vif_owner_is_in_window(const struct sk_buff *skb, int offset, const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	const struct tcphdr *th;
	struct tcphdr buf;
	u32 next, window;

	th = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!th || !th->ack)
		return false;
	next = READ_ONCE(tp->rcv_nxt);
	window = clamp(READ_ONCE(tp->rcv_wnd), WINDOW_LEAST, WINDOW_MOST);
	if (!between(ntohl(th->seq), next - window, next + window))
		return false;
	window = clamp(READ_ONCE(tp->max_window), WINDOW_LEAST, WINDOW_MOST);
	/*
	 * an answer may arrive before the sending call has updated snd_nxt
	 */
	return between(ntohl(th->ack_seq), READ_ONCE(tp->snd_una) - window, READ_ONCE(tp->write_seq));
}

static bool vif_owner_is_by_ports(const struct sk_buff *skb, const struct vif_ip *ip,
				   const struct sock *sk)
{
	__be16 ports[2];

	return vif_ip_ports(skb, ip, ports) && ports[0] == sk->sk_dport &&
	       ntohs(ports[1]) == sk->sk_num;
}

static bool vif_owner_is_by_addresses(const struct vif_ip *ip, const struct sock *sk)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (ip->family == AF_INET6)
		return ipv6_addr_equal(&ip->saddr.in6, &sk->sk_v6_daddr) &&
		       ipv6_addr_equal(&ip->daddr.in6, &sk->sk_v6_rcv_saddr);
#endif
	return ip->family == AF_INET && ip->saddr.ip == sk->sk_daddr &&
	       ip->daddr.ip == sk->sk_rcv_saddr;
}

/* After an exact match: does it belong to the socket, or is it translated, for another one? */
enum vif_program_whose { SOCKETS, OTHERS, UNKNOWN };

static enum vif_program_whose vif_owner_whose_is(const struct sk_buff *skb, const struct sock *sk)
{
#if IS_ENABLED(CONFIG_NF_NAT)
	struct nf_conntrack_tuple answer;

	if (!rcu_access_pointer(nf_nat_hook))
		return SOCKETS;
	if (!vif_sk_lookup_answer(skb, &answer))
		return UNKNOWN;
	return answer.src.u3.ip == sk->sk_rcv_saddr && answer.dst.u3.ip == sk->sk_daddr &&
	       ntohs(answer.src.u.all) == sk->sk_num && answer.dst.u.all == sk->sk_dport ?
	       SOCKETS : OTHERS;
#else
	return SOCKETS;
#endif
}

static bool vif_owner_is_own(struct net *net, const struct sk_buff *skb, const struct sock *sk)
{
	unsigned char state = READ_ONCE(sk->sk_state);
	struct vif_ip ip;
	bool tcp;

	/* other sockets are not a complete struct sock */
	if (!vif_classify_is_full(sk) || !vif_sk_lookup_ends_here(skb))
		return false;
	tcp = sk_is_tcp(sk);
	if (!(tcp ? (1 << state) & (ANSWERED | TCPF_SYN_SENT) : state == TCP_ESTABLISHED))
		return false;
	if (!vif_ip_of(skb, &ip) || ip.protocol != sk->sk_protocol ||
	    !vif_owner_is_by_addresses(&ip, sk) || !vif_owner_is_by_ports(skb, &ip, sk))
		return false;
	if (tcp && state != TCP_SYN_SENT)
		return vif_owner_is_in_window(skb, ip.transport, sk) &&
		       vif_owner_whose_is(skb, sk) != OTHERS;
	return vif_owner_whose_is(skb, sk) == SOCKETS && vif_sk_lookup_is_local(net, skb);
}

u32 vif_owner_received(struct net *net, const struct sk_buff *skb, const struct sock *sk)
{
	return vif_owner_is_own(net, skb, sk) ? vif_owner_user_of(sk) : 0;
}
