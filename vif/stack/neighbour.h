/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who on a stack's device asks for an address is answered by us, for all others that there
 * are. Nothing of it gets to anybody else.
 */
#ifndef NETNICE_VIF_STACK_NEIGHBOUR_H
#define NETNICE_VIF_STACK_NEIGHBOUR_H

#include <linux/if_ether.h>
#include <linux/types.h>

struct sk_buff;
struct vif_stack;

/* The address of every peer of the stack on its device: locally administered, "nnice". */
extern const u8 vif_stack_gateway[ETH_ALEN];

/**
 * vif_stack_neighbour4() - an ARP packet of the stack's
 * @stack: the stack, whose addresses are those of its VIF's namespace
 * @skb: the packet, at its network header
 *
 * Context: packet, caller holds rcu_read_lock().
 * Return: true: it was a request, and is consumed; false: it is none.
 */
bool vif_stack_neighbour4(const struct vif_stack *stack, struct sk_buff *skb);

/* The same with an ICMPv6 packet, its IPv6 header pulled: a neighbour solicitation? */
bool vif_stack_neighbour6(const struct vif_stack *stack, struct sk_buff *skb);

#endif
