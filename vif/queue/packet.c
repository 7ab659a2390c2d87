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
#include "ip.h"

/* VLAN headers in a packet that the core looks behind when it cuts it */
#define VLANS_MOST	8

static int vif_packet_version_at(const struct sk_buff *skb, int offset)
{
	const u8 *first;
	u8 buf;

	first = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	return first ? *first >> 4 : 0;
}

/* Return the protocol in an Ethernet header at @offset. */
static __be16 vif_packet_protocol_at(const struct sk_buff *skb, int offset)
{
	const __be16 *protocol;
	__be16 buf;

	protocol = skb_header_pointer(skb, offset + offsetof(struct ethhdr, h_proto), sizeof(buf),
				      &buf);
	return protocol ? *protocol : 0;
}

/*
 * Go behind VLAN tags, like the core (skb_network_protocol()), beginning with the header before
 * @offset, which may already be pulled. @protocol is 0 if the tags do not end.
 */
static int vif_packet_skip_vlans(const struct sk_buff *skb, int offset, int link, __be16 *protocol)
{
	const struct vlan_hdr *vlan;
	struct vlan_hdr buf;
	int vlans;

	if (!eth_type_vlan(*protocol))
		return offset;
	offset -= VLAN_HLEN;
	for (vlans = 0; eth_type_vlan(*protocol) && vlans < VLANS_MOST; vlans++) {
		vlan = offset - link < ETH_HLEN - VLAN_HLEN ? NULL :
		       skb_header_pointer(skb, offset, sizeof(buf), &buf);
		*protocol = vlan ? vlan->h_vlan_encapsulated_proto : 0;
		offset += VLAN_HLEN;
	}
	return offset;
}

/*
 * Does the core cut the packet by the headers inside? A guest may say so of any packet, and of any
 * place in it, but the core begins with the headers in front: if these are TCP's, it cuts by them.
 */
static bool vif_packet_is_tunnel(const struct sk_buff *skb)
{
	__be16 network = skb->protocol;
	int offset = vif_packet_skip_vlans(skb, skb_network_offset(skb), skb_mac_offset(skb), &network);
	u8 protocol;

	return vif_ip_skip(skb, offset, network, &protocol) != VIF_IP_NOWHERE &&
	       (protocol == IPPROTO_UDP || protocol == IPPROTO_GRE || protocol == IPPROTO_IPIP ||
		protocol == IPPROTO_IPV6);
}

/*
 * Find the network header from which the core makes the headers of segments, by the core's rules:
 * it is behind the headers of the tunnel and of VLANs. Return its offset; @protocol is 0 if there
 * is none.
 */
static int vif_packet_segmented_network(const struct sk_buff *skb, __be16 *protocol)
{
	int offset = skb_network_offset(skb), link = skb_mac_offset(skb);

	*protocol = skb->protocol;
	if (skb->encapsulation) {
		offset = skb_inner_network_offset(skb);
		link = skb_inner_mac_header(skb) - skb->data;
		*protocol = vif_packet_version_at(skb, offset) == 4 ? htons(ETH_P_IP) :
							      htons(ETH_P_IPV6);
		if (skb->inner_protocol_type == ENCAP_TYPE_ETHER &&
		    skb->inner_protocol == htons(ETH_P_TEB))
			*protocol = vif_packet_protocol_at(skb, link);
		if (!vif_packet_is_tunnel(skb))
			*protocol = 0;
	}
	return vif_packet_skip_vlans(skb, offset, link, protocol);
}

/* Is it of the protocol of which the core will cut it? */
static bool vif_packet_is_of_type(unsigned int type, u8 protocol)
{
	if (type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6))
		return protocol == IPPROTO_TCP;
	return type & (SKB_GSO_UDP_L4 | SKB_GSO_UDP) && protocol == IPPROTO_UDP;
}

/*
 * Find the transport header by a packet's bytes alone. Returns its offset, with IPv6's
 * header of fragments if there will be one (UFO), or VIF_IP_NOWHERE.
 */
static int vif_packet_segmented_transport(const struct sk_buff *skb, unsigned int type)
{
	__be16 network;
	int offset = vif_packet_segmented_network(skb, &network);
	u8 protocol;

	offset = vif_ip_skip(skb, offset, network, &protocol);
	if (offset == VIF_IP_NOWHERE || !vif_packet_is_of_type(type, protocol))
		return VIF_IP_NOWHERE;
	if (network == htons(ETH_P_IPV6) && type & SKB_GSO_UDP)
		offset += sizeof(struct frag_hdr);
	return offset;
}

