/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The netdev hooks, and the marks that lead a packet past them when it is put
 * back behind them: what a kernel was built with decides whether they are there.
 */
#ifndef NETNICE_COMPAT_HOOKS_H
#define NETNICE_COMPAT_HOOKS_H

#include <linux/netfilter_netdev.h>
#include <linux/skbuff.h>

/* The second line asks for the marks. */
#define VIF_HOOKS_POSSIBLE \
	(IS_ENABLED(CONFIG_NETFILTER_INGRESS) && IS_ENABLED(CONFIG_NETFILTER_EGRESS) && \
	 IS_ENABLED(CONFIG_NET_CLS_ACT) && IS_ENABLED(CONFIG_NETFILTER_SKIP_EGRESS))

/* What makes them possible; the last option follows from these. */
#define VIF_HOOKS_OPTIONS \
	"CONFIG_NETFILTER_INGRESS, CONFIG_NETFILTER_EGRESS and CONFIG_NET_CLS_ACT"

static inline void vif_skip_egress_hook(struct sk_buff *skb)
{
	nf_skip_egress(skb, true);
}

/* Past tc, too. */
static inline void vif_skip_ingress_hook(struct sk_buff *skb)
{
#ifdef CONFIG_NET_CLS_ACT
	skb->tc_skip_classify = 1;
#endif
}

#endif
