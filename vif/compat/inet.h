/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Later kernels look TCP sockets up without naming the hash table, which is the namespace's in any
 * case. The lookup takes a reference, for sock_gen_put(), but not on listeners. Options of sockets
 * have become bits.
 */
#ifndef NETNICE_COMPAT_INET_H
#define NETNICE_COMPAT_INET_H

#include <net/inet_hashtables.h>
#include <net/inet6_hashtables.h>

#ifdef HAVE_INET_LOOKUP_HASHINFO
#define VIF_TCP_TABLE(net)	net, net->ipv4.tcp_death_row.hashinfo
#else
#define VIF_TCP_TABLE(net)	net
#endif

static inline struct sock *
vif_tcp4_established(struct net *net, __be32 remote, __be16 rport,
		     __be32 local, u16 lport, int dif, int sdif)
{
	return __inet_lookup_established(VIF_TCP_TABLE(net), remote, rport,
					 local, lport, dif, sdif);
}

static inline struct sock *
vif_tcp4_listener(struct net *net, __be32 remote, __be16 rport, __be32 local,
		  u16 lport, int dif, int sdif)
{
	return __inet_lookup_listener(VIF_TCP_TABLE(net), NULL, 0, remote,
				      rport, local, lport, dif, sdif);
}

#if IS_ENABLED(CONFIG_IPV6)
static inline struct sock *
vif_tcp6_established(struct net *net, const struct in6_addr *remote,
		     __be16 rport, const struct in6_addr *local, u16 lport,
		     int dif, int sdif)
{
	return __inet6_lookup_established(VIF_TCP_TABLE(net), remote, rport,
					  local, lport, dif, sdif);
}

static inline struct sock *
vif_tcp6_listener(struct net *net, const struct in6_addr *remote, __be16 rport,
		  const struct in6_addr *local, u16 lport, int dif, int sdif)
{
	return inet6_lookup_listener(VIF_TCP_TABLE(net), NULL, 0, remote, rport,
				     local, lport, dif, sdif);
}

/* IPV6_MULTICAST_ALL, which is set by default. */
static inline bool vif_inet6_takes_all(const struct sock *sk)
{
#ifdef inet6_test_bit
	return inet6_test_bit(MC6_ALL, sk);
#else
	return inet6_sk(sk)->mc_all;
#endif
}
#endif

/* IP_MULTICAST_ALL, which is set by default. */
static inline bool vif_inet_takes_all(const struct sock *sk)
{
#ifdef inet_test_bit
	return inet_test_bit(MC_ALL, sk);
#else
	return inet_sk(sk)->mc_all;
#endif
}

#endif
