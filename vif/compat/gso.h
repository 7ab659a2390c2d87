/* SPDX-License-Identifier: GPL-2.0 */
/* skb_gso_segment() has moved to a header of its own. */
#ifndef NETNICE_COMPAT_GSO_H
#define NETNICE_COMPAT_GSO_H

#include <linux/netdevice.h>
#ifdef HAVE_NET_GSO_H
#include <net/gso.h>
#endif

#endif
