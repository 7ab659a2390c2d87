/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attached incoming devices: which device caused a packet to be sent? A packet knows only the last
 * device that received it. If a port of a bridge or VRF received it, this is the bridge or VRF when
 * the packet is routed. An answer of the kernel (ICMP, RST) and the outer packet of a tunnel know
 * no device.
 *
 * Everything that a received packet causes, until a packet is queued, happens on one CPU, inside
 * the device's receive function. So the device is recorded there, outside of the packet, where its
 * sender cannot change it. The record also applies to packets that were queued behind the device
 * earlier, if they are sent during that time: of the queue of a device above, or waiting for a
 * neighbour's address.
 */
#ifndef NETNICE_VIF_INCOMING_H
#define NETNICE_VIF_INCOMING_H

#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/skbuff.h>

/**
 * vif_incoming_receive() - let a packet continue behind the hooks of its device
 * @skb: the packet; consumed
 *
 * Taps, tc and netfilter's hooks have seen it. Packets that are sent because of it, until the
 * function returns, belong to its device.
 * Context: BH disabled, caller holds rcu_read_lock().
 */
void vif_incoming_receive(struct sk_buff *skb);

/* vif_incoming_receive() of a packet that no VIF of its device has been charged for yet. */
void vif_incoming_note(struct sk_buff *skb);

/**
 * vif_incoming_check_marks() - clear the marks by which a packet would skip hooks here
 * @skb: received, before the kernel looks at these marks
 *
 * An ifb has each packet that it puts back skip tc once, at the device that tc had redirected the
 * packet from, because tc would redirect it again. The kernel clears that mark only at the next
 * ingress. So a packet that was redirected at egress, in a container, would skip the ingress of
 * the host's end of the veth: tc, packet sockets, and netnice's hook. The mark for egress, of an
 * ifb or a netkit, would last until the packet is forwarded. The only mark that stays is one that
 * means this device: an ifb's that puts a packet back at ingress, or vif_incoming_receive()'s.
 * vif_is_from_ifb() is true afterwards for the ifb's packets alone.
 * Context: packet.
 */
void vif_incoming_check_marks(struct sk_buff *skb);

/**
 * vif_incoming_send() - send a packet because another one was received
 * @net: namespace
 * @skb: of a socket, at its network header, with its route; consumed
 * @out: ip_local_out(), or its like
 *
 * The running task is not its sender: a task that writes to a tap runs the code for its frames.
 * Context: BH disabled.
 */
void vif_incoming_send(struct net *net, struct sk_buff *skb,
		       int (*out)(struct net *net, struct sock *sk, struct sk_buff *skb));

/* For each CPU, the frame of the call that runs on it, or NULL. */
struct vif_incoming_frame;
DECLARE_PER_CPU(struct vif_incoming_frame *, vif_incoming_frames);

/* Does the running task execute such a call? Then it cannot move to another CPU. */
bool __vif_incoming_is_any(void);

/* Does the running task execute a call of one of these two functions? Context: any. */
static inline bool vif_incoming_is_any(void)
{
	return unlikely(this_cpu_read(vif_incoming_frames)) && __vif_incoming_is_any();
}

/*
 * Is a packet of that very device being received by vif_incoming_receive()? Caller holds
 * rcu_read_lock().
 */
bool vif_incoming_is_seen(const struct net_device *dev);

/* Return the device whose packet the running task receives by such a call, or NULL. */
struct net_device *vif_incoming_port(void);

/**
 * vif_incoming_netkit() - find the netkit by which a packet came from another namespace
 * @skb: at egress
 *
 * A program at a netkit can redirect a packet during the system call of its sender. No device of
 * this namespace has received such a packet, and the netkit has cleared its device numbers. Only
 * its socket is left, which has the namespace. If several netkits lead from there to here, the
 * first one is returned.
 * Context: packet, caller holds rcu_read_lock().
 * Return: this namespace's end; NULL if the packet's socket is of this namespace, or is unknown, or
 *	if none of the first devices there is a netkit that leads here.
 */
struct net_device *vif_incoming_netkit(const struct sk_buff *skb);

/**
 * vif_incoming_lowest() - find the device by which a packet came first
 * @dev: the device that received it last
 *
 * Context: packet, caller holds rcu_read_lock().
 * Return: the port whose packet is being received, if @dev is above this port (its bridge, bond or
 *	VRF, or a device above these); otherwise @dev.
 */
struct net_device *vif_incoming_lowest(struct net_device *dev);

#endif
