// SPDX-License-Identifier: GPL-2.0
#include "packet.h"

#include <linux/icmpv6.h>
#include <linux/if_ether.h>
#include <linux/ipv6.h>
#include <linux/sctp.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/dst.h>
#include <net/ndisc.h>
#include <net/sock.h>

#include "../compat/gso.h"

/* Bytes of the headers that each segment of a GSO packet repeats. */
static unsigned int gso_header_bytes(const struct sk_buff *skb)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	const struct tcphdr *th;
	struct tcphdr buf;
	int offset;

	if (skb->encapsulation) {
		offset = skb_inner_transport_header(skb) - skb->data;
	} else {
		if (!skb_transport_header_was_set(skb))
			return 0;
		offset = skb_transport_offset(skb);
	}
	if (shinfo->gso_type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6)) {
		th = skb_header_pointer(skb, offset, sizeof(buf), &buf);
		if (!th)
			return 0;
		return offset + __tcp_hdrlen(th) - skb_mac_offset(skb);
	}
	if (shinfo->gso_type & SKB_GSO_SCTP)
		return offset + sizeof(struct sctphdr) - skb_mac_offset(skb);
	if (shinfo->gso_type & (SKB_GSO_UDP_L4 | SKB_GSO_UDP))
		return offset + sizeof(struct udphdr) - skb_mac_offset(skb);
	return 0;
}

struct vif_wire vif_wire_measure_gso(const struct sk_buff *skb,
				     unsigned int len, unsigned int tag)
{
	unsigned int header = gso_header_bytes(skb);
	unsigned int gso_size = skb_shinfo(skb)->gso_size;
	struct vif_wire wire = { .bytes = len + tag, .packets = 1 };

	/* gso_segs is not to be trusted where a guest has made the packet */
	if (gso_size == GSO_BY_FRAGS)
		wire.packets = max_t(u32, skb_shinfo(skb)->gso_segs, 1);
	else if (len > header)
		wire.packets = DIV_ROUND_UP(len - header, gso_size);
	wire.bytes += (wire.packets - 1) * (header + tag);
	return wire;
}

u32 vif_link_layer_bytes(const struct vif_link_layer *layer, u32 bytes, u32 header)
{
	int n = bytes;

	if (READ_ONCE(layer->has_overhead))
		n += READ_ONCE(layer->overhead) - (int)header;
	n = max3(n, (int)READ_ONCE(layer->mpu), 1);
	switch (READ_ONCE(layer->framing)) {
	case VIF_FRAMING_ATM:
		return DIV_ROUND_UP(n, 48) * 53;
	case VIF_FRAMING_PTM:
		return n + DIV_ROUND_UP(n, 64);
	default:
		return n;
	}
}

/* What is before the network header; all is behind it where nobody has set that. */
static unsigned int link_header_bytes(const struct sk_buff *skb)
{
	unsigned int len = skb->len - skb_mac_offset(skb);

	return len - min_t(unsigned int, skb->len - skb_network_offset(skb), len);
}

/* The bytes of each segment but the last one; those of SCTP are of several lengths. */
static u32 segment_bytes(const struct sk_buff *skb, struct vif_wire wire,
			 unsigned int tag)
{
	unsigned int gso_size = skb_shinfo(skb)->gso_size;

	if (gso_size == GSO_BY_FRAGS)
		return wire.bytes / wire.packets;
	return gso_header_bytes(skb) + tag + gso_size;
}

u32 vif_link_layer_charge(const struct vif_link_layer *layer,
			  const struct sk_buff *skb, struct vif_wire wire)
{
	unsigned int tag = skb_vlan_tag_present(skb) ? VLAN_HLEN : 0;
	u32 header, each, others = wire.packets - 1;

	header = link_header_bytes(skb) + tag;
	if (!others)
		return vif_link_layer_bytes(layer, wire.bytes, header);
	each = segment_bytes(skb, wire, tag);
	return others * vif_link_layer_bytes(layer, each, header) +
	       vif_link_layer_bytes(layer, wire.bytes - others * each, header);
}

