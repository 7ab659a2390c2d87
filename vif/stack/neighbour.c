// SPDX-License-Identifier: GPL-2.0
#include "internal.h"

#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/inetdevice.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/addrconf.h>
#include <net/arp.h>
#include <net/ip6_checksum.h>
#include <net/ndisc.h>
#include <net/route.h>

const u8 vif_stack_gateway[ETH_ALEN] = { 2, 'n', 'n', 'i', 'c', 'e' };

/* The body of an ARP packet for Ethernet and IPv4. */
struct vif_stack_arp_body {
	u8 sender_mac[ETH_ALEN];
	__be32 sender;
	u8 target_mac[ETH_ALEN];
	__be32 target;
} __packed;

static bool vif_neighbour_is_request(const struct arphdr *arp)
{
	return arp->ar_op == htons(ARPOP_REQUEST) && arp->ar_pro == htons(ETH_P_IP) &&
	       arp->ar_hln == ETH_ALEN && arp->ar_pln == sizeof(__be32);
}

bool vif_stack_neighbour4(const struct vif_stack *stack, struct sk_buff *skb)
{
	const struct vif_stack_arp_body *body;
	struct sk_buff *answer;

	if (!vif_stack_is_ethernet(stack, skb) ||
	    !pskb_may_pull(skb, sizeof(struct arphdr) + sizeof(*body)) ||
	    !vif_neighbour_is_request((const struct arphdr *)skb->data))
		return false;
	body = (const struct vif_stack_arp_body *)(skb->data + sizeof(struct arphdr));
	if (inet_addr_type(stack->net, body->target) != RTN_LOCAL) {
		answer = arp_create(ARPOP_REPLY, ETH_P_ARP, body->sender, stack->dev, body->target,
				    body->sender_mac, vif_stack_gateway, body->sender_mac);
		if (answer)
			dev_queue_xmit(answer);
	}
	consume_skb(skb);
	return true;
}

#if IS_ENABLED(CONFIG_IPV6)
/* A neighbour advertisement with the option for the link-layer address. */
struct vif_stack_advertisement {
	struct ipv6hdr ip;
	struct nd_msg msg;
	u8 option;
	u8 option_units;
	u8 mac[ETH_ALEN];
} __packed;

#define ICMP_BYTES	(sizeof(struct vif_stack_advertisement) - sizeof(struct ipv6hdr))

static void vif_neighbour_write_answer(struct vif_stack_advertisement *to,
				       const struct in6_addr *target,
				       const struct in6_addr *asks)
{
	memset(to, 0, sizeof(*to));
	to->ip.version = 6;
	to->ip.payload_len = htons(ICMP_BYTES);
	to->ip.nexthdr = IPPROTO_ICMPV6;
	to->ip.hop_limit = 255;
	to->ip.saddr = *target;
	to->ip.daddr = *asks;
	to->msg.icmph.icmp6_type = NDISC_NEIGHBOUR_ADVERTISEMENT;
	to->msg.icmph.icmp6_solicited = 1;
	to->msg.icmph.icmp6_override = 1;
	to->msg.target = *target;
	to->option = ND_OPT_TARGET_LL_ADDR;
	to->option_units = 1;
	ether_addr_copy(to->mac, vif_stack_gateway);
	to->msg.icmph.icmp6_cksum = csum_ipv6_magic(target, asks, ICMP_BYTES, IPPROTO_ICMPV6,
						    csum_partial(&to->msg, ICMP_BYTES, 0));
}

static void vif_neighbour_answer6(struct net_device *dev, const u8 *mac,
				  const struct in6_addr *target, const struct in6_addr *asks)
{
	/* it may change meanwhile */
	unsigned int headroom = LL_RESERVED_SPACE(dev);
	struct sk_buff *skb = alloc_skb(headroom + sizeof(struct vif_stack_advertisement) +
					READ_ONCE(dev->needed_tailroom), GFP_ATOMIC);

	if (!skb)
		return;
	skb_reserve(skb, headroom);
	skb_reset_network_header(skb);
	vif_neighbour_write_answer(skb_put(skb, sizeof(struct vif_stack_advertisement)), target,
				   asks);
	skb->dev = dev;
	skb->protocol = htons(ETH_P_IPV6);
	if (dev_hard_header(skb, dev, ETH_P_IPV6, mac, vif_stack_gateway, skb->len) < 0)
		kfree_skb(skb);
	else
		dev_queue_xmit(skb);
}

bool vif_stack_neighbour6(const struct vif_stack *stack, struct sk_buff *skb)
{
	const struct nd_msg *msg;
	const struct ipv6hdr *ip;

	if (!vif_stack_is_ethernet(stack, skb) || !pskb_may_pull(skb, sizeof(*ip) + sizeof(*msg)))
		return false;
	ip = (const struct ipv6hdr *)skb->data;
	msg = (const struct nd_msg *)(ip + 1);
	if (msg->icmph.icmp6_type != NDISC_NEIGHBOUR_SOLICITATION || ip->hop_limit != 255)
		return false;
	/* without a source it only asks whether an address is free */
	if (!ipv6_addr_any(&ip->saddr) && !ipv6_chk_addr(stack->net, &msg->target, NULL, 0))
		vif_neighbour_answer6(stack->dev, eth_hdr(skb)->h_source, &msg->target, &ip->saddr);
	consume_skb(skb);
	return true;
}
#endif
