// SPDX-License-Identifier: GPL-2.0
#include "hooks.h"

#include <linux/netdevice.h>

#include "../attach/cache.h"
#include "../compat/hooks.h"
#include "../queue/shaper_qdisc.h"
#include "../trace/events.h"
#include "../tree/dev.h"

/* Through tc and the qdisc as if nothing had happened, past our own hook. */
static void vif_egress_reinject(struct sk_buff *skb)
{
	vif_skip_egress_hook(skb);
	dev_queue_xmit(skb);
}

const struct vif_shaper_ops vif_egress_ops = {
	.hold = vif_packet_hold_egress,
	.segment = vif_packet_segment_egress,
	.reinject = vif_egress_reinject,
	.get = vif_side_get,
	.put = vif_side_put,
	.payer = vif_side_payer,
};

static noinline unsigned int vif_egress_classify(struct vif_dev *vdev, struct sk_buff *skb)
{
	struct vif_shaper *shaper = &vdev->shaper[VIF_EGRESS];
	struct sock *sk = vif_classify_sender(skb);
	struct vif_class class;

	/* the qdisc lets it pass in VIF_SHAPER_QDISC */
	if (unlikely(vif_egress_exempt(skb, sk)) &&
	    vif_shaper_mode(shaper) != VIF_SHAPER_QDISC && vif_shaper_pass_exempt(shaper, skb))
		return NF_ACCEPT;
	vif_classify_egress(vdev, skb, sk, &class);
	trace_netnice_classify(skb, class.vif->ino, VIF_EGRESS);
	return vif_input(vdev, &class, VIF_EGRESS, sk, skb);
}

/* A guest's large packet, or a packet socket's; vif_egress_classify() takes any. */
static noinline unsigned int vif_egress_classify_foreign(struct vif_dev *vdev, struct sk_buff *skb)
{
	if (vif_packet_is_malformed(skb))
		return vif_shaper_refuse(&vdev->shaper[VIF_EGRESS], skb);
	return vif_egress_classify(vdev, skb);
}

/*
 * Packet sockets that go past the qdisc come here another way: with BHs enabled, and
 * on some kernels without a link-layer header that is known.
 */
static noinline unsigned int vif_egress_classify_slow(struct vif_dev *vdev,
						      struct sk_buff *skb)
{
	unsigned int verdict;

	if (!skb_mac_header_was_set(skb))
		skb_reset_mac_header(skb);
	local_bh_disable();
	verdict = vif_egress_classify_foreign(vdev, skb);
	local_bh_enable();
	return verdict;
}

/* The socket has not been used by an attached task yet, or no use was seen. */
static noinline unsigned int vif_egress_classify_task(struct vif_dev *vdev,
						      struct sk_buff *skb, struct sock *sk)
{
	if (vif_classify_is_current(skb, sk) &&
	    (vif_task_current() || vif_verdict_is_running(sock_net(sk), 1)))
		return vif_egress_classify(vdev, skb);
	return vif_input_vif(vdev, vdev->root, VIF_EGRESS, sk, skb);
}

/* Most packets pass through this without a call: it needs no stack. */
unsigned int vif_egress_hook(void *priv, struct sk_buff *skb,
			     const struct nf_hook_state *state)
{
	struct vif_dev *vdev = priv;
	struct vif *vif = vdev->root;
	struct sock *sk;

	if (unlikely(!softirq_count()))
		return vif_egress_classify_slow(vdev, skb);
	if (vif_packet_is_foreign(skb))
		return vif_egress_classify_foreign(vdev, skb);
	sk = vif_classify_sender(skb);
	if (!sk || !vif_classify_is_here(skb, sk))
		return vif_egress_classify(vdev, skb);
	if (vif_classify_any()) {
		if (!vif_classify_is_full(sk) || vif_classify_is_news(skb, sk))
			return vif_egress_classify(vdev, skb);
		if (vif_classify_is_unknown(sk))
			return vif_egress_classify_task(vdev, skb, sk);
		vif = vif_cache_find(vdev, sk, vif_classify_is_current(skb, sk),
				     VIF_EGRESS);
		if (!vif)
			return vif_egress_classify(vdev, skb);
	}
	return vif_input_vif(vdev, vif, VIF_EGRESS, sk, skb);
}
