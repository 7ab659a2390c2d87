// SPDX-License-Identifier: GPL-2.0
/* A socket as text, for its own directory and for the file "sockets" of a VIF. */
#include <linux/seq_file.h>
#include <net/inet_sock.h>
#include <net/tcp_states.h>

#include "../vif/attach/sock_cookie.h"
#include "internal.h"

#define ADDRESS_SIZE	64

static const char *nnfs_sockinfo_protocol(const struct sock *sk)
{
	if (sk->sk_family == AF_PACKET)
		return "packet";
	if (sk->sk_type == SOCK_RAW)
		return "raw";
	switch (sk->sk_protocol) {
	case IPPROTO_TCP:
		return "tcp";
	case IPPROTO_UDP:
		return "udp";
	case IPPROTO_UDPLITE:
		return "udplite";
	case IPPROTO_SCTP:
		return "sctp";
	case IPPROTO_DCCP:
		return "dccp";
	case IPPROTO_MPTCP:
		return "mptcp";
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		return "icmp";
	default:
		return "other";
	}
}

static const char *nnfs_sockinfo_state(const struct sock *sk)
{
	static const char *const names[] = {
		[TCP_ESTABLISHED] = "established",
		[TCP_SYN_SENT] = "syn-sent",
		[TCP_SYN_RECV] = "syn-recv",
		[TCP_FIN_WAIT1] = "fin-wait-1",
		[TCP_FIN_WAIT2] = "fin-wait-2",
		[TCP_TIME_WAIT] = "time-wait",
		[TCP_CLOSE] = "closed",
		[TCP_CLOSE_WAIT] = "close-wait",
		[TCP_LAST_ACK] = "last-ack",
		[TCP_LISTEN] = "listening",
		[TCP_CLOSING] = "closing",
		[TCP_NEW_SYN_RECV] = "syn-recv",
	};
	unsigned int nr = READ_ONCE(sk->sk_state);

	return nr < ARRAY_SIZE(names) && names[nr] ? names[nr] : "other";
}

static void nnfs_sockinfo_print_inet(char *text, __be32 addr, u16 port)
{
	snprintf(text, ADDRESS_SIZE, "%pI4:%u", &addr, port);
}

static void nnfs_sockinfo_print_inet6(char *text, const struct in6_addr *addr, u16 port)
{
	snprintf(text, ADDRESS_SIZE, "[%pI6c]:%u", addr, port);
}

static void nnfs_sockinfo_print_addresses(const struct sock *sk, char *local, char *remote)
{
	const struct inet_sock *inet = inet_sk(sk);

	if (sk->sk_family == AF_INET) {
		nnfs_sockinfo_print_inet(local, inet->inet_rcv_saddr, inet->inet_num);
		nnfs_sockinfo_print_inet(remote, inet->inet_daddr, ntohs(inet->inet_dport));
#if IS_ENABLED(CONFIG_IPV6)
	} else if (sk->sk_family == AF_INET6) {
		nnfs_sockinfo_print_inet6(local, &sk->sk_v6_rcv_saddr, inet->inet_num);
		nnfs_sockinfo_print_inet6(remote, &sk->sk_v6_daddr, ntohs(inet->inet_dport));
#endif
	} else {
		strscpy(local, "*", ADDRESS_SIZE);
		strscpy(remote, "*", ADDRESS_SIZE);
	}
}

void nnfs_sockinfo_show(struct seq_file *seq, struct sock *sk)
{
	char local[ADDRESS_SIZE], remote[ADDRESS_SIZE];

	nnfs_sockinfo_print_addresses(sk, local, remote);
	seq_printf(seq, "protocol %s\nstate %s\nlocal %s\nremote %s\ncookie %llx\n",
		   nnfs_sockinfo_protocol(sk), nnfs_sockinfo_state(sk), local, remote,
		   vif_sock_cookie(sk));
}

void nnfs_sockinfo_line(struct seq_file *seq, struct sock *sk)
{
	char local[ADDRESS_SIZE], remote[ADDRESS_SIZE];

	nnfs_sockinfo_print_addresses(sk, local, remote);
	seq_printf(seq, "%llx %s %s %s\n", vif_sock_cookie(sk), nnfs_sockinfo_protocol(sk),
		   local, remote);
}
