/* SPDX-License-Identifier: GPL-2.0 */
/*
 * skb_gso_segment() has moved to a header of its own. Older kernels give packets of BIG TCP an IPv6
 * hop-by-hop header, which segmentation removes; later kernels do not.
 */
#ifndef NETNICE_COMPAT_GSO_H
#define NETNICE_COMPAT_GSO_H

#include <linux/netdevice.h>
#ifdef HAVE_NET_GSO_H
#include <net/gso.h>
#endif
#include <net/ipv6.h>

/* Return the bytes of that header, 0 if there is none. */
static inline unsigned int vif_gso_jumbo_bytes(const struct sk_buff *skb)
{
#ifdef HAVE_IPV6_HOPOPT_JUMBO
	if (ipv6_has_hopopt_jumbo(skb))
		return sizeof(struct hop_jumbo_hdr);
#endif
	return 0;
}

#endif
