/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Older kernels can not choose among the listeners of a multicast group: there it is
 * for administrators only, and where that can not be had either, nobody is told.
 */
#ifndef NETNICE_COMPAT_NETLINK_H
#define NETNICE_COMPAT_NETLINK_H

#include <net/genetlink.h>

#ifdef HAVE_NETLINK_BROADCAST_FILTERED
#define NN_NL_GROUP_FLAGS	0
#define NN_NL_CAN_CHOOSE	true
#elif defined(GENL_MCAST_CAP_NET_ADMIN)
#define NN_NL_GROUP_FLAGS	GENL_MCAST_CAP_NET_ADMIN
#define NN_NL_CAN_CHOOSE	false
#else
#define NN_NL_GROUP_FLAGS	0
#define NN_NL_CAN_CHOOSE	false
#endif

/*
 * Events are sent under locks: one that waits for memory, or for a listener that is slow,
 * would have others wait. It is lost instead, and the listener is told.
 */
#define NN_NL_GFP	(GFP_NOWAIT | __GFP_NOWARN)

/* To those for whom @filter returns 0, called in process context. Takes @skb over. */
static inline void nn_nl_multicast(const struct genl_family *family,
				   struct net *net, struct sk_buff *skb,
				   int (*filter)(struct sock *dsk,
						 struct sk_buff *skb, void *data),
				   void *data)
{
#ifdef HAVE_NETLINK_BROADCAST_FILTERED
	genlmsg_multicast_netns_filtered(family, net, skb, 0, 0, NN_NL_GFP,
					 filter, data);
#elif defined(GENL_MCAST_CAP_NET_ADMIN)
	genlmsg_multicast_netns(family, net, skb, 0, 0, NN_NL_GFP);
#else
	nlmsg_free(skb);
#endif
}

/* The attributes of a dump's request. */
static inline struct nlattr **nn_nl_dump_attrs(struct netlink_callback *cb)
{
#ifdef HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

#endif
