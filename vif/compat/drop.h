/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reasons for drops. Older qdiscs give no reason, later ones some of the general reasons, and newer
 * ones have a list of their own. Hooks cannot give a reason in all versions.
 */
#ifndef NETNICE_COMPAT_DROP_H
#define NETNICE_COMPAT_DROP_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <net/sch_generic.h>

#if defined(HAVE_QDISC_DROP_OVERLIMIT)
#define VIF_SKB_DROP_OVERLIMIT	((enum skb_drop_reason)QDISC_DROP_OVERLIMIT)
#define VIF_SKB_DROP_CONGESTED	((enum skb_drop_reason)QDISC_DROP_CONGESTED)
#elif defined(HAVE_SKB_DROP_OVERLIMIT)
#define VIF_SKB_DROP_OVERLIMIT	SKB_DROP_REASON_QDISC_OVERLIMIT
#define VIF_SKB_DROP_CONGESTED	SKB_DROP_REASON_QDISC_CONGESTED
#else
#define VIF_SKB_DROP_OVERLIMIT	SKB_DROP_REASON_QDISC_DROP
#define VIF_SKB_DROP_CONGESTED	SKB_DROP_REASON_QDISC_DROP
#endif

/* Drop a packet in a qdisc. The caller of the qdisc frees it. */
static inline int vif_qdisc_drop(struct sk_buff *skb, struct Qdisc *sch,
				 struct sk_buff **to_free, enum skb_drop_reason reason)
{
#if defined(HAVE_QDISC_DROP_OVERLIMIT)
	return qdisc_drop_reason(skb, sch, to_free, (enum qdisc_drop_reason)reason);
#elif defined(HAVE_QDISC_DROP_REASON)
	return qdisc_drop_reason(skb, sch, to_free, reason);
#else
	return qdisc_drop(skb, sch, to_free);
#endif
}

/* Drop a packet in a hook. The sender learns of this verdict. */
static inline unsigned int vif_hook_drop(struct sk_buff *skb, enum skb_drop_reason reason)
{
#ifdef HAVE_NF_DROP_REASON
	return NF_DROP_REASON(skb, reason, EPERM);
#else
	return NF_DROP;
#endif
}

#endif
