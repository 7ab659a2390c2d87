// SPDX-License-Identifier: GPL-2.0
#include "egress.h"

#include <linux/netdevice.h>

#include "compat/hooks.h"
#include "dev.h"
#include "label.h"

/* Through tc and the qdisc as if nothing had happened, past our own hook. */
static void emit(struct sk_buff *skb)
{
	vif_skip_egress_hook(skb);
	dev_queue_xmit(skb);
}

const struct vif_port_ops vif_egress_ops = {
	.dir = VIF_EGRESS,
	.park = vif_packet_park_egress,
	.segment = vif_packet_segment_egress,
	.emit = emit,
};

static unsigned int look_at(struct vif_dev *vdev, struct sk_buff *skb)
{
	struct vif_port *port = &vdev->port[VIF_EGRESS];
	struct sock *sk = vif_label_sender(skb);
	struct vif_label label;

	if (unlikely(vif_egress_exempt(skb, sk))) {
		vif_port_count(port, skb);
		return NF_ACCEPT;
	}
	vif_label_egress(vdev, skb, sk, &label);
	return vif_port_input(port, &label, skb);
}

/*
 * Packet sockets that go past the qdisc come here another way: with BHs enabled, and
 * on some kernels without a link-layer header that is known.
 */
unsigned int vif_egress_hook(void *priv, struct sk_buff *skb,
			     const struct nf_hook_state *state)
{
	unsigned int verdict;

	if (likely(softirq_count()))
		return look_at(priv, skb);
	if (!skb_mac_header_was_set(skb))
		skb_reset_mac_header(skb);
	local_bh_disable();
	verdict = look_at(priv, skb);
	local_bh_enable();
	return verdict;
}
