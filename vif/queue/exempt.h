/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The budget of exempt packets: packets that keep the link alive (vif_packet_exempt()). Within the
 * budget they pass without queueing, and the root VIF's clock is charged. Beyond it they are
 * treated like other packets. Only a packet's headers make it exempt, and its sender writes these.
 * So each direction of a device has a budget, and each sender may use a part of it.
 */
#ifndef NETNICE_VIF_EXEMPT_H
#define NETNICE_VIF_EXEMPT_H

#include <linux/skbuff.h>
#include <linux/types.h>

/*
 * Budget of all senders in bytes per second: at most this, and at most half of the limit. In a
 * group it is half of the device's part, so that a flood does not use up the device's turns.
 */
#define VIF_EXEMPT_RATE		16000U
/* The part of that rate that one sender may use: a quarter. */
#define VIF_EXEMPT_PART		4U
/* Senders are distinguished by a hash of their link-layer address, of this number of bits. */
#define VIF_EXEMPT_BITS		4

/**
 * struct vif_exempt_bucket - a token bucket
 * @since: when @bytes was right, in ns
 * @bytes: that may pass
 */
struct vif_exempt_bucket {
	u64 since;
	u32 bytes;
};

/**
 * struct vif_exempt - the budget of a direction of a device; all zero: a full one
 * @all: the bucket of all senders together
 * @sender: the buckets of senders, by their hash
 */
struct vif_exempt {
	struct vif_exempt_bucket all;
	struct vif_exempt_bucket sender[1 << VIF_EXEMPT_BITS];
};

/**
 * vif_exempt_take() - take a packet off the budget
 * @exempt: the budget
 * @skb: the packet
 * @bytes: that it costs on the link
 * @rate: of the root VIF's clock, bytes per second; in a group its part (vsched_node_part())
 * @now_ns: the present time
 *
 * Context: packet. The caller serializes.
 * Return: false if its sender, or all of them, have too little left; nothing is taken then.
 */
bool vif_exempt_take(struct vif_exempt *exempt, const struct sk_buff *skb, u32 bytes,
		     u64 rate, u64 now_ns);

#endif
