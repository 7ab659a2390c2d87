/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A port that a qdisc drains in place of the port's own timer. The qdisc's
 * root lock is held around enqueue, dequeue and purge; the port's lock is taken
 * inside it.
 */
#ifndef NETNICE_VIF_PORT_QDISC_H
#define NETNICE_VIF_PORT_QDISC_H

#include "port.h"

/**
 * vif_port_give() - a qdisc is about to be installed where no limit has been so far
 * @port: the port, in VIF_PORT_TIMER, whose hook has just been registered, or is not
 * @sch: the qdisc
 *
 * Nothing waits, nor did.
 * Context: process; RTNL, and the tree mutex so that nobody sets a limit.
 */
void vif_port_give(struct vif_port *port, struct Qdisc *sch);

/**
 * vif_port_hold() - a qdisc is about to be installed: let everything wait
 * @port: the port, in VIF_PORT_TIMER
 * @sch: the qdisc
 *
 * On return no packet is on its way from the timer to the device. One that has passed the
 * hook may be for a grace period.
 * Context: process, may sleep for as long as the timer runs; RTNL.
 */
void vif_port_hold(struct vif_port *port, struct Qdisc *sch);

/* Wait for that grace period, of the last vif_port_hold(). Context: process, may sleep. */
void vif_port_await_held(const struct vif_port *port);

/**
 * vif_port_move() - the qdisc is installed: what waits goes there, then all else
 * @port: the port
 *
 * Does some of it, and nothing unless the port has been held. In between RTNL may be let
 * go, and the qdisc deleted. Nobody comes by the hook any more who could be overtaken, but
 * until vif_port_await_held() has been called for this vif_port_hold().
 * Context: process, may sleep; RTNL.
 * Return: whether to call it again.
 */
bool vif_port_move(struct vif_port *port);

/**
 * vif_port_release() - the qdisc has gone: the timer takes over
 * @port: the port; what waited for the device has been purged. What still waits at the
 *	hook, as vif_port_move() has not come to it, goes on to.
 *
 * Context: process.
 */
void vif_port_release(struct vif_port *port);

static inline enum vif_port_mode vif_port_mode(const struct vif_port *port)
{
	return READ_ONCE(port->mode);
}

/**
 * enum vif_port_verdict - what became of a packet to be enqueued
 * @VIF_PORT_PASSED: it has passed the tree, and is the caller's
 * @VIF_PORT_QUEUED: it waits
 * @VIF_PORT_FULL: it has been counted as dropped; it is the caller's to free
 * @VIF_PORT_TOO_LONG: it has to be segmented first
 */
enum vif_port_verdict {
	VIF_PORT_PASSED,
	VIF_PORT_QUEUED,
	VIF_PORT_FULL,
	VIF_PORT_TOO_LONG,
};

/**
 * vif_port_enqueue() - put a packet into its VIF
 * @port: the port
 * @side: whose the packet is
 * @tag: its socket's, 0 if it has none
 * @skb: the packet
 * @alone: the device has nothing else to send, and would send it at once
 * @dropped: packets that were dropped for it are appended; it may be among them
 *
 * Context: packet context, inside RCU.
 * Return: see there.
 */
enum vif_port_verdict vif_port_enqueue(struct vif_port *port,
				       struct vif_side *side, u32 tag,
				       struct sk_buff *skb, bool alone,
				       struct sk_buff_head *dropped);

/**
 * vif_port_dequeue() - the packet whose turn it is
 * @port: the port
 * @next_ns: if there is none: when there will be one, or VSCHED_NEVER
 * @dropped: packets that were dropped meanwhile are appended
 *
 * Context: packet context.
 * Return: the packet, which has passed the tree, or NULL.
 */
struct sk_buff *vif_port_dequeue(struct vif_port *port, u64 *next_ns,
				 struct sk_buff_head *dropped);

/**
 * vif_port_purge() - drop what waits for the device
 * @port: the port; nothing happens unless it is in VIF_PORT_QDISC
 *
 * Nobody enqueues or dequeues meanwhile.
 * Context: RTNL; perhaps with a qdisc's lock.
 */
void vif_port_purge(struct vif_port *port);

/* Have the device of our qdisc ask for packets. Context: packet or process, any locks. */
void vif_port_kick(struct Qdisc *sch);

#endif
