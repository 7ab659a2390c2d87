/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The netdev hooks, and the marks by which a packet skips them. netnice sets these marks when it
 * puts a packet back behind its hook. Other parts of the kernel set them too. The kernel's
 * configuration decides which of them exist.
 */
#ifndef NETNICE_COMPAT_HOOKS_H
#define NETNICE_COMPAT_HOOKS_H

#include <linux/netfilter_netdev.h>
#include <linux/skbuff.h>

/* The second line asks for the marks. */
#define VIF_HOOKS_POSSIBLE \
	(IS_ENABLED(CONFIG_NETFILTER_INGRESS) && IS_ENABLED(CONFIG_NETFILTER_EGRESS) && \
	 IS_ENABLED(CONFIG_NET_CLS_ACT) && IS_ENABLED(CONFIG_NETFILTER_SKIP_EGRESS))

/* The options that make the hooks possible; they imply CONFIG_NETFILTER_SKIP_EGRESS. */
#define VIF_HOOKS_OPTIONS \
	"CONFIG_NETFILTER_INGRESS, CONFIG_NETFILTER_EGRESS and CONFIG_NET_CLS_ACT"

static inline void vif_skip_egress_hook(struct sk_buff *skb)
{
	nf_skip_egress(skb, true);
}

/* The packet skips tc too. */
static inline void vif_skip_ingress_hook(struct sk_buff *skb)
{
#ifdef CONFIG_NET_CLS_ACT
	skb->tc_skip_classify = 1;
#endif
}

static inline bool vif_skips_ingress_hook(const struct sk_buff *skb)
{
#ifdef CONFIG_NET_CLS_ACT
	return skb->tc_skip_classify;
#else
	return false;
#endif
}

/*
 * Does an ifb put a marked packet back at the ingress of the device where tc had redirected it?
 * Each device that leads into another namespace sets skb_iif to 0.
 */
static inline bool vif_is_from_ifb(const struct sk_buff *skb)
{
#ifdef CONFIG_NET_REDIRECT
	return skb->from_ingress && skb->skb_iif;
#else
	return false;
#endif
}

/* The packet no longer counts as an ifb's. */
static inline void vif_clear_from_ifb(struct sk_buff *skb)
{
#ifdef CONFIG_NET_REDIRECT
	skb->from_ingress = 0;
#endif
}

/* Skip neither hook. */
static inline void vif_clear_hook_marks(struct sk_buff *skb)
{
	nf_skip_egress(skb, false);
#ifdef CONFIG_NET_CLS_ACT
	skb->tc_skip_classify = 0;
#endif
}

#endif
