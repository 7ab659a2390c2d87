/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The egress hook sees packets on their way to a device, before tc and the qdisc.
 */
#ifndef NETNICE_VIF_EGRESS_H
#define NETNICE_VIF_EGRESS_H

#include <linux/netfilter.h>
#include <linux/pkt_sched.h>

#include "../queue/packet.h"
#include "../queue/shaper.h"

extern const struct vif_shaper_ops vif_egress_ops;

/**
 * vif_egress_exempt() - does the kernel send it on its own, to keep the link alive?
 * @skb: the packet
 * @sk: its vif_classify_sender()
 *
 * It does not wait (vif_shaper_pass_exempt()). Packets of users and forwarded packets wait.
 */
static inline bool vif_egress_exempt(const struct sk_buff *skb,
				     const struct sock *sk)
{
	return !sk && !skb->skb_iif &&
	       (vif_packet_exempt(skb) || skb->priority == TC_PRIO_CONTROL);
}

/* The hook; @priv is the struct vif_dev. */
unsigned int vif_egress_hook(void *priv, struct sk_buff *skb,
			     const struct nf_hook_state *state);

#endif
