// SPDX-License-Identifier: GPL-2.0
#include "hooks.h"

#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>

/* Returns NULL if there is no header of that length, or it is not ours to change. */
static void *vif_mark_header(struct sk_buff *skb, unsigned int len)
{
	int offset = skb_network_offset(skb);

	if (offset < 0 || skb_ensure_writable(skb, offset + len))
		return NULL;
	return skb_network_header(skb);
}

static void vif_mark_write_ipv4(struct sk_buff *skb, u8 dsfield)
{
	struct iphdr *ip = vif_mark_header(skb, sizeof(*ip));

	if (ip && ip->version == 4)
		ipv4_change_dsfield(ip, INET_ECN_MASK, dsfield);
}

static void vif_mark_write_ipv6(struct sk_buff *skb, u8 dsfield)
{
	struct ipv6hdr *ip = vif_mark_header(skb, sizeof(*ip));

	if (!ip || ip->version != 6)
		return;
	ipv6_change_dsfield(ip, INET_ECN_MASK, dsfield);
	/* the sum covers these bytes; tc may have redirected a received packet that has one */
	if (skb->ip_summed == CHECKSUM_COMPLETE)
		skb->ip_summed = CHECKSUM_NONE;
}

/*
 * The ECN bits stay. A frame that a packet socket sends may have any header. A frame with a second
 * tag (on a bridge) has the tag where other frames have the IP header.
 */
static void vif_mark_write_dscp(struct sk_buff *skb, u32 dscp)
{
	switch (skb->protocol) {
	case htons(ETH_P_IP):
		vif_mark_write_ipv4(skb, dscp << 2);
		break;
	case htons(ETH_P_IPV6):
		vif_mark_write_ipv6(skb, dscp << 2);
		break;
	}
}

void vif_mark_write(const struct vif *vif, struct sk_buff *skb)
{
	u32 value, mask;

	if (skb_shared(skb))
		return;
	value = vif_mark_holds(vif, VIF_MARK_DSCP, &mask);
	if (mask)
		vif_mark_write_dscp(skb, value);
	value = vif_mark_holds(vif, VIF_MARK_MARK, &mask);
	skb->mark = (skb->mark & ~mask) | value;
	value = vif_mark_holds(vif, VIF_MARK_PRIORITY, &mask);
	skb->priority = (skb->priority & ~mask) | value;
}
