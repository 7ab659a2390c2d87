/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The IP header of a packet, and the place of its transport header. All code that reads headers
 * calls this, so that all of it treats extension headers, fragments and invalid headers alike.
 */
#ifndef NETNICE_VIF_IP_H
#define NETNICE_VIF_IP_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>

/* Not an offset. (Offsets before skb->data are negative.) */
#define VIF_IP_NOWHERE	INT_MIN

/**
 * struct vif_ip - what a packet's IP header says
 * @saddr: the source; behind an address of IPv4 the bytes are 0
 * @daddr: the destination
 * @id: of a fragment, its datagram's identification
 * @end: offset behind the header, without the extension headers of IPv6
 * @transport: offset of the transport header, or VIF_IP_NOWHERE: in a later fragment, or if the
 *	extension headers are not whole
 * @family: AF_INET or AF_INET6
 * @next: IPPROTO_* of what is at @end
 * @protocol: IPPROTO_* of what is at @transport
 * @hops: time to live, hop limit
 * @fragment: it is a fragment, not a whole datagram
 * @later: it is not the first one
 */
struct vif_ip {
	union nf_inet_addr saddr;
	union nf_inet_addr daddr;
	u32 id;
	int end;
	int transport;
	sa_family_t family;
	u8 next;
	u8 protocol;
	u8 hops;
	bool fragment;
	bool later;
};

/**
 * vif_ip_skip() - find the transport header
 * @skb: the packet
 * @offset: where the IP header begins, from skb->data; may be negative
 * @network: ETH_P_IP or ETH_P_IPV6; there is none in packets of other protocols
 * @protocol: result: IPPROTO_* of the transport header
 *
 * For callers that need nothing else: it costs half of vif_ip_read().
 * Context: any. Reads no byte behind the packet's end, whatever it says.
 * Return: its offset, or VIF_IP_NOWHERE, as in struct vif_ip.
 */
int vif_ip_skip(const struct sk_buff *skb, int offset, __be16 network, u8 *protocol);

/**
 * vif_ip_read() - read an IP header
 * @skb: the packet
 * @offset: as in vif_ip_skip()
 * @network: as in vif_ip_skip()
 * @ip: result
 *
 * Context: any. Changes nothing. Reads no byte behind the packet's end, whatever it says.
 * Return: false if there is no whole header; then nothing in @ip is set.
 */
bool vif_ip_read(const struct sk_buff *skb, int offset, __be16 network, struct vif_ip *ip);

/* The same of a packet's own header, which is set. */
static inline bool vif_ip_of(const struct sk_buff *skb, struct vif_ip *ip)
{
	return vif_ip_read(skb, skb_network_offset(skb), skb->protocol, ip);
}

/* Has the transport header ports? */
static inline bool vif_ip_has_ports(u8 protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP || protocol == IPPROTO_UDPLITE;
}

/**
 * vif_ip_ports() - read the ports of TCP, UDP and UDP-Lite
 * @skb: the packet
 * @ip: result of vif_ip_read() for it
 * @ports: result: source and destination
 *
 * Context: any.
 * Return: false if there are none, or not here.
 */
bool vif_ip_ports(const struct sk_buff *skb, const struct vif_ip *ip, __be16 ports[2]);

#endif