/*
 * A guest or a packet socket has made the packet, and says where its transport header begins:
 * that need not be true. What the kernel has encrypted since has been through its IP.
 */
static bool vif_packet_is_foreign_gso(const struct sk_buff *skb)
{
	return (skb_shinfo(skb)->gso_type & (SKB_GSO_DODGY | SKB_GSO_ESP)) == SKB_GSO_DODGY;
}

/*
 * Return where the headers end that each segment repeats, except the last one; or VIF_IP_NOWHERE.
 */
static int vif_packet_transport_offset(const struct sk_buff *skb, unsigned int type)
{
	if (vif_packet_is_foreign_gso(skb))
		return vif_packet_segmented_transport(skb, type);
	if (skb->encapsulation)
		return skb_inner_transport_header(skb) - skb->data;
	return skb_transport_header_was_set(skb) ? skb_transport_offset(skb) : VIF_IP_NOWHERE;
}

/* Bytes of the headers that each segment of a GSO packet repeats; 0 if unknown. */
static unsigned int vif_packet_gso_header_bytes(const struct sk_buff *skb)
{
	const unsigned int type = skb_shinfo(skb)->gso_type;
	int offset = vif_packet_transport_offset(skb, type);
	const struct tcphdr *th;
	struct tcphdr buf;

	if (offset == VIF_IP_NOWHERE || offset < skb_mac_offset(skb))
		return 0;
	if (type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6)) {
		th = skb_header_pointer(skb, offset, sizeof(buf), &buf);
		if (!th || th->doff < 5)
			return 0;
		offset += __tcp_hdrlen(th);
	} else if (type & SKB_GSO_SCTP) {
		offset += sizeof(struct sctphdr);
	} else if (type & SKB_GSO_UDP_L4) {
		offset += sizeof(struct udphdr);
	} else if (!(type & SKB_GSO_UDP)) {
		/* fragments of UDP (UFO) repeat none of its header */
		return 0;
	}
	return offset - skb_mac_offset(skb);
}

/* @len: without its VLAN tag, which has @tag bytes */
static struct vif_gso
vif_packet_read_gso(const struct sk_buff *skb, unsigned int len, unsigned int tag)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	unsigned int header = vif_packet_gso_header_bytes(skb), jumbo = vif_gso_jumbo_bytes(skb);

	if (unlikely(jumbo) && header > jumbo) {
		header -= jumbo;
		len -= jumbo;
	}
	if (shinfo->gso_size == GSO_BY_FRAGS)
		return vif_gso_by_count(len, header, tag, shinfo->gso_segs);
	/* if the core does not find the headers, it does not segment it */
	if (!header && vif_packet_is_foreign_gso(skb))
		return vif_gso_by_size(len, 0, tag, 0);
	return vif_gso_by_size(len, header, tag, shinfo->gso_size);
}

struct vif_wire vif_wire_measure_gso(const struct sk_buff *skb,
				     unsigned int len, unsigned int tag)
{
	struct vif_gso gso = vif_packet_read_gso(skb, len, tag);

	return vif_gso_wire(&gso);
}

bool __vif_packet_is_malformed(const struct sk_buff *skb)
{
	return vif_packet_is_foreign_gso(skb) &&
	       !vif_gso_is_sound(skb->len - skb_mac_offset(skb), vif_packet_gso_header_bytes(skb),
				 skb_shinfo(skb)->gso_size);
}

/* Bytes before the network header; none if it was never set: then all bytes are after it. */
static unsigned int vif_packet_link_header_bytes(const struct sk_buff *skb)
{
	unsigned int len = skb->len - skb_mac_offset(skb);

	return len - min_t(unsigned int, skb->len - skb_network_offset(skb), len);
}

u32 vif_link_layer_charge(const struct vif_link_layer *layer,
			  const struct sk_buff *skb, struct vif_wire wire)
{
	unsigned int tag = skb_vlan_tag_present(skb) ? VLAN_HLEN : 0;
	u32 header = vif_packet_link_header_bytes(skb);
	struct vif_gso gso;

	if (wire.packets == 1)
		return vif_link_layer_bytes(layer, wire.bytes, header + tag);
	gso = vif_packet_read_gso(skb, skb->len - skb_mac_offset(skb), tag);
	return vif_link_layer_gso_bytes(layer, &gso, header);
}

