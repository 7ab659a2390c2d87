// SPDX-License-Identifier: GPL-2.0
#include "ip.h"

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/ip.h>
#include <net/ipv6.h>

/*
 * Skip the extension headers of IPv6. @fragment: result: the offset and flags of a fragment, or 0
 */
static int vif_ip_skip_extensions(const struct sk_buff *skb, int offset, u8 *protocol,
				  __be16 *fragment)
{
	int end = ipv6_skip_exthdr(skb, offset, protocol, fragment);

	/* -1 is an error: no header ends one byte in front of skb->data */
	return end == -1 || *fragment & htons(IP6_OFFSET) ? VIF_IP_NOWHERE : end;
}

int vif_ip_skip(const struct sk_buff *skb, int offset, __be16 network, u8 *protocol)
{
	const struct ipv6hdr *ip6;
	const struct iphdr *ip;
	struct ipv6hdr buf6;
	struct iphdr buf;
	__be16 fragment;

	switch (network) {
	case htons(ETH_P_IP):
		ip = skb_header_pointer(skb, offset, sizeof(buf), &buf);
		if (!ip || ip->ihl < 5 || ip->frag_off & htons(IP_OFFSET))
			return VIF_IP_NOWHERE;
		*protocol = ip->protocol;
		return offset + ip->ihl * 4;
	case htons(ETH_P_IPV6):
		ip6 = skb_header_pointer(skb, offset, sizeof(buf6), &buf6);
		if (!ip6)
			return VIF_IP_NOWHERE;
		*protocol = ip6->nexthdr;
		return vif_ip_skip_extensions(skb, offset + sizeof(*ip6), protocol, &fragment);
	default:
		return VIF_IP_NOWHERE;
	}
}

static bool vif_ip_read4(const struct sk_buff *skb, int offset, struct vif_ip *ip)
{
	const struct iphdr *header;
	struct iphdr buf;

	header = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!header || header->version != 4 || header->ihl < 5)
		return false;
	ip->saddr = (union nf_inet_addr) { .ip = header->saddr };
	ip->daddr = (union nf_inet_addr) { .ip = header->daddr };
	ip->id = ntohs(header->id);
	ip->end = offset + header->ihl * 4;
	ip->family = AF_INET;
	ip->next = header->protocol;
	ip->protocol = header->protocol;
	ip->hops = header->ttl;
	ip->fragment = ip_is_fragment(header);
	ip->later = header->frag_off & htons(IP_OFFSET);
	ip->transport = ip->later ? VIF_IP_NOWHERE : ip->end;
	return true;
}

/*
 * Read the identification in the header of fragments, which may be behind other extension headers.
 * vif_ip_skip_extensions() has passed or reached it. ipv6_find_hdr() would also find it, but reads
 * the first header without a check that it is in the linear part.
 */
static u32 vif_ip_fragment_id(const struct sk_buff *skb, int offset, u8 next)
{
	const struct ipv6_opt_hdr *option;
	const struct frag_hdr *header;
	struct ipv6_opt_hdr option_buf;
	struct frag_hdr buf;

	while (next != NEXTHDR_FRAGMENT) {
		option = skb_header_pointer(skb, offset, sizeof(option_buf), &option_buf);
		if (!option || !ipv6_ext_hdr(next))
			return 0;
		offset += next == NEXTHDR_AUTH ? ipv6_authlen(option) : ipv6_optlen(option);
		next = option->nexthdr;
	}
	header = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	return header ? ntohl(header->identification) : 0;
}

static bool vif_ip_read6(const struct sk_buff *skb, int offset, struct vif_ip *ip)
{
	const struct ipv6hdr *header;
	struct ipv6hdr buf;
	__be16 fragment;

	header = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!header || header->version != 6)
		return false;
	*ip = (struct vif_ip) {
		.saddr.in6 = header->saddr,
		.daddr.in6 = header->daddr,
		.end = offset + sizeof(*header),
		.family = AF_INET6,
		.next = header->nexthdr,
		.protocol = header->nexthdr,
		.hops = header->hop_limit,
	};
	ip->transport = vif_ip_skip_extensions(skb, ip->end, &ip->protocol, &fragment);
	ip->later = fragment & htons(IP6_OFFSET);
	ip->fragment = fragment & htons(IP6_OFFSET | IP6_MF);
	if (ip->fragment)
		ip->id = vif_ip_fragment_id(skb, ip->end, ip->next);
	return true;
}

bool vif_ip_read(const struct sk_buff *skb, int offset, __be16 network, struct vif_ip *ip)
{
	switch (network) {
	case htons(ETH_P_IP):
		return vif_ip_read4(skb, offset, ip);
	case htons(ETH_P_IPV6):
		return vif_ip_read6(skb, offset, ip);
	default:
		return false;
	}
}

bool vif_ip_ports(const struct sk_buff *skb, const struct vif_ip *ip, __be16 ports[2])
{
	const __be16 *header;
	__be16 buf[2];

	if (ip->transport == VIF_IP_NOWHERE || !vif_ip_has_ports(ip->protocol))
		return false;
	header = skb_header_pointer(skb, ip->transport, sizeof(buf), buf);
	if (!header)
		return false;
	ports[0] = header[0];
	ports[1] = header[1];
	return true;
}
