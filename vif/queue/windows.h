/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A shaper's table of announced windows. The option netnice_window (vif/window/) fills it, and says
 * what a window is. The queue looks a connection up for each received packet that was queued: it
 * tolerates what the window has requested, and notes how long the packet was queued.
 *
 * Caller of everything here holds the shaper's lock.
 */
#ifndef NETNICE_VIF_WINDOWS_H
#define NETNICE_VIF_WINDOWS_H

#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/types.h>

/* On while netnice_window is loaded: no shaper has a table before. */
DECLARE_STATIC_KEY_FALSE(vif_windows_key);

static inline bool vif_windows_any(void)
{
	return static_branch_unlikely(&vif_windows_key);
}

/**
 * struct vif_window - the window of a connection
 * @edge: the sequence number up to which the sender may send, as last announced
 * @owner: the VIF with the limit, which connections share; an address to compare
 * @limit: the limit of @owner for which @budget was computed, bytes per second
 * @budget: bytes of sequence space that all connections of @owner may have under way
 * @used_ns: time of the last announcement
 * @moved_ns: time when new data was last acknowledged, or when the connection began
 * @rest_ns: the connection has a share for this time after @moved_ns
 * @shared_ns: time when @sharers was last counted
 * @sent: number of packets that its socket had sent at the last announcement
 * @sharers: number of connections of @owner that share @budget
 * @bytes: the window: the connection's share, in whole packets
 * @asked: the window that was last announced, in bytes
 * @slow_until: until this number is acknowledged, a single packet is announced if it waits here
 * @until: the span ends when this number is acknowledged
 * @from: the number that was acknowledged when the span began
 * @least_ticks: the shortest queueing delay in the span, see SOJOURN_TICK_SHIFT
 * @waited: number of packets in the span that were queued
 * @began_ns: time when the span began
 * @heard: new data has arrived
 * @slack: the sender has not used up its window
 * @placed: @budget follows from the sender's round-trip time
 * @judged: this span measures the effect of the window
 * @holds: no larger window than @bytes is announced
 * @even: the connection was seen from its beginning: its segment size suits windows
 */
struct vif_window {
	const void *owner;
	u64 limit;
	u64 budget;
	u64 used_ns;
	u64 moved_ns;
	u64 rest_ns;
	u64 shared_ns;
	u64 began_ns;
	u32 edge;
	u32 sent;
	u32 sharers;
	u32 bytes;
	u32 asked;
	u32 slow_until;
	u32 until;
	u32 from;
	u32 least_ticks;
	u32 waited;
	bool heard;
	bool slack;
	bool placed;
	bool judged;
	bool holds;
	bool even;
};

/* The slots of a shaper, and the slots among which a connection may have one; powers of two. */
#define VIF_WINDOWS	512
#define VIF_WINDOWS_SET	8

/**
 * struct vif_windows - a shaper's table
 * @key: key of the connection that has the slot, by its addresses and ports; 0 for none
 * @place: the connections
 */
struct vif_windows {
	u32 key[VIF_WINDOWS];
	struct vif_window place[VIF_WINDOWS];
};

static inline void vif_windows_free(struct vif_windows *windows)
{
	kvfree(windows);
}

/* Return the first of the slots among which a connection may have one. */
static inline u32 vif_window_set_of(u32 key)
{
	return reciprocal_scale(key, VIF_WINDOWS / VIF_WINDOWS_SET) * VIF_WINDOWS_SET;
}

/* Return the connection with a key, or NULL. Any hash may be passed. */
static inline struct vif_window *vif_window_find(struct vif_windows *windows, u32 key)
{
	u32 i = vif_window_set_of(key), end = i + VIF_WINDOWS_SET;

	if (!(key & 1))
		return NULL;
	for (; i < end; i++)
		if (windows->key[i] == key)
			return &windows->place[i];
	return NULL;
}

/* A packet of the connection, or several in one, has waited. */
static inline void vif_window_waited(struct vif_window *window, u32 ticks,
				     u32 packets)
{
	if (ticks < window->least_ticks)
		window->least_ticks = ticks;
	window->waited += packets;
}

#endif