static bool vif_packet_neighbour_discovery(const struct sk_buff *skb)
{
	const struct icmp6hdr *icmp;
	struct icmp6hdr buf;
	struct vif_ip ip;

	if (!vif_ip_of(skb, &ip) || ip.next != IPPROTO_ICMPV6 || ip.hops != 255)
		return false;
	icmp = skb_header_pointer(skb, ip.end, sizeof(buf), &buf);
	return icmp && icmp->icmp6_type >= NDISC_ROUTER_SOLICITATION &&
	       icmp->icmp6_type <= NDISC_REDIRECT;
}

/* A bridge does not pass on what a neighbour sends to its neighbours, or to us. */
static bool vif_packet_is_for_neighbours(const struct sk_buff *skb)
{
	return skb->pkt_type == PACKET_HOST || skb->pkt_type == PACKET_MULTICAST;
}

bool vif_packet_exempt_other(const struct sk_buff *skb)
{
	if (skb->len > ETH_DATA_LEN + ETH_HLEN || skb_is_gso(skb))
		return false;
	switch (skb->protocol) {
	case htons(ETH_P_ARP):
		return true;
	case htons(ETH_P_SLOW):
	case htons(ETH_P_PAE):
	case htons(ETH_P_LLDP):
	case htons(ETH_P_1588):
		return vif_packet_is_for_neighbours(skb);
	case htons(ETH_P_IPV6):
		return vif_packet_neighbour_discovery(skb);
	default:
		return false;
	}
}

/*
 * All users share the sockets by which the kernel itself answers (RST, ICMP). Queued packets of one
 * VIF must not fill the send buffers of these. TCP connections of the kernel (NFS) are treated like
 * other connections.
 */
static bool vif_packet_reply_socket(const struct sock *sk)
{
	return sk_fullsock(sk) && !sk->sk_net_refcnt && !sk_is_tcp(sk);
}

void vif_packet_disown(struct sk_buff *skb)
{
	if (skb->sk && (skb_sk_is_prefetched(skb) || vif_packet_reply_socket(skb->sk)))
		skb_orphan(skb);
}

/* Needed in both directions: an own copy of the packet, and its route. */
static struct sk_buff *vif_packet_own(struct sk_buff *skb)
{
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb || !skb_dst(skb) || skb_dst_force(skb))
		return skb;
	vif_drop_skb(skb, VIF_DROP_NOMEM);
	return NULL;
}

struct sk_buff *vif_packet_hold_egress(struct sk_buff *skb)
{
	skb = vif_packet_own(skb);
	if (skb)
		vif_packet_disown(skb);
	return skb;
}

/* br_netfilter notes the port without holding it: it may go meanwhile. */
static void vif_packet_forget_bridge_port(struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_BRIDGE_NETFILTER)
	skb_ext_del(skb, SKB_EXT_BRIDGE_NF);
#endif
}

struct sk_buff *vif_packet_hold_ingress(struct sk_buff *skb)
{
	skb = vif_packet_own(skb);
	if (!skb)
		return NULL;
	/* frags of a zero-copy sender must not wait for another process */
	if (skb_orphan_frags_rx(skb, GFP_ATOMIC)) {
		vif_drop_skb(skb, VIF_DROP_NOMEM);
		return NULL;
	}
	skb_orphan(skb);
	vif_packet_forget_bridge_port(skb);
	return skb;
}

/* Packets merged by the kernel: frame lists and a guest's packets stay as they were received. */
static bool vif_packet_is_ours_to_cut(const struct sk_buff *skb)
{
	const unsigned int types = SKB_GSO_TCPV4 | SKB_GSO_TCPV6 | SKB_GSO_TCP_ECN |
				   SKB_GSO_TCP_FIXEDID | SKB_GSO_UDP_L4;

	return !(skb_shinfo(skb)->gso_type & ~types) && !skb_has_frag_list(skb) &&
	       skb->ip_summed == CHECKSUM_PARTIAL &&
	       (skb->protocol == htons(ETH_P_IP) || skb->protocol == htons(ETH_P_IPV6));
}

/* Return how many segments of a GSO packet stay together: at most @most. */
static unsigned int
vif_packet_segments_together(const struct sk_buff *skb, const struct vif_gso *gso, u32 most)
{
	if (most <= 1 || !gso->header || !vif_packet_is_ours_to_cut(skb))
		return 1;
	return vif_gso_together(gso, most);
}

