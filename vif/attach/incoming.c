// SPDX-License-Identifier: GPL-2.0
#include "incoming.h"

#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <net/rtnetlink.h>
#include <net/sock.h>

#include "../compat/hooks.h"

/*
 * struct vif_incoming_frame - one running call of a function below, on the stack of the call
 * @next: the call on the same CPU that began before it
 * @dev: the device that receives; NULL for vif_incoming_send()
 * @seen: the packet has been charged to a VIF of @dev
 * @task: the task that runs the call; on a real-time kernel calls of several tasks can be on a CPU
 */
struct vif_incoming_frame {
	struct vif_incoming_frame *next;
	struct net_device *dev;
	bool seen;
	const struct task_struct *task;
};

DEFINE_PER_CPU(struct vif_incoming_frame *, vif_incoming_frames);

static void vif_incoming_push(struct vif_incoming_frame *frame)
{
	preempt_disable();
	frame->next = this_cpu_read(vif_incoming_frames);
	this_cpu_write(vif_incoming_frames, frame);
	preempt_enable();
}

static void vif_incoming_pop(const struct vif_incoming_frame *frame)
{
	struct vif_incoming_frame **place;

	preempt_disable();
	for (place = this_cpu_ptr(&vif_incoming_frames); *place != frame; place = &(*place)->next)
		;
	*place = frame->next;
	preempt_enable();
}

/* Return the innermost frame of the running task, or NULL. */
static const struct vif_incoming_frame *vif_incoming_innermost(void)
{
	const struct vif_incoming_frame *frame;

	preempt_disable();
	for (frame = this_cpu_read(vif_incoming_frames); frame; frame = frame->next)
		if (frame->task == current)
			break;
	preempt_enable();
	return frame;
}

struct net_device *vif_incoming_port(void)
{
	const struct vif_incoming_frame *frame = vif_incoming_innermost();

	return frame ? frame->dev : NULL;
}

static void vif_incoming_deliver(struct sk_buff *skb, bool seen)
{
	struct vif_incoming_frame frame = { .dev = skb->dev, .seen = seen, .task = current };

	vif_incoming_push(&frame);
	vif_skip_ingress_hook(skb);
	skb_reset_redirect(skb);
	netif_receive_skb_core(skb);
	vif_incoming_pop(&frame);
}

void vif_incoming_receive(struct sk_buff *skb)
{
	vif_incoming_deliver(skb, true);
}

void vif_incoming_note(struct sk_buff *skb)
{
	vif_incoming_deliver(skb, false);
}

void vif_incoming_check_marks(struct sk_buff *skb)
{
	bool skips = vif_skips_ingress_hook(skb);
	bool from_ifb = skips && vif_is_from_ifb(skb);
	bool ours = skips && vif_incoming_port() == skb->dev;

	vif_clear_hook_marks(skb);
	/* without an ifb it means nothing, and could be of long ago */
	if (!from_ifb || ours)
		vif_clear_from_ifb(skb);
	if (from_ifb || ours)
		vif_skip_ingress_hook(skb);
}

void vif_incoming_send(struct net *net, struct sk_buff *skb,
		       int (*out)(struct net *net, struct sock *sk, struct sk_buff *skb))
{
	struct vif_incoming_frame frame = { .task = current };

	vif_incoming_push(&frame);
	out(net, skb->sk, skb);
	vif_incoming_pop(&frame);
}

bool __vif_incoming_is_any(void)
{
	return vif_incoming_innermost();
}

bool vif_incoming_is_seen(const struct net_device *dev)
{
	const struct vif_incoming_frame *frame = vif_incoming_innermost();

	return frame && frame->seen && frame->dev == dev;
}

struct net_device *vif_incoming_lowest(struct net_device *dev)
{
	struct net_device *port = vif_incoming_port(), *above;

	for (above = port; above && above != dev;)
		above = netdev_master_upper_dev_get_rcu(above);
	return above ? port : dev;
}

/* At most this many devices of a namespace are read: its owner may create any number of them. */
#define VIF_NETKIT_SCAN 16

static struct net_device *vif_incoming_netkit_end(struct net_device *dev)
{
	if (!dev->rtnl_link_ops || strcmp(dev->rtnl_link_ops->kind, "netkit"))
		return NULL;
	return dev->netdev_ops->ndo_get_peer_dev(dev);
}

struct net_device *vif_incoming_netkit(const struct sk_buff *skb)
{
	struct net *here = dev_net(skb->dev);
	struct net_device *dev, *end;
	unsigned int n = 0;

	if (!skb->sk || net_eq(sock_net(skb->sk), here))
		return NULL;
	for_each_netdev_rcu(sock_net(skb->sk), dev) {
		if (n++ == VIF_NETKIT_SCAN)
			break;
		end = vif_incoming_netkit_end(dev);
		if (end && net_eq(dev_net(end), here))
			return end;
	}
	return NULL;
}
