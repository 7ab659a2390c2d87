/* SPDX-License-Identifier: GPL-2.0 */
/* The structures of a user-level stack, and what the files of this room share. */
#ifndef NETNICE_VIF_STACK_INTERNAL_H
#define NETNICE_VIF_STACK_INTERNAL_H

#include <linux/atomic.h>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct net;
struct vif;
struct vif_net;

/**
 * enum vif_stack_refusal - why a frame of the stack's is dropped
 * @VIF_STACK_LINK: it has a VLAN tag, or is neither of IP nor a request for an address
 * @VIF_STACK_MALFORMED: truncated, or what is left to the device is not its own checksum
 * @VIF_STACK_OPTION: it has IPv4 options, or IPv6 extension headers
 * @VIF_STACK_FRAGMENT: it is a fragment
 * @VIF_STACK_PROTOCOL: it is neither of TCP nor UDP
 * @VIF_STACK_ADDRESS: its source is no address of the host's
 * @VIF_STACK_PORT: its source is no port of the stack's
 * @VIF_STACK_DESTINATION: it is for many, or for this host
 * @VIF_STACK_ROUTE: no way leads there by the device of the VIF
 */
enum vif_stack_refusal {
	VIF_STACK_LINK,
	VIF_STACK_MALFORMED,
	VIF_STACK_OPTION,
	VIF_STACK_FRAGMENT,
	VIF_STACK_PROTOCOL,
	VIF_STACK_ADDRESS,
	VIF_STACK_PORT,
	VIF_STACK_DESTINATION,
	VIF_STACK_ROUTE,
	VIF_STACK_REFUSALS,
	/* it was none: sent, or dealt with */
	VIF_STACK_TAKEN,
};

/**
 * struct vif_stack - a user-level stack
 * @refs: holders: @vif until it ends, @end while it is queued
 * @vif: its VIF (referenced); tree mutex
 * @vn: the VIF's namespace (referenced)
 * @net: that namespace; its sockets and devices end before it
 * @link: the device of the VIF, an address to compare: the stack ends with it
 * @dev: its device (referenced), NULL a grace period after @over; tree mutex, or RCU and not @over
 * @hops: its frames come through the kernel, not from a program: then each passage counts as a hop,
 *	so that no frame circulates for ever
 * @over: it has ended, or its device is being removed: no packet passes. Set under the table's
 * mutex
 * @mac: the stack's link-layer address, as a number: the source of its last frame
 * @ops: the hook for frames that it sends
 * @by_dev: in the table of stacks
 * @ports: struct vif_port.link; tree mutex
 * @refused: frames, by enum vif_stack_refusal
 * @end: ends its ports, and itself if its device has gone
 * @free: frees it, after a grace period
 */
struct vif_stack {
	refcount_t refs;
	struct vif *vif;
	struct vif_net *vn;
	struct net *net;
	const struct net_device *link;
	struct net_device *dev;
	bool hops;
	bool over;
	u64 mac;
	struct nf_hook_ops ops;
	struct hlist_node by_dev;
	struct list_head ports;
	atomic64_t refused[VIF_STACK_REFUSALS];
	struct work_struct end;
	struct rcu_work free;
};

/*
 * Have the stack's frames an Ethernet header? The owner of a tun chooses its type.
 */
static inline bool vif_stack_is_ethernet(const struct vif_stack *stack, const struct sk_buff *skb)
{
	return stack->dev->type == ARPHRD_ETHER && skb->mac_len == ETH_HLEN;
}

/* --- in.c: received packets for ports of stacks are passed to their devices --- */

/* Register and unregister the hooks of a namespace, while it has stacks. Context: process. */
int vif_stack_in_register(struct net *net);
void vif_stack_in_unregister(struct net *net);

/* Return the destination address of frames, before the stack has sent any. Context: RTNL. */
u64 vif_stack_first_mac(const struct net_device *dev);

/* --- out.c: packets that a stack sends by its device leave as packets of a local socket --- */

/* The first ingress hook of the device. No packet continues behind it. @priv: the stack */
unsigned int vif_stack_out_hook(void *priv, struct sk_buff *skb,
				const struct nf_hook_state *state);

/* --- neighbour.c: answers requests for the addresses of all other hosts on a stack's device --- */

/* The address of every peer of the stack on its device: locally administered, "nnice". */
extern const u8 vif_stack_gateway[ETH_ALEN];

/**
 * vif_stack_neighbour4() - answer an ARP request of the stack
 * @stack: the stack, which has the addresses of its VIF's namespace
 * @skb: the packet, at its network header
 *
 * The request reaches no other device.
 * Context: packet, caller holds rcu_read_lock().
 * Return: true it was a request, and is consumed; false it is not a request.
 */
bool vif_stack_neighbour4(const struct vif_stack *stack, struct sk_buff *skb);

/* The same with an ICMPv6 packet, its IPv6 header pulled: a neighbour solicitation? */
bool vif_stack_neighbour6(const struct vif_stack *stack, struct sk_buff *skb);

#endif