/* The kernel has numbered the pieces; each segment before a piece needs a number of its own. */
static void vif_packet_renumber(struct sk_buff *piece, unsigned int more)
{
	struct iphdr *ip = ip_hdr(piece);

	ip->id = htons(ntohs(ip->id) + more);
	ip_send_check(ip);
}

/* A piece that is longer than a segment is a GSO packet again. */
static void vif_packet_mark_piece(struct sk_buff *piece, unsigned int size, unsigned int type,
				  unsigned int header)
{
	unsigned int payload = piece->len - header;

	if (payload <= size)
		return;
	skb_shinfo(piece)->gso_size = size;
	skb_shinfo(piece)->gso_type = type;
	skb_shinfo(piece)->gso_segs = DIV_ROUND_UP(payload, size);
}

static void vif_packet_mark_pieces(struct sk_buff *pieces, unsigned int size, unsigned int type,
				   unsigned int header, unsigned int together)
{
	bool numbered = pieces->protocol == htons(ETH_P_IP) && !(type & SKB_GSO_TCP_FIXEDID);
	struct sk_buff *piece;
	unsigned int more = 0;

	for (piece = pieces; piece; piece = piece->next) {
		vif_packet_mark_piece(piece, size, type, header);
		if (numbered)
			vif_packet_renumber(piece, more);
		more += together - 1;
	}
}

/* Cut a GSO packet into pieces of up to @most segments; for the kernel a piece is one segment. */
static struct sk_buff *
vif_packet_segment(struct sk_buff *skb, netdev_features_t features, bool tx_path, u32 most)
{
	const unsigned int size = skb_shinfo(skb)->gso_size, type = skb_shinfo(skb)->gso_type;
	const struct vif_gso gso = vif_packet_read_gso(skb, skb->len - skb_mac_offset(skb), 0);
	const unsigned int together = vif_packet_segments_together(skb, &gso, most);
	struct sk_buff *pieces;

	if (together > 1) {
		/* a retransmission checks the retransmitted packet itself */
		if (skb_unclone(skb, GFP_ATOMIC))
			return NULL;
		features |= NETIF_F_SG | NETIF_F_HW_CSUM;
		skb_shinfo(skb)->gso_size = size * together;
	}
	pieces = __skb_gso_segment(skb, features & ~NETIF_F_GSO_MASK, tx_path);
	if (IS_ERR_OR_NULL(pieces))
		return NULL;
	if (together > 1)
		vif_packet_mark_pieces(pieces, size, type, gso.header, together);
	consume_skb(skb);
	return pieces;
}

struct sk_buff *vif_packet_segment_egress(struct sk_buff *skb, u32 most)
{
	return vif_packet_segment(skb, netif_skb_features(skb), true, most);
}

struct sk_buff *vif_packet_segment_ingress(struct sk_buff *skb, u32 most)
{
	unsigned int mac_len = skb->data - skb_mac_header(skb);
	struct sk_buff *segs, *seg;

	if (skb_cow_head(skb, mac_len))
		return NULL;
	skb_push(skb, mac_len);
	segs = vif_packet_segment(skb, NETIF_F_SG | NETIF_F_HW_CSUM, false, most);
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

static u32 vif_packet_key_seed(void)
{
	static u32 seed __read_mostly;

	net_get_random_once(&seed, sizeof(seed));
	return seed;
}

static u32 vif_packet_hash(u32 theirs, u32 ours, __be16 their_port, __be16 our_port)
{
	return jhash_3words(theirs, ours,
			    (__force u32)their_port << 16 | (__force u32)our_port,
			    vif_packet_key_seed()) | 1;
}

static u32 vif_packet_fold(const struct in6_addr *addr)
{
	return __ipv6_addr_jhash(addr, vif_packet_key_seed());
}

u32 vif_packet_tcp_key(const struct sk_buff *skb, bool sent)
{
	struct vif_ip ip;
	__be16 ports[2];
	u32 source, dest;

	if (!vif_ip_of(skb, &ip) || ip.protocol != IPPROTO_TCP || ip.fragment ||
	    !vif_ip_ports(skb, &ip, ports))
		return 0;
	source = vif_packet_fold(&ip.saddr.in6);
	dest = vif_packet_fold(&ip.daddr.in6);
	if (sent)
		return vif_packet_hash(dest, source, ports[1], ports[0]);
	return vif_packet_hash(source, dest, ports[0], ports[1]);
}