static bool neighbour_discovery(const struct sk_buff *skb)
{
	const struct icmp6hdr *icmp;
	const struct ipv6hdr *ip;
	struct icmp6hdr icmp_buf;
	struct ipv6hdr ip_buf;
	int offset = skb_network_offset(skb);

	ip = skb_header_pointer(skb, offset, sizeof(ip_buf), &ip_buf);
	if (!ip || ip->nexthdr != IPPROTO_ICMPV6 || ip->hop_limit != 255)
		return false;
	icmp = skb_header_pointer(skb, offset + sizeof(*ip), sizeof(icmp_buf),
				  &icmp_buf);
	return icmp && icmp->icmp6_type >= NDISC_ROUTER_SOLICITATION &&
	       icmp->icmp6_type <= NDISC_REDIRECT;
}

bool vif_packet_exempt_other(const struct sk_buff *skb)
{
	switch (skb->protocol) {
	case htons(ETH_P_ARP):
	case htons(ETH_P_SLOW):
	case htons(ETH_P_PAE):
	case htons(ETH_P_LLDP):
	case htons(ETH_P_1588):
		return true;
	case htons(ETH_P_IPV6):
		return neighbour_discovery(skb);
	default:
		return false;
	}
}

/*
 * The sockets with which the kernel itself answers (RST, ICMP) are shared by
 * everybody: their send buffer must not fill up with what one VIF holds. Its
 * TCP connections (NFS) are ones like any other.
 */
static bool reply_socket(const struct sock *sk)
{
	return sk_fullsock(sk) && !sk->sk_net_refcnt && !sk_is_tcp(sk);
}

void vif_packet_disown(struct sk_buff *skb)
{
	if (skb->sk && reply_socket(skb->sk))
		skb_orphan(skb);
}

static bool hold_route(struct sk_buff *skb)
{
	return !skb_dst(skb) || skb_dst_force(skb);
}

/* What both directions need: a packet of our own, and its route. */
static struct sk_buff *hold(struct sk_buff *skb)
{
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb || hold_route(skb))
		return skb;
	vif_drop_skb(skb, VIF_DROP_NOMEM);
	return NULL;
}

struct sk_buff *vif_packet_hold_egress(struct sk_buff *skb)
{
	skb = hold(skb);
	if (skb)
		vif_packet_disown(skb);
	return skb;
}

/* br_netfilter notes the port without holding it: it may go meanwhile. */
static void forget_bridge_port(struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_BRIDGE_NETFILTER)
	skb_ext_del(skb, SKB_EXT_BRIDGE_NF);
#endif
}

struct sk_buff *vif_packet_hold_ingress(struct sk_buff *skb)
{
	skb = hold(skb);
	if (!skb)
		return NULL;
	/* frags of a zero-copy sender must not wait for somebody else */
	if (skb_orphan_frags_rx(skb, GFP_ATOMIC)) {
		vif_drop_skb(skb, VIF_DROP_NOMEM);
		return NULL;
	}
	skb_orphan(skb);
	forget_bridge_port(skb);
	return skb;
}

struct sk_buff *vif_packet_segment_egress(struct sk_buff *skb)
{
	netdev_features_t features = netif_skb_features(skb);
	struct sk_buff *segs;

	segs = skb_gso_segment(skb, features & ~NETIF_F_GSO_MASK);
	if (IS_ERR_OR_NULL(segs))
		return NULL;
	consume_skb(skb);
	return segs;
}

struct sk_buff *vif_packet_segment_ingress(struct sk_buff *skb)
{
	unsigned int mac_len = skb->data - skb_mac_header(skb);
	struct sk_buff *segs, *seg;

	if (skb_cow_head(skb, mac_len))
		return NULL;
	skb_push(skb, mac_len);
	segs = __skb_gso_segment(skb, NETIF_F_SG | NETIF_F_HW_CSUM, false);
	if (IS_ERR_OR_NULL(segs)) {
		__skb_pull(skb, mac_len);
		return NULL;
	}
	consume_skb(skb);
	for (seg = segs; seg; seg = seg->next) {
		__skb_pull(seg, mac_len);
		skb_reset_network_header(seg);
	}
	return segs;
}
