/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The size of a packet on the wire, and its preparation for queueing. This code knows sk_buffs, but
 * no VIFs.
 */
#ifndef NETNICE_VIF_PACKET_H
#define NETNICE_VIF_PACKET_H

#include <linux/if_vlan.h>
#include <linux/skbuff.h>
#include <net/sch_generic.h>

#include "../trace/drop.h"
#include "wire.h"

/**
 * struct vif_skb_cb - state of a queued packet, in skb->cb
 * @bytes: bytes for which it is charged
 * @packets: packets on the wire: more than one if it is segmented later
 * @drop: the reason if it is dropped; enum vif_drop
 * @since: time when it was queued, in CoDel's ticks
 * @tag: the tag of its socket, 0 if it has none
 * @flow: the hash of its flow
 *
 * It is in the part of skb->cb that belongs to the qdisc that has the packet. The core needs the
 * other part again after netnice's qdisc.
 */
struct vif_skb_cb {
	u32 bytes;
	u16 packets;
	u8 drop;
	u32 since;
	u32 tag;
	u32 flow;
};

static inline struct vif_skb_cb *vif_skb_cb(const struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct vif_skb_cb));
	return (struct vif_skb_cb *)qdisc_skb_cb(skb)->data;
}

/* Measure a GSO packet; @len is its own length, @tag the length of its VLAN tag in bytes. */
struct vif_wire vif_wire_measure_gso(const struct sk_buff *skb,
				     unsigned int len, unsigned int tag);

/**
 * vif_wire_measure() - see struct vif_wire
 * @skb: at ingress or egress; skb->data may be behind the link-layer header
 *
 * Context: packet context. Changes nothing.
 * Return: its size on the wire.
 */
static inline struct vif_wire vif_wire_measure(const struct sk_buff *skb)
{
	unsigned int tag = skb_vlan_tag_present(skb) ? VLAN_HLEN : 0;
	unsigned int len = skb->len - skb_mac_offset(skb);

	if (skb_is_gso(skb))
		return vif_wire_measure_gso(skb, len, tag);
	return (struct vif_wire) { .bytes = len + tag, .packets = 1 };
}

/* Is it a GSO packet that a guest has made, or a packet socket? */
static inline bool vif_packet_is_foreign(const struct sk_buff *skb)
{
	return skb_is_gso(skb) && unlikely(skb_shinfo(skb)->gso_type & SKB_GSO_DODGY);
}

/* vif_packet_is_malformed() of a foreign GSO packet */
bool __vif_packet_is_malformed(const struct sk_buff *skb);

/**
 * vif_packet_is_malformed() - is it a foreign GSO packet that is not what it says?
 * @skb: with the network header set
 *
 * A guest, by its network card, or a packet socket may say anything of the headers that its
 * segments repeat. Their bytes tell; if the core would not find these headers, or not cut the
 * packet into segments that can be counted, nothing about it is known.
 * Context: packet context. Changes nothing.
 */
static inline bool vif_packet_is_malformed(const struct sk_buff *skb)
{
	return vif_packet_is_foreign(skb) && __vif_packet_is_malformed(skb);
}

/**
 * vif_link_layer_charge() - what a packet costs
 * @layer: see vif_link_layer_bytes()
 * @skb: the packet; each segment of a GSO or GRO packet is one for the link
 * @wire: its vif_wire_measure()
 *
 * Return: its bytes on the link.
 */
u32 vif_link_layer_charge(const struct vif_link_layer *layer,
			  const struct sk_buff *skb, struct vif_wire wire);

/* vif_packet_exempt() for protocols other than IPv4 */
bool vif_packet_exempt_other(const struct sk_buff *skb);

/**
 * vif_packet_exempt() - may it pass without waiting, as far as there is a budget (exempt.h)?
 * @skb: with the network header set
 *
 * True for packets of a frame's length that keep the link itself alive: ARP, neighbour discovery,
 * and slow protocols (LACP), 802.1X, LLDP and PTP that are for this host or a group. Nothing but
 * the packet's own headers says so.
 * Context: packet context.
 */
static inline bool vif_packet_exempt(const struct sk_buff *skb)
{
	return skb->protocol != htons(ETH_P_IP) && vif_packet_exempt_other(skb);
}

/**
 * vif_packet_disown() - release the socket of a packet that will be queued
 * @skb: the packet, with or without a socket
 *
 * Two kinds of sockets are released. Sockets by which the kernel itself answers are shared: packets
 * that are queued in one VIF must not use up their send buffer. A socket to which a BPF program has
 * assigned a received packet, that was then redirected, may be valid in this RCU read section only.
 */
void vif_packet_disown(struct sk_buff *skb);

/**
 * vif_packet_hold_egress() - prepare a sent packet for queueing
 * @skb: owned by the caller
 *
 * The packet holds its route. It keeps its socket as owner, so that the send buffer and TCP small
 * queues slow the sender down, but see vif_packet_disown().
 * Context: packet context, caller holds rcu_read_lock().
 * Return: the packet, perhaps a copy, or NULL: it was dropped and freed.
 */
struct sk_buff *vif_packet_hold_egress(struct sk_buff *skb);

/**
 * vif_packet_hold_ingress() - prepare a received packet for queueing
 * @skb: owned by the caller
 *
 * Drop the sender's socket, which packets from a veth still carry.
 * Connection tracking stays: on lo it belongs to the sender's hooks. Devices,
 * and so queued packets, end before a namespace's connection tracking does.
 * Context, return: as vif_packet_hold_egress().
 */
struct sk_buff *vif_packet_hold_ingress(struct sk_buff *skb);

/**
 * vif_packet_segment_egress() - cut a GSO packet
 * @skb: owned by the caller; consumed if the call succeeds
 * @most: number of segments that may stay together, in shorter GSO packets
 *
 * Return: a list linked by skb->next, or NULL: it cannot be segmented.
 */
struct sk_buff *vif_packet_segment_egress(struct sk_buff *skb, u32 most);

/* The same of a received packet, for which it undoes GRO. */
struct sk_buff *vif_packet_segment_ingress(struct sk_buff *skb, u32 most);

/**
 * vif_packet_tcp_key() - return the number by which a packet's connection is found
 * @skb: the packet, at its link-layer or network header
 * @sent: by this host
 *
 * Packets of both directions of a connection have the same number.
 * Return: odd; 0 if it is no whole TCP packet.
 */
u32 vif_packet_tcp_key(const struct sk_buff *skb, bool sent);

#endif
