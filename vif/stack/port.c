// SPDX-License-Identifier: GPL-2.0
#include "port.h"

#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/rhashtable.h>
#include <linux/skbuff.h>
#include <net/sock.h>

#include "../queue/ip.h"

static const struct rhashtable_params vif_port_table_params = {
	.key_len = sizeof_field(struct vif_port, key),
	.key_offset = offsetof(struct vif_port, key),
	.head_offset = offsetof(struct vif_port, node),
	.automatic_shrinking = true,
};

static struct rhashtable vif_port_table;

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
	return rhashtable_lookup_insert_fast(&vif_port_table, &port->node, vif_port_table_params);
}

void vif_port_del(struct vif_port *port)
{
	rhashtable_remove_fast(&vif_port_table, &port->node, vif_port_table_params);
}

struct vif_port *vif_port_find(const struct net *net, u8 protocol, __be16 number, int family)
{
	struct vif_port_key key = vif_port_key_of(net, protocol, ntohs(number));
	struct vif_port *port = rhashtable_lookup(&vif_port_table, &key, vif_port_table_params);

	if (!port || port->sk->sk_family == family)
		return port;
	/* an IPv6 socket also accepts IPv4 packets, unless it is IPv6-only */
	return family == AF_INET && !ipv6_only_sock(port->sk) ? port : NULL;
}

/* Is it an ICMP error, which quotes another packet? */
static bool vif_port_is_error(const struct sk_buff *skb, const struct vif_ip *ip)
{
	const u8 *type;
	u8 buf;

	if (ip->protocol != (ip->family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6))
		return false;
	type = skb_header_pointer(skb, ip->transport, sizeof(buf), &buf);
	return type && (ip->family == AF_INET ? icmp_is_err(*type) : icmpv6_is_err(*type));
}

/* Find the port for the IP header at @offset. @quoted: in an ICMP error, and was sent by us. */
static struct vif_port *vif_port_at(const struct net *net, const struct sk_buff *skb, int offset,
				    bool quoted)
{
	struct vif_ip ip;
	__be16 ports[2];

	if (!vif_ip_read(skb, offset, skb->protocol, &ip) || ip.transport == VIF_IP_NOWHERE)
		return NULL;
	/* extension headers may redirect a packet */
	if (!quoted && (ip.fragment || ip.protocol != ip.next))
		return NULL;
	if (vif_ip_ports(skb, &ip, ports))
		return vif_port_find(net, ip.protocol, ports[!quoted], ip.family);
	if (quoted || !vif_port_is_error(skb, &ip))
		return NULL;
	return vif_port_at(net, skb, ip.transport + sizeof(struct icmphdr), true);
}

struct vif_port *vif_port_of(const struct net *net, const struct sk_buff *skb)
{
	if (!atomic_read(&vif_port_table.nelems))
		return NULL;
	return vif_port_at(net, skb, skb_network_offset(skb), false);
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
	return rhashtable_init(&vif_port_table, &vif_port_table_params);
}

void vif_port_exit(void)
{
	rhashtable_destroy(&vif_port_table);
}
