// SPDX-License-Identifier: GPL-2.0
#include "inner.h"

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/gre.h>
#include <net/ip.h>
#include <net/ipv6.h>

#define PORT_VXLAN	4789
/* Linux's own, from before that was assigned */
#define PORT_VXLAN_OLD	8472
#define PORT_GENEVE	6081

/**
 * struct place - how far the headers have been read
 * @skb: of which packet
 * @offset: where the next one begins
 * @protocol: IPPROTO_* of what comes behind the outer IP header
 * @type: ETH_P_* of what is next: the packet's, then that of the packet in it
 */
struct place {
	const struct sk_buff *skb;
	unsigned int offset;
	u8 protocol;
	__be16 type;
};

/* Copies, and goes on behind, some bytes; false if there are fewer. */
static bool vif_inner_read(struct place *p, void *to, unsigned int bytes)
{
	if (skb_copy_bits(p->skb, p->offset, to, bytes))
		return false;
	p->offset += bytes;
	return true;
}

static bool vif_inner_read_outer(struct place *p)
{
	struct ipv6hdr ip6;
	struct iphdr ip;
	__be16 fragment;
	int offset;
	u8 next;

	if (p->type == htons(ETH_P_IP)) {
		if (!vif_inner_read(p, &ip, sizeof(ip)) || ip.ihl < 5 ||
		    ip.frag_off & htons(IP_OFFSET))
			return false;
		p->offset += 4 * ip.ihl - sizeof(ip);
		p->protocol = ip.protocol;
		return true;
	}
	if (p->type != htons(ETH_P_IPV6) || !vif_inner_read(p, &ip6, sizeof(ip6)))
		return false;
	next = ip6.nexthdr;
	offset = ipv6_skip_exthdr(p->skb, p->offset, &next, &fragment);
	if (offset < 0 || fragment & htons(IP6_OFFSET))
		return false;
	p->offset = offset;
	p->protocol = next;
	return true;
}

static bool vif_inner_read_ethernet(struct place *p)
{
	struct ethhdr eth;

	if (p->type != htons(ETH_P_TEB))
		return true;
	if (!vif_inner_read(p, &eth, sizeof(eth)))
		return false;
	p->type = eth.h_proto;
	return true;
}

static bool vif_inner_read_gre(struct place *p)
{
	struct gre_base_hdr gre;

	if (!vif_inner_read(p, &gre, sizeof(gre)) || gre.flags & (GRE_VERSION | GRE_ROUTING))
		return false;
	p->offset += 4 * (!!(gre.flags & GRE_CSUM) + !!(gre.flags & GRE_KEY) +
			  !!(gre.flags & GRE_SEQ));
	p->type = gre.protocol;
	return vif_inner_read_ethernet(p);
}

/* Both have eight bytes, Geneve's options of so many words behind. */
static bool vif_inner_read_udp(struct place *p)
{
	struct {
		u8 options;
		u8 flags;
		__be16 type;
		__be32 number;
	} tunnel;
	struct udphdr udp;

	if (!vif_inner_read(p, &udp, sizeof(udp)))
		return false;
	switch (udp.dest) {
	case htons(PORT_VXLAN):
	case htons(PORT_VXLAN_OLD):
		p->type = htons(ETH_P_TEB);
		return vif_inner_read(p, &tunnel, sizeof(tunnel)) && vif_inner_read_ethernet(p);
	case htons(PORT_GENEVE):
		if (!vif_inner_read(p, &tunnel, sizeof(tunnel)))
			return false;
		p->offset += 4 * (tunnel.options & 0x3f);
		p->type = tunnel.type;
		return vif_inner_read_ethernet(p);
	default:
		return false;
	}
}

static bool vif_inner_read_tunnel(struct place *p)
{
	switch (p->protocol) {
	case IPPROTO_IPIP:
		p->type = htons(ETH_P_IP);
		return true;
	case IPPROTO_IPV6:
		p->type = htons(ETH_P_IPV6);
		return true;
	case IPPROTO_GRE:
		return vif_inner_read_gre(p);
	case IPPROTO_UDP:
		return vif_inner_read_udp(p);
	default:
		return false;
	}
}

unsigned int vif_inner_find(const struct sk_buff *skb, __be16 *protocol)
{
	struct place p = {
		.skb = skb,
		.offset = skb_network_offset(skb),
		.type = skb->protocol,
	};

	if (!vif_inner_read_outer(&p) || !vif_inner_read_tunnel(&p))
		return 0;
	if (p.type != htons(ETH_P_IP) && p.type != htons(ETH_P_IPV6))
		return 0;
	*protocol = p.type;
	return p.offset;
}
