// SPDX-License-Identifier: GPL-2.0
/*
 * The last hook for received packets of this host: firewalls have accepted them, addresses are
 * translated back, fragments are reassembled. Connection tracking's own last hook comes after this
 * one and does not see packets that a stack takes. So this code asks it to confirm the connection.
 */
#include "internal.h"

#include <linux/etherdevice.h>
#include <linux/filter.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <net/net_namespace.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/rtnetlink.h>
#include <net/xfrm.h>

#include "port.h"

/* The other end of a veth has an address; of a tap's nothing is known. */
u64 vif_stack_first_mac(const struct net_device *dev)
{
	const struct net_device *peer = NULL;

	ASSERT_RTNL();
	if (!strcmp(dev->rtnl_link_ops->kind, "veth"))
		peer = __dev_get_by_index(dev->rtnl_link_ops->get_link_net(dev),
					  dev_get_iflink(dev));
	if (peer && peer->addr_len == ETH_ALEN)
		return ether_addr_to_u64(peer->dev_addr);
	return ether_addr_to_u64((const u8[ETH_ALEN]) { 255, 255, 255, 255, 255, 255 });
}

static bool vif_stack_confirm(struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_NF_CONNTRACK)
	const struct nf_ct_hook *hook = rcu_dereference(nf_ct_hook);
	enum ip_conntrack_info info;
	struct nf_conn *ct = nf_ct_get(skb, &info);

	if (ct && hook && !nf_ct_is_confirmed(ct))
		return hook->confirm(skb) == NF_ACCEPT;
#endif
	return true;
}

static bool vif_stack_policy_allows(struct sock *sk, struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (skb->protocol == htons(ETH_P_IPV6))
		return xfrm6_policy_check(sk, XFRM_POLICY_IN, skb);
#endif
	return xfrm4_policy_check(sk, XFRM_POLICY_IN, skb);
}

static bool vif_stack_push_header(const struct vif_stack *stack, struct sk_buff *skb)
{
	struct net_device *dev = stack->dev;
	struct ethhdr *eth;

	if (skb_cow_head(skb, LL_RESERVED_SPACE(dev)))
		return false;
	if (dev->type == ARPHRD_ETHER && dev->hard_header_len == ETH_HLEN) {
		eth = skb_push(skb, ETH_HLEN);
		u64_to_ether_addr(READ_ONCE(stack->mac), eth->h_dest);
		ether_addr_copy(eth->h_source, vif_stack_gateway);
		eth->h_proto = skb->protocol;
	}
	skb_reset_mac_header(skb);
	skb_reset_mac_len(skb);
	return true;
}

/* Consumes the packet, if it returns NF_STOLEN. */
static unsigned int vif_stack_deliver(const struct vif_port *port, struct sk_buff *skb)
{
	const struct vif_stack *stack = port->stack;

	if (skb_warn_if_lro(skb) || !vif_stack_policy_allows(port->sk, skb))
		return NF_DROP;
	/* its control group's programs, and security modules */
	if (sk_filter(port->sk, skb) || !vif_stack_confirm(skb))
		return NF_DROP;
	skb_forward_csum(skb);
	skb_orphan(skb);
	skb_scrub_packet(skb, true);
	if (!vif_stack_push_header(stack, skb))
		return NF_DROP;
	skb->dev = stack->dev;
	dev_queue_xmit(skb);
	return NF_STOLEN;
}

static bool vif_stack_is_error(const struct sk_buff *skb)
{
	return skb->protocol == htons(ETH_P_IP) ?
	       ip_hdr(skb)->protocol == IPPROTO_ICMP :
	       ipv6_hdr(skb)->nexthdr == IPPROTO_ICMPV6;
}

/*
 * A stack gets packets that arrive on the device of its VIF. Packets that this host sends to itself
 * are not for stacks, which use the host's addresses as their own; but errors about a stack's
 * packets are. If no program reads from the device, the kernel answers as for a closed port.
 */
static bool vif_is_for_stack(const struct vif_stack *stack, const struct sk_buff *skb)
{
	if (READ_ONCE(stack->over) || skb->pkt_type != PACKET_HOST)
		return false;
	if (skb->dev->flags & IFF_LOOPBACK ? !vif_stack_is_error(skb) : skb->dev != stack->link)
		return false;
	return netif_running(stack->dev) && netif_carrier_ok(stack->dev);
}

static unsigned int
vif_stack_hook(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	const struct vif_port *port;

	/* its socket was found by other code */
	if (skb->sk)
		return NF_ACCEPT;
	port = vif_port_of(state->net, skb);
	return port && vif_is_for_stack(port->stack, skb) ? vif_stack_deliver(port, skb) :
							    NF_ACCEPT;
}

static const struct nf_hook_ops vif_stack_in_ops[] = {
	{
		.hook = vif_stack_hook,
		.pf = NFPROTO_IPV4,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = INT_MAX,
	},
#if IS_ENABLED(CONFIG_IPV6)
	{
		.hook = vif_stack_hook,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_LOCAL_IN,
		.priority = INT_MAX,
	},
#endif
};

int vif_stack_in_register(struct net *net)
{
	return nf_register_net_hooks(net, vif_stack_in_ops, ARRAY_SIZE(vif_stack_in_ops));
}

void vif_stack_in_unregister(struct net *net)
{
	nf_unregister_net_hooks(net, vif_stack_in_ops, ARRAY_SIZE(vif_stack_in_ops));
}
