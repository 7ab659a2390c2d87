/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Older kernels set tunnels up for the struct socket, and have the UDP sockets of all namespaces in
 * one table. Later ones have no UDP-Lite.
 */
#ifndef NETNICE_COMPAT_UDP_H
#define NETNICE_COMPAT_UDP_H

#include <net/udp.h>
#include <net/udp_tunnel.h>
#ifdef HAVE_UDPLITE
#include <net/udplite.h>
#define VIF_HAS_UDPLITE	1
#else
#define VIF_HAS_UDPLITE	0
#endif

/* The kernel's UDP looks at it for tunnels until it is closed. Caller holds its file. */
static inline void vif_udp_encap_enable(struct sock *sk)
{
#ifdef HAVE_UDP_ENCAP_SOCKET
	udp_tunnel_encap_enable(sk->sk_socket);
#else
	udp_tunnel_encap_enable(sk);
#endif
}

/* The table of sockets of UDP or UDP-Lite, which may have a namespace's or all; or NULL. */
static inline struct udp_table *vif_udp_table(struct net *net, u8 protocol)
{
#ifdef HAVE_UDPLITE
	if (protocol == IPPROTO_UDPLITE)
		return &udplite_table;
#endif
	if (protocol != IPPROTO_UDP)
		return NULL;
#ifdef HAVE_NET_UDP_TABLE
	return net->ipv4.udp_table;
#else
	return &udp_table;
#endif
}

/* The socket of UDP-Lite that a datagram is for, valid under rcu_read_lock(), or NULL. */
static inline struct sock *
vif_udplite4_lookup(struct net *net, __be32 remote, __be16 rport, __be32 local, __be16 lport,
		    int dif, int sdif)
{
#ifdef HAVE_UDPLITE
	return __udp4_lib_lookup(net, remote, rport, local, lport, dif, sdif, &udplite_table, NULL);
#else
	return NULL;
#endif
}

#if IS_ENABLED(CONFIG_IPV6)
/* As above. */
static inline struct sock *
vif_udplite6_lookup(struct net *net, const struct in6_addr *remote, __be16 rport,
		    const struct in6_addr *local, __be16 lport, int dif, int sdif)
{
#ifdef HAVE_UDPLITE
	return __udp6_lib_lookup(net, remote, rport, local, lport, dif, sdif, &udplite_table, NULL);
#else
	return NULL;
#endif
}
#endif

#endif
