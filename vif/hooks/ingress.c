// SPDX-License-Identifier: GPL-2.0
#include "hooks.h"

#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/jump_label.h>
#include <linux/netfilter_bridge.h>

#include "../attach/incoming.h"
#include "../attach/late_hooks.h"
#include "../attach/probes.h"
#include "../compat/hooks.h"
#include "../trace/events.h"
#include "../tree/dev.h"
#include "../tree/net.h"
#include "../tree/vif.h"

/* There is an ifb, or has been one. */
static DEFINE_STATIC_KEY_FALSE(vif_ingress_ifbs);

const struct vif_shaper_ops vif_ingress_ops = {
	.hold = vif_packet_hold_ingress,
	.segment = vif_packet_segment_ingress,
	.reinject = vif_incoming_receive,
	.get = vif_side_get,
	.put = vif_side_put,
	.payer = vif_side_payer,
};

/*
 * Frames for another host are of interest to taps alone, unless this is a
 * bridge's or macvlan's port, or a VLAN device may have that address. Copies of what this host
 * sends to a group have not come by the link: anyone could send them, past any limit, and use up
 * what the device may receive.
 */
static bool vif_ingress_ends_here(const struct sk_buff *skb)
{
	if (skb->pkt_type <= PACKET_MULTICAST)
		return false;
	return skb->pkt_type == PACKET_LOOPBACK ||
	       (!rcu_access_pointer(skb->dev->rx_handler) && !skb_vlan_tag_present(skb));
}

static noinline unsigned int vif_ingress_classify(struct vif_dev *vdev, struct sk_buff *skb)
{
	struct vif_class class;

	vif_classify_ingress(vdev, skb, &class);
	trace_netnice_classify(skb, class.vif->ino, VIF_INGRESS);
	return vif_input(vdev, &class, VIF_INGRESS, NULL, skb);
}

static inline unsigned int vif_ingress_input(struct vif_dev *vdev, struct sk_buff *skb)
{
	if (vif_classify_any())
		return vif_ingress_classify(vdev, skb);
	return vif_input_vif(vdev, vdev->root, VIF_INGRESS, NULL, skb);
}

static unsigned int vif_ingress_second_hook(void *priv, struct sk_buff *skb,
					    const struct nf_hook_state *state);

/* A packet decrypted before reception (GRO) was already seen when the other hook gets it. */
static noinline unsigned int vif_ingress_input_ipsec(struct vif_dev *vdev, struct sk_buff *skb)
{
	unsigned int verdict;

	if (vif_ipsec_is_outer(skb, vif_ingress_second_hook))
		return NF_ACCEPT;
	verdict = vif_ingress_input(vdev, skb);
	if (verdict != NF_ACCEPT || !vif_ipsec_is_inner(skb) || skb_pfmemalloc(skb))
		return verdict;
	vif_incoming_receive(skb);
	return NF_STOLEN;
}

unsigned int vif_ingress_hook(void *priv, struct sk_buff *skb,
			      const struct nf_hook_state *state)
{
	struct vif_dev *vdev = priv;

	if (static_branch_unlikely(&vif_ingress_ifbs))
		vif_clear_from_ifb(skb);
	if (vif_ingress_ends_here(skb))
		return NF_ACCEPT;
	if (!vif_dev_can_go_on(skb->dev)) {
		vif_shaper_count(&vdev->shaper[VIF_INGRESS], skb);
		return NF_ACCEPT;
	}
	if (vif_packet_is_malformed(skb))
		return vif_shaper_refuse(&vdev->shaper[VIF_INGRESS], skb);
	if (vif_packet_exempt(skb) && vif_shaper_pass_exempt(&vdev->shaper[VIF_INGRESS], skb))
		return NF_ACCEPT;
	return vif_ipsec_any(skb) ? vif_ingress_input_ipsec(vdev, skb) :
				    vif_ingress_input(vdev, skb);
}

unsigned int vif_incoming_hook(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state)
{
	if (vif_incoming_lowest(skb->dev) != skb->dev ||
	    !vif_dev_can_go_on(skb->dev) || skb_pfmemalloc(skb))
		return NF_ACCEPT;
	vif_incoming_note(skb);
	return NF_STOLEN;
}

/* Has IPsec decrypted the packet in transport mode, so that it was not received in this form? */
static bool vif_ingress_is_inner(const struct sk_buff *skb)
{
	return vif_ipsec_is_inner(skb) && !vif_incoming_is_seen(skb->dev) &&
	       !nf_bridge_in_prerouting(skb) && !rcu_access_pointer(skb->dev->rx_handler) &&
	       vif_dev_can_go_on(skb->dev);
}

/* The device's hooks, which a packet that an ifb has put back has skipped. */
static unsigned int vif_ingress_run_skipped(struct vif_dev *vdev, struct sk_buff *skb,
					    const struct nf_hook_state *state)
{
	unsigned int verdict = NF_ACCEPT;

	if (vif_dev_is_hooked(vdev))
		verdict = vif_ingress_hook(vdev, skb, state);
	if (verdict == NF_ACCEPT && READ_ONCE(vdev->incoming))
		verdict = vif_incoming_hook(NULL, skb, state);
	return verdict;
}

static unsigned int vif_ingress_second_hook(void *priv, struct sk_buff *skb,
					    const struct nf_hook_state *state)
{
	bool from_ifb = static_branch_unlikely(&vif_ingress_ifbs) && vif_is_from_ifb(skb);
	struct vif_dev *vdev;

	if (!from_ifb && !vif_ingress_is_inner(skb))
		return NF_ACCEPT;
	/* before anything else, as the mark means this device */
	if (from_ifb)
		vif_clear_from_ifb(skb);
	vdev = vif_dev_find(vif_net_of(state->net), skb->dev);
	if (!vdev)
		return NF_ACCEPT;
	if (from_ifb)
		return vif_ingress_run_skipped(vdev, skb, state);
	return vif_dev_is_hooked(vdev) ? vif_ingress_input(vdev, skb) : NF_ACCEPT;
}

void vif_ingress_see_ifb(struct net *net)
{
	static_branch_enable(&vif_ingress_ifbs);
	vif_probes_see_received();
	vif_late_hooks_are_there(net, VIF_LATE_RECEIVED, vif_ingress_second_hook);
}
