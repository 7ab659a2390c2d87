// SPDX-License-Identifier: GPL-2.0
#include "fragment.h"

#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/once.h>
#include <linux/siphash.h>

#include "../queue/ip.h"

/* The kernel keeps data in units of so many bytes, and no fragment without data. */
#define UNIT		8

/* Hashed as bytes, so it must have no padding. */
struct vif_fragment_key {
	union nf_inet_addr saddr;
	union nf_inet_addr daddr;
	u32 id;
	u16 family;
	u16 protocol;
} __aligned(SIPHASH_ALIGNMENT);

static siphash_key_t vif_fragment_secret __read_mostly;

static u64 vif_fragment_hash_of(const struct vif_fragment_key *key)
{
	net_get_random_once(&vif_fragment_secret, sizeof(vif_fragment_secret));
	return siphash(key, sizeof(*key), &vif_fragment_secret) | 1;
}

struct vif_fragment vif_fragment_look(const struct sk_buff *skb, int offset)
{
	struct vif_fragment_key key = { };
	struct vif_ip ip;

	if (!vif_ip_read(skb, offset, skb->protocol, &ip) || !ip.fragment)
		return (struct vif_fragment) { };
	key.saddr = ip.saddr;
	key.daddr = ip.daddr;
	key.id = ip.id;
	key.family = ip.family;
	/* a datagram of IPv6 is known without */
	if (ip.family == AF_INET)
		key.protocol = ip.protocol;
	return (struct vif_fragment) { .hash = vif_fragment_hash_of(&key), .first = !ip.later };
}

/* As ip_rcv_core() and ip_frag_queue(); a part of a unit is cut off. */
static bool vif_fragment_is_kept4(const struct sk_buff *skb, int offset)
{
	const struct iphdr *ip;
	unsigned int bytes;
	u8 buf[60];

	ip = skb_header_pointer(skb, offset, sizeof(*ip), buf);
	if (!ip || ip->version != 4 || ip->ihl < 5)
		return false;
	ip = skb_header_pointer(skb, offset, ip->ihl * 4, buf);
	if (!ip || ip_fast_csum(ip, ip->ihl))
		return false;
	bytes = ntohs(ip->tot_len);
	return bytes >= ip->ihl * 4 + UNIT && (int)skb->len - offset >= (int)bytes;
}

/* As ip6_rcv_core() and ip6_frag_queue(); a part of a unit is an error. */
static bool vif_fragment_is_kept6(const struct sk_buff *skb, int offset)
{
	const struct ipv6hdr *header;
	struct ipv6hdr buf;
	struct vif_ip ip;
	int bytes;

	header = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!header || !vif_ip_read(skb, offset, htons(ETH_P_IPV6), &ip) ||
	    ip.transport == VIF_IP_NOWHERE)
		return false;
	bytes = sizeof(*header) + ntohs(header->payload_len);
	if ((int)skb->len - offset < bytes)
		return false;
	bytes -= ip.transport - offset;
	return bytes >= UNIT && bytes % UNIT == 0;
}

bool vif_fragment_is_kept(const struct sk_buff *skb, int offset)
{
	/* for another host, and no device above receives it */
	if (skb->pkt_type == PACKET_OTHERHOST && !skb_vlan_tag_present(skb) &&
	    !rcu_access_pointer(skb->dev->rx_handler))
		return false;
	return skb->protocol == htons(ETH_P_IP) ? vif_fragment_is_kept4(skb, offset) :
						  vif_fragment_is_kept6(skb, offset);
}
