/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A shaper that a qdisc drains instead of the shaper's own timer. The caller holds the qdisc's root
 * lock around enqueue, dequeue and purge. The shaper's lock is taken inside it.
 */
#ifndef NETNICE_VIF_SHAPER_QDISC_H
#define NETNICE_VIF_SHAPER_QDISC_H

#include "shaper.h"

/**
 * vif_shaper_give() - a qdisc is about to be installed on a device without a limit
 * @shaper: the shaper, in VIF_SHAPER_TIMER; its hook has just been registered, or is not
 * @sch: the qdisc
 *
 * No packet is queued, or was queued before.
 * Context: process; RTNL, and the tree mutex so that no limit is set.
 */
void vif_shaper_give(struct vif_shaper *shaper, struct Qdisc *sch);

/**
 * vif_shaper_hold() - a qdisc is about to be installed: let everything wait
 * @shaper: the shaper, in VIF_SHAPER_TIMER
 * @sch: the qdisc
 *
 * On return no packet is on its way from the timer to the device. One that has passed the
 * hook may be for a grace period.
 * Context: process, may sleep for as long as the timer runs; RTNL.
 */
void vif_shaper_hold(struct vif_shaper *shaper, struct Qdisc *sch);

/* Wait for that grace period, of the last vif_shaper_hold(). Context: process, may sleep. */
void vif_shaper_await_held(const struct vif_shaper *shaper);

/**
 * vif_shaper_move() - the qdisc is installed: move queued packets to it, then all new ones
 * @shaper: the shaper
 *
 * Does some of it, and nothing unless the shaper has been held. In between RTNL may be released,
 * and the qdisc deleted. No packet that could be overtaken is at the hook any more, after
 * vif_shaper_await_held() has been called for this vif_shaper_hold().
 * Context: process, may sleep; RTNL.
 * Return: whether to call it again.
 */
bool vif_shaper_move(struct vif_shaper *shaper);

/**
 * vif_shaper_release() - the qdisc is gone: let the timer drain the shaper
 * @shaper: the shaper; packets that were queued in the qdisc have been purged. Packets that
 *	vif_shaper_move() has not moved yet stay queued at the hook.
 *
 * Context: process.
 */
void vif_shaper_release(struct vif_shaper *shaper);

static inline enum vif_shaper_mode vif_shaper_mode(const struct vif_shaper *shaper)
{
	return READ_ONCE(shaper->mode);
}

/**
 * vif_shaper_pass() - let a packet pass the tree without queueing
 * @shaper: the shaper
 * @side: the packet's VIF
 * @skb: the packet; the device has nothing else to send, and would send it at once
 *
 * Context: packet context, caller holds rcu_read_lock().
 * Return: true it is charged and counted; false it must be queued, because a clock is not ready or
 *	another packet could leave.
 */
bool vif_shaper_pass(struct vif_shaper *shaper, struct vif_side *side,
		     const struct sk_buff *skb);

/**
 * enum vif_shaper_verdict - what became of a packet to be enqueued
 * @VIF_SHAPER_QUEUED: it waits
 * @VIF_SHAPER_FULL: it has been counted as dropped; it is the caller's to free
 * @VIF_SHAPER_TOO_LONG: it has to be segmented first
 */
enum vif_shaper_verdict {
	VIF_SHAPER_QUEUED,
	VIF_SHAPER_FULL,
	VIF_SHAPER_TOO_LONG,
};

/**
 * vif_shaper_enqueue() - put a packet into its VIF
 * @shaper: the shaper
 * @side: the packet's VIF
 * @tag: the tag of its socket, 0 if it has none
 * @skb: the packet
 * @dropped: packets that were dropped to make room are appended; the packet may be among them
 *
 * Context: packet context, caller holds rcu_read_lock().
 * Return: see there.
 */
enum vif_shaper_verdict vif_shaper_enqueue(struct vif_shaper *shaper,
					   struct vif_side *side, u32 tag,
					   struct sk_buff *skb,
					   struct sk_buff_head *dropped);

/**
 * vif_shaper_dequeue() - take the next packet out
 * @shaper: the shaper
 * @next_ns: if there is none: the time when a packet will be due, or VSCHED_NEVER
 * @dropped: packets that were dropped meanwhile are appended
 *
 * Context: packet context.
 * Return: the packet, which has passed the tree, or NULL.
 */
struct sk_buff *vif_shaper_dequeue(struct vif_shaper *shaper, u64 *next_ns,
				   struct sk_buff_head *dropped);

/**
 * vif_shaper_purge() - drop packets queued for the device
 * @shaper: the shaper; nothing happens unless it is in VIF_SHAPER_QDISC
 *
 * No packet is enqueued or dequeued in the meantime.
 * Context: RTNL; perhaps with a qdisc's lock.
 */
void vif_shaper_purge(struct vif_shaper *shaper);

#endif
