/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Windows: how much the sender of a TCP connection may have under way to this host, if received
 * packets are limited. announce.c writes the window to the acknowledgements that this host sends.
 *
 * A packet that is dropped here has already crossed the line that the limit protects. So the window
 * is what the limit allows in a round-trip time, plus a short queue. A long queueing delay shows
 * that it was too large. A window that is used up while nothing is queued shows that it was too
 * small, also if the receiver acknowledges late. A window has its effect after a round trip. So
 * spans of one window alternate: one measures the effect, one lets a change take effect.
 *
 * A connection is found by its addresses and ports, which packets have in both directions. It has a
 * slot in a shaper's table while it sends acknowledgements. Without a slot, its socket's own window
 * is sent. Acknowledgements that did not pass this code may have announced anything up to the
 * socket's room: then the window starts again with that.
 *
 * This code knows neither VIFs nor packets. Values that packets, senders and users choose are plain
 * numbers, and are bounded here. The caller serializes.
 */
#ifndef NETNICE_VIF_WINDOW_WINDOW_H
#define NETNICE_VIF_WINDOW_WINDOW_H

#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "../queue/windows.h"

/* Least size of a packet's data that a socket can ask for (TCP_MIN_MSS), and the largest. */
#define VIF_MSS_LEAST	88U
#define VIF_MSS_MOST	65535U

/**
 * struct vif_mss - bytes of data in a full packet
 * @bytes: VIF_MSS_LEAST to VIF_MSS_MOST; only vif_mss() sets it
 *
 * Everything here divides by it, and multiplies with it. An MSS comes from the other end, the
 * user or a device's MTU.
 */
struct vif_mss {
	u32 bytes;
};

static inline struct vif_mss vif_mss(u32 bytes)
{
	return (struct vif_mss){ clamp(bytes, VIF_MSS_LEAST, VIF_MSS_MOST) };
}

/**
 * vif_mss_announced() - return the MSS to announce below a limit
 * @mss: bytes of data in a packet, as the socket announces it
 * @scale: windows are announced in units of 2^@scale bytes
 * @limit: bytes per second
 *
 * A packet is not longer than what passes in 25 ms, or than an Ethernet frame. A window is a whole
 * number of packets: the sender would make a small packet of a rest.
 * Return: at most @mss, rounded down to units unless that would make packets too small.
 */
u32 vif_mss_announced(u32 mss, u8 scale, u64 limit);

/* The largest window scale: with larger units windows cannot be small, so they are not changed. */
#define VIF_WINDOW_SCALE_MOST	10

/* A longer round-trip time counts as this one, so that no product is too large. */
#define VIF_WINDOW_RTT_MOST	(10ULL * NSEC_PER_SEC)

/**
 * struct vif_window_path - the path of a connection
 * @owner: see struct vif_window
 * @limit: limit of @owner, in bytes on the wire per second
 * @rate: the same in bytes of sequence space per second
 * @target_ns: the queueing delay that is wanted
 * @least_rtt_ns: round-trip time without the queueing delay here, 0 if it is not known
 * @rtt_ns: round-trip time with it, 0 if it is not known
 * @mss: data of a full packet
 */
struct vif_window_path {
	const void *owner;
	u64 limit;
	u64 rate;
	u64 target_ns;
	u64 least_rtt_ns;
	u64 rtt_ns;
	struct vif_mss mss;
};

/**
 * struct vif_offer - the window that a socket is about to announce
 * @ack: the sequence number up to which it acknowledges
 * @bytes: the window that the socket has room for
 * @unit: unit of announced windows, a power of two
 * @sent: number of packets that it has sent before this one
 * @packets: number of packets that it sends now
 * @first: it ends the handshake: an earlier announcement could not be used
 */
struct vif_offer {
	u32 ack;
	u32 bytes;
	u32 unit;
	u32 sent;
	u32 packets;
	bool first;
};

/**
 * vif_window_set_rate() - set a path's rate by its limit and MSS
 * @path: the path
 * @headers: bytes of the headers in front of a packet's data that an MTU includes
 * @mtu: the device's MTU, any number
 * @frame_bytes: cost of a full frame
 */
void vif_window_set_rate(struct vif_window_path *path, u32 headers, u32 mtu, u32 frame_bytes);

/* Allocate a table. Return NULL without memory. Context: process, may sleep. */
struct vif_windows *vif_windows_alloc(void);

/* Free the slot of a connection by which nothing more will be received. */
void vif_window_forget(struct vif_windows *windows, struct vif_window *window);

/**
 * vif_window_next() - compute the window to announce
 * @windows: the table
 * @window: result of vif_window_find()
 * @key: of the connection
 * @offer: its socket's own announcement
 * @path: see there
 * @now_ns: the present time
 *
 * An announcement is never taken back.
 * Return: bytes after the acknowledged one, not more than are offered; all of them
 *	without a slot
 */
u32 vif_window_next(struct vif_windows *windows, struct vif_window *window,
		    u32 key, const struct vif_offer *offer,
		    const struct vif_window_path *path, u64 now_ns);

#endif
