/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Older kernels cannot select listeners of a multicast group: there only administrators may join.
 * If that cannot be enforced either, no events are sent.
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
 * While an event is sent, netlink sockets can be neither created nor closed. So sending never waits
 * for memory or for a slow listener: the event is lost instead, and the listener is told.
 */
#define NN_NL_GFP	(GFP_NOWAIT | __GFP_NOWARN)

/* Send to listeners for which @filter returns 0, called in process context. Consumes @skb. */
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

/*
 * Linux 6.1 has one entry for both forms (do and dump) of an operation, with the same names of
 * fields, and allows each operation once. The flags of groups depend on the kernel too.
 */
#ifndef HAVE_GENL_SPLIT_OPS
#define genl_split_ops	genl_ops
#define split_ops	ops
#define n_split_ops	n_ops
#endif

/* Make a generated family fit to be registered on this kernel. */
static inline void nn_nl_fit(struct genl_family *family)
{
	static struct genl_multicast_group group;
#ifndef HAVE_GENL_SPLIT_OPS
	static struct genl_ops merged[2];
	const struct genl_ops *op = family->ops;
	unsigned int i, n = 0;

	for (i = 0; i < family->n_ops; i++, op++) {
		if (n && merged[n - 1].cmd == op->cmd) {
			merged[n - 1].start = op->start;
			merged[n - 1].dumpit = op->dumpit;
			merged[n - 1].done = op->done;
		} else if (!WARN_ON(n == ARRAY_SIZE(merged))) {
			merged[n++] = *op;
		}
	}
	family->ops = merged;
	family->n_ops = n;
#endif
	group = family->mcgrps[0];
	group.flags = NN_NL_GROUP_FLAGS;
	family->mcgrps = &group;
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
