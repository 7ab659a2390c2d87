/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sizes of packets on the wire, as numbers: this code knows no sk_buffs. Senders, guests, users
 * and devices choose most of these numbers. So each has its bound here, and no sum or product of
 * them overflows.
 */
#ifndef NETNICE_VIF_WIRE_H
#define NETNICE_VIF_WIRE_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct vif_wire - a packet on the wire
 * @bytes: with the link-layer header (no preamble, FCS or gap), each segment
 *	of a GSO or GRO packet with headers of its own
 * @packets: number of segments, 1 if it is none
 */
struct vif_wire {
	u32 bytes;
	u32 packets;
};

/* Headers of more bytes than that are none that anything repeats in each segment. */
#define VIF_GSO_HEADER_MOST	512U

/* The core counts segments in 16 bits (GSO_MAX_SEGS). */
#define VIF_GSO_SEGMENTS_MOST	65535U

/*
 * The core keeps the size of a segment in 16 bits, where 65535 means a list (GSO_BY_FRAGS). IP's
 * lengths have 16 bits, too, and so an IP packet's headers have to fit in.
 */
#define VIF_GSO_SIZE_MOST	65534U

/* No full frame costs more bytes than that: it has 65,536 and the headers of a link layer. */
#define VIF_FRAME_MOST		(1U << 17)

/*
 * No packet costs more bytes than this, so that the scheduler can add up the bytes of many packets.
 * The longest packets that the core makes, 512 KiB in segments of 8 bytes, cost less than half of
 * it.
 */
#define VIF_WIRE_MOST		(1U << 24)

/**
 * struct vif_gso - a packet that will be cut into segments (GSO), or was merged from them (GRO)
 * @len: its bytes, with the link-layer header
 * @header: bytes of headers that each segment repeats, up to VIF_GSO_HEADER_MOST; 0: unknown
 * @tag: bytes of the VLAN tag that is kept beside it
 * @size: bytes of data in each segment but the last; 0 if there is no other
 * @segments: how many, 1 to VIF_GSO_SEGMENTS_MOST
 *
 * vif_gso_by_size() and vif_gso_by_count() make it.
 */
struct vif_gso {
	u32 len;
	u32 header;
	u32 tag;
	u32 size;
	u32 segments;
};

/**
 * vif_gso_by_size() - describe a packet by the size of its segments
 * @len: see struct vif_gso; any number
 * @header: ditto; taken for 0 if it is not within @len and VIF_GSO_HEADER_MOST
 * @tag: ditto
 * @size: ditto; any number
 */
struct vif_gso vif_gso_by_size(u32 len, u32 header, u32 tag, u32 size);

/* The same for segments of several lengths, for example of SCTP. Their number may be any number. */
struct vif_gso vif_gso_by_count(u32 len, u32 header, u32 tag, u32 count);

/**
 * vif_gso_is_sound() - are a packet's GSO fields consistent?
 * @len: see vif_gso_by_size(); any number
 * @header: ditto
 * @size: ditto
 *
 * Return: false if vif_gso_by_size() would have to correct it.
 */
bool vif_gso_is_sound(u32 len, u32 header, u32 size);

/* Return what the packet is on the wire. */
struct vif_wire vif_gso_wire(const struct vif_gso *gso);

/**
 * vif_gso_together() - return how many segments stay together in each piece when it is cut
 * @gso: a packet of several segments
 * @most: as many would be allowed, any number
 *
 * Return: from 1 to less than there are. A piece with its headers, and the data in it, are within
 *	what the core and IP count: VIF_GSO_SIZE_MOST.
 */
u32 vif_gso_together(const struct vif_gso *gso, u32 most);

/**
 * enum vif_framing - framing of a link layer
 * @VIF_FRAMING_NONE: as it is
 * @VIF_FRAMING_ATM: in cells of 53 bytes, which carry 48; the last one is filled up
 * @VIF_FRAMING_PTM: with a byte more for 64, begun ones included (64b/65b)
 */
enum vif_framing {
	VIF_FRAMING_NONE,
	VIF_FRAMING_ATM,
	VIF_FRAMING_PTM,
};

/**
 * struct vif_link_layer - the cost of packets on a link; all zero: their bytes
 * @has_overhead: @overhead replaces the link-layer header of the packet
 * @overhead: bytes that are added to the packet from its network header on; may be negative
 * @mpu: the least number of bytes of a packet, after the overhead
 * @framing: how the link divides these bytes into cells or frames
 *
 * The meaning is the same as in sch_cake, so that settings can be copied.
 */
struct vif_link_layer {
	bool has_overhead;
	s16 overhead;
	u16 mpu;
	u8 framing;
};

static inline bool vif_link_layer_is_none(const struct vif_link_layer *layer)
{
	return !READ_ONCE(layer->has_overhead) && !READ_ONCE(layer->mpu) &&
	       READ_ONCE(layer->framing) == VIF_FRAMING_NONE;
}

/**
 * vif_link_layer_bytes() - compute the cost of a packet
 * @layer: the link layer; if it is changed meanwhile, the result may be of a mixture
 * @bytes: bytes of the packet with its link-layer header; any number
 * @header: bytes of this header; any number
 *
 * Return: its bytes on the link, from 1 to VIF_WIRE_MOST.
 */
u32 vif_link_layer_bytes(const struct vif_link_layer *layer, u32 bytes, u32 header);

/**
 * vif_link_layer_gso_bytes() - compute the cost of a GSO packet, segment by segment
 * @layer: see vif_link_layer_bytes()
 * @gso: the packet
 * @header: bytes of its link-layer header; any number
 *
 * Return: its bytes on the link, from 1 to VIF_WIRE_MOST.
 */
u32 vif_link_layer_gso_bytes(const struct vif_link_layer *layer, const struct vif_gso *gso,
			     u32 header);

#endif
