// SPDX-License-Identifier: GPL-2.0
#include "packet.h"

#include <linux/icmpv6.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <linux/net.h>
#include <linux/sctp.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/dst.h>
#include <net/ip.h>
#include <net/ipv6.h>
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

/* What the kernel itself has put together: frames of lists, and a guest's, are as they came. */
static bool is_ours_to_cut(const struct sk_buff *skb)
{
	const unsigned int types = SKB_GSO_TCPV4 | SKB_GSO_TCPV6 | SKB_GSO_TCP_ECN |
				   SKB_GSO_TCP_FIXEDID | SKB_GSO_UDP_L4;

	return !(skb_shinfo(skb)->gso_type & ~types) && !skb_has_frag_list(skb) &&
	       skb->ip_summed == CHECKSUM_PARTIAL &&
	       (skb->protocol == htons(ETH_P_IP) || skb->protocol == htons(ETH_P_IPV6));
}

/* So many segments of a GSO packet stay together: at most @most, if they can. */
static unsigned int segments_together(const struct sk_buff *skb, u32 most)
{
	if (most <= 1 || !is_ours_to_cut(skb))
		return 1;
	return clamp_t(u32, most, 1, GSO_LEGACY_MAX_SIZE / skb_shinfo(skb)->gso_size);
}

/* Segments before a piece have had numbers of their own. */
static void renumber(struct sk_buff *piece, unsigned int more)
{
	struct iphdr *ip = ip_hdr(piece);

	ip->id = htons(ntohs(ip->id) + more);
	ip_send_check(ip);
}

/* A piece that is longer than a segment is a GSO packet again. */
static void mark_piece(struct sk_buff *piece, unsigned int size, unsigned int type,
		       unsigned int header)
{
	unsigned int payload = piece->len - header;

	if (payload <= size)
		return;
	skb_shinfo(piece)->gso_size = size;
	skb_shinfo(piece)->gso_type = type;
	skb_shinfo(piece)->gso_segs = DIV_ROUND_UP(payload, size);
}

static void mark_pieces(struct sk_buff *pieces, unsigned int size, unsigned int type,
			unsigned int header, unsigned int together)
{
	bool numbered = pieces->protocol == htons(ETH_P_IP) && !(type & SKB_GSO_TCP_FIXEDID);
	struct sk_buff *piece;
	unsigned int more = 0;

	for (piece = pieces; piece; piece = piece->next) {
		mark_piece(piece, size, type, header);
		if (numbered)
			renumber(piece, more);
		more += together - 1;
	}
}

/* As if so many segments were one, for a moment. */
static struct sk_buff *segment(struct sk_buff *skb, netdev_features_t features, bool tx_path,
			       unsigned int together)
{
	unsigned int size = skb_shinfo(skb)->gso_size, type = skb_shinfo(skb)->gso_type;
	unsigned int header = gso_header_bytes(skb);
	struct sk_buff *pieces;

	if (together > 1) {
		/* who sends again looks at that of his own */
		if (skb_unclone(skb, GFP_ATOMIC))
			return NULL;
		features |= NETIF_F_SG | NETIF_F_HW_CSUM;
		skb_shinfo(skb)->gso_size = size * together;
	}
	pieces = __skb_gso_segment(skb, features & ~NETIF_F_GSO_MASK, tx_path);
	if (IS_ERR_OR_NULL(pieces))
		return NULL;
	if (together > 1)
		mark_pieces(pieces, size, type, header, together);
	consume_skb(skb);
	return pieces;
}

struct sk_buff *vif_packet_segment_egress(struct sk_buff *skb, u32 most)
{
	return segment(skb, netif_skb_features(skb), true, segments_together(skb, most));
}

struct sk_buff *vif_packet_segment_ingress(struct sk_buff *skb, u32 most)
{
	unsigned int mac_len = skb->data - skb_mac_header(skb);
	unsigned int together = segments_together(skb, most);
	struct sk_buff *segs, *seg;

	if (skb_cow_head(skb, mac_len))
		return NULL;
	skb_push(skb, mac_len);
	segs = segment(skb, NETIF_F_SG | NETIF_F_HW_CSUM, false, together);
	if (!segs) {
		__skb_pull(skb, mac_len);
		return NULL;
	}
	for (seg = segs; seg; seg = seg->next) {
		__skb_pull(seg, mac_len);
		skb_reset_network_header(seg);
	}
	return segs;
}

static u32 key_seed(void)
{
	static u32 seed __read_mostly;

	net_get_random_once(&seed, sizeof(seed));
	return seed;
}

static u32 hash(u32 theirs, u32 ours, __be16 their_port, __be16 our_port)
{
	return jhash_3words(theirs, ours,
			    (__force u32)their_port << 16 | (__force u32)our_port,
			    key_seed()) | 1;
}

static u32 fold(const struct in6_addr *addr)
{
	return __ipv6_addr_jhash(addr, key_seed());
}

/* @offset: of the ports */
static u32 key_of(const struct sk_buff *skb, int offset, u32 saddr, u32 daddr, bool sent)
{
	const __be16 *ports;
	__be16 ports_buf[2];

	ports = skb_header_pointer(skb, offset, sizeof(ports_buf), ports_buf);
	if (!ports)
		return 0;
	if (sent)
		return hash(daddr, saddr, ports[1], ports[0]);
	return hash(saddr, daddr, ports[0], ports[1]);
}

static u32 key4(const struct sk_buff *skb, int offset, bool sent)
{
	const struct iphdr *ip;
	struct iphdr ip_buf;

	ip = skb_header_pointer(skb, offset, sizeof(ip_buf), &ip_buf);
	if (!ip || ip->protocol != IPPROTO_TCP || ip_is_fragment(ip))
		return 0;
	return key_of(skb, offset + ip->ihl * 4, (__force u32)ip->saddr,
		      (__force u32)ip->daddr, sent);
}

static u32 key6(const struct sk_buff *skb, int offset, bool sent)
{
	const struct ipv6hdr *ip;
	struct ipv6hdr ip_buf;

	ip = skb_header_pointer(skb, offset, sizeof(ip_buf), &ip_buf);
	if (!ip || ip->nexthdr != IPPROTO_TCP)
		return 0;
	return key_of(skb, offset + sizeof(*ip), fold(&ip->saddr), fold(&ip->daddr), sent);
}

u32 vif_packet_tcp_key(const struct sk_buff *skb, bool sent)
{
	switch (skb->protocol) {
	case htons(ETH_P_IP):
		return key4(skb, skb_network_offset(skb), sent);
	case htons(ETH_P_IPV6):
		return key6(skb, skb_network_offset(skb), sent);
	default:
		return 0;
	}
}
