/* SPDX-License-Identifier: GPL-2.0 */
/* Tunnels of UDP: what they are set up for has been the struct socket. */
#ifndef NETNICE_COMPAT_UDP_H
#define NETNICE_COMPAT_UDP_H

#include <net/udp_tunnel.h>

/* The kernel's UDP looks at it for tunnels until it is closed. Caller holds its file. */
static inline void vif_udp_encap_enable(struct sock *sk)
{
#ifdef HAVE_UDP_ENCAP_SOCKET
	udp_tunnel_encap_enable(sk->sk_socket);
#else
	udp_tunnel_encap_enable(sk);
#endif
}

#endif
