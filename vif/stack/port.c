// SPDX-License-Identifier: GPL-2.0
#include "port.h"

#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/rhashtable.h>
#include <linux/skbuff.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/sock.h>

static const struct rhashtable_params params = {
	.key_len = sizeof_field(struct vif_port, key),
	.key_offset = offsetof(struct vif_port, key),
	.head_offset = offsetof(struct vif_port, node),
	.automatic_shrinking = true,
};

static struct rhashtable table;

static struct vif_port_key vif_port_key_of(const struct net *net, u8 protocol, u16 number)
{
	return (struct vif_port_key) {
		.net = net,
		.what = protocol << 16 | number,
	};
}

int vif_port_add(struct vif_port *port)
{
	const struct sock *sk = port->sk;

	port->key = vif_port_key_of(sock_net(sk), sk->sk_protocol, sk->sk_num);
	return rhashtable_lookup_insert_fast(&table, &port->node, params);
}

void vif_port_del(struct vif_port *port)
{
	rhashtable_remove_fast(&table, &port->node, params);
}

struct vif_port *vif_port_find(const struct net *net, u8 protocol, __be16 number, int family)
{
	struct vif_port_key key = vif_port_key_of(net, protocol, ntohs(number));
	struct vif_port *port = rhashtable_lookup(&table, &key, params);

	if (!port || port->sk->sk_family == family)
		return port;
	/* an IPv6 socket also accepts IPv4 packets, unless it is IPv6-only */
	return family == AF_INET && !ipv6_only_sock(port->sk) ? port : NULL;
}

/*
 * Find by the port after an IP header. @source: the packet is quoted in an error, and was sent by
 * us.
 */
static struct vif_port *vif_port_by_number(const struct net *net, const struct sk_buff *skb,
					   int offset, u8 protocol, bool source, int family)
{
	const __be16 *number;
	__be16 buf[2];

	if (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP)
		return NULL;
	number = skb_header_pointer(skb, offset, sizeof(buf), buf);
	return number ? vif_port_find(net, protocol, number[!source], family) : NULL;
}

/*
 * Find the port for the IP header at @offset. Behind it may be an ICMP error, which quotes another
 * one.
 */
static struct vif_port *vif_port_find4(const struct net *net, const struct sk_buff *skb,
				       int offset, bool quoted)
{
	const struct icmphdr *icmp;
	const struct iphdr *ip;
	struct icmphdr icmp_buf;
	struct iphdr buf;

	ip = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!ip || ip->version != 4 || ip->frag_off & htons(IP_OFFSET))
		return NULL;
	if (!quoted && ip->frag_off & htons(IP_MF))
		return NULL;
	offset += ip->ihl * 4;
	if (quoted || ip->protocol != IPPROTO_ICMP)
		return vif_port_by_number(net, skb, offset, ip->protocol, quoted, AF_INET);
	icmp = skb_header_pointer(skb, offset, sizeof(icmp_buf), &icmp_buf);
	return icmp && icmp_is_err(icmp->type) ?
	       vif_port_find4(net, skb, offset + sizeof(*icmp), true) : NULL;
}

#if IS_ENABLED(CONFIG_IPV6)
/* Extension headers are skipped only in quoted packets: they may redirect a packet. */
static struct vif_port *vif_port_find6(const struct net *net, const struct sk_buff *skb,
				       int offset, bool quoted)
{
	const struct icmp6hdr *icmp;
	const struct ipv6hdr *ip;
	struct icmp6hdr icmp_buf;
	struct ipv6hdr buf;
	__be16 fragment;
	u8 protocol;

	ip = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!ip || ip->version != 6)
		return NULL;
	protocol = ip->nexthdr;
	offset += sizeof(*ip);
	if (quoted)
		offset = ipv6_skip_exthdr(skb, offset, &protocol, &fragment);
	if (offset < 0)
		return NULL;
	if (quoted || protocol != IPPROTO_ICMPV6)
		return vif_port_by_number(net, skb, offset, protocol, quoted, AF_INET6);
	icmp = skb_header_pointer(skb, offset, sizeof(icmp_buf), &icmp_buf);
	return icmp && icmpv6_is_err(icmp->icmp6_type) ?
	       vif_port_find6(net, skb, offset + sizeof(*icmp), true) : NULL;
}
#endif

struct vif_port *vif_port_of(const struct net *net, const struct sk_buff *skb)
{
	if (!atomic_read(&table.nelems))
		return NULL;
	if (skb->protocol == htons(ETH_P_IP))
		return vif_port_find4(net, skb, skb_network_offset(skb), false);
#if IS_ENABLED(CONFIG_IPV6)
	if (skb->protocol == htons(ETH_P_IPV6))
		return vif_port_find6(net, skb, skb_network_offset(skb), false);
#endif
	return NULL;
}

struct sock *vif_port_find_socket(const struct net *net, const struct sk_buff *skb)
{
	const struct vif_port *port = vif_port_of(net, skb);

	return port ? port->sk : NULL;
}

bool vif_port_is(const struct sock *sk)
{
	const struct vif_port *port;
	bool is;

	rcu_read_lock();
	port = vif_port_find(sock_net(sk), sk->sk_protocol, htons(sk->sk_num), sk->sk_family);
	is = port && port->sk == sk;
	rcu_read_unlock();
	return is;
}

int vif_port_init(void)
{
	return rhashtable_init(&table, &params);
}

void vif_port_exit(void)
{
	rhashtable_destroy(&table);
}
