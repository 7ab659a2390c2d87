// SPDX-License-Identifier: GPL-2.0
#include "egress.h"

#include <linux/netdevice.h>
#include <net/sock.h>

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

/* Users wait, and what is forwarded, a guest's for instance. */
bool vif_egress_exempt(const struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;

	if (skb->skb_iif || (sk && (!sk_fullsock(sk) || sk->sk_net_refcnt)))
		return false;
	return vif_packet_exempt(skb) || skb->priority == TC_PRIO_CONTROL;
}

unsigned int vif_egress_hook(void *priv, struct sk_buff *skb,
			     const struct nf_hook_state *state)
{
	struct vif_dev *vdev = priv;
	struct vif_port *port = &vdev->port[VIF_EGRESS];
	struct vif_label label;

	if (vif_egress_exempt(skb)) {
		vif_port_count(port, skb);
		return NF_ACCEPT;
	}
	label = vif_label_egress(vdev, skb);
	return vif_port_input(port, &label, skb);
}
