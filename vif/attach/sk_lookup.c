// SPDX-License-Identifier: GPL-2.0
#include "sk_lookup.h"

#include <linux/if_vlan.h>
#include <linux/igmp.h>
#include <linux/inetdevice.h>
#include <linux/netfilter.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/gre.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/netfilter/nf_socket.h>
#include <net/route.h>
#include <net/sock.h>

#include "../compat/inet.h"
#include "../compat/udp.h"
#include "../queue/ip.h"
#include "../tree/option.h"
#include "sender.h"

#define PORT_VXLAN	4789
/* Linux's own, from before that was assigned */
#define PORT_VXLAN_OLD	8472
#define PORT_GENEVE	6081

/* The kernel stacks at most this many devices (MAX_NEST_DEV). */
#define LEVELS_MAX	8

/**
 * struct vif_sk_place - position of a reader in the headers of a packet
 * @skb: the packet
 * @offset: where the next header begins
 * @protocol: IPPROTO_* of the header behind the outer IP header
 * @type: ETH_P_* of the next header: first the packet's, then the inner packet's
 */
struct vif_sk_place {
	const struct sk_buff *skb;
	unsigned int offset;
	u8 protocol;
	__be16 type;
};

/* Copy the next bytes, and go behind them. Return: false if the packet has fewer. */
static bool vif_inner_read(struct vif_sk_place *p, void *to, unsigned int bytes)
{
	if (skb_copy_bits(p->skb, p->offset, to, bytes))
		return false;
	p->offset += bytes;
	return true;
}

static bool vif_inner_read_outer(struct vif_sk_place *p)
{
	int offset = vif_ip_skip(p->skb, p->offset, p->type, &p->protocol);

	if (offset == VIF_IP_NOWHERE)
		return false;
	p->offset = offset;
	return true;
}

/*
 * Go behind the next VLAN tags, at most as many as the kernel stacks devices. The device has
 * removed only the outermost tag.
 * Return: the number of tags.
 */
static unsigned int vif_inner_skip_tags(struct vif_sk_place *p)
{
	struct vlan_hdr tag;
	unsigned int n;

	for (n = 0; n < LEVELS_MAX && eth_type_vlan(p->type); n++) {
		if (!vif_inner_read(p, &tag, sizeof(tag)))
			break;
		p->type = tag.h_vlan_encapsulated_proto;
	}
	return n;
}

static bool vif_inner_read_ethernet(struct vif_sk_place *p)
{
	struct ethhdr eth;

	if (p->type != htons(ETH_P_TEB))
		return true;
	if (!vif_inner_read(p, &eth, sizeof(eth)))
		return false;
	p->type = eth.h_proto;
	vif_inner_skip_tags(p);
	return true;
}

static bool vif_inner_read_gre(struct vif_sk_place *p)
{
	struct gre_base_hdr gre;

	if (!vif_inner_read(p, &gre, sizeof(gre)) || gre.flags & (GRE_VERSION | GRE_ROUTING))
		return false;
	p->offset += 4 * (!!(gre.flags & GRE_CSUM) + !!(gre.flags & GRE_KEY) +
			  !!(gre.flags & GRE_SEQ));
	p->type = gre.protocol;
	return vif_inner_read_ethernet(p);
}

/* Both headers have eight bytes. Geneve's options follow; the header has their length in words. */
static bool vif_inner_read_udp(struct vif_sk_place *p)
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

static bool vif_inner_read_tunnel(struct vif_sk_place *p)
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

/**
 * vif_inner_find() - where the IP header in a tunnel's packet, or behind several VLAN tags, is
 * @skb: a received packet, at its network header
 * @protocol: result: ETH_P_IP or ETH_P_IPV6
 *
 * VXLAN and Geneve are known by their usual ports.
 * Context: packet.
 * Return: its offset from skb->data, 0 if there is none.
 */
static unsigned int vif_inner_find(const struct sk_buff *skb, __be16 *protocol)
{
	struct vif_sk_place p = {
		.skb = skb,
		.offset = skb_network_offset(skb),
		.type = skb->protocol,
	};

	if (!vif_inner_skip_tags(&p) && (!vif_inner_read_outer(&p) || !vif_inner_read_tunnel(&p)))
		return 0;
	if (p.type != htons(ETH_P_IP) && p.type != htons(ETH_P_IPV6))
		return 0;
	*protocol = p.type;
	return p.offset;
}

/**
 * struct vif_sk_domain - devices that a socket may be bound to and still receive a packet
 * @dev: the device by which the protocols receive the packet
 * @port: index of the device below @dev, if that is a VRF, else 0: as sdif in the kernel
 * @elsewhere: the packet's VLAN is a device of another namespace
 */
struct vif_sk_domain {
	struct net_device *dev;
	int port;
	bool elsewhere;
};

/*
 * Walk up to the VLAN, and to the device that has this one as a port. A packet that is sent has
 * come down the same way.
 */
static noinline void vif_sk_lookup_find_domain(const struct sk_buff *skb,
					       struct vif_sk_domain *domain)
{
	struct net_device *above;
	unsigned int level;

	if (skb_vlan_tag_present(skb)) {
		above = __vlan_find_dev_deep_rcu(skb->dev, skb->vlan_proto, skb_vlan_tag_get_id(skb));
		/* it may have been moved to another namespace, where numbers mean other devices */
		if (above && !net_eq(dev_net(above), dev_net(skb->dev)))
			domain->elsewhere = true;
		else if (above)
			domain->dev = above;
	}
	for (level = 0; level < LEVELS_MAX && !domain->port; level++) {
		above = netdev_master_upper_dev_get_rcu(domain->dev);
		if (!above)
			return;
		if (netif_is_l3_master(above))
			domain->port = domain->dev->ifindex;
		domain->dev = above;
	}
}

static inline struct vif_sk_domain vif_sk_lookup_domain_of(const struct sk_buff *skb)
{
	struct vif_sk_domain domain = { .dev = skb->dev };

	if (unlikely(skb_vlan_tag_present(skb) || netif_is_l3_slave(skb->dev) ||
		     rcu_access_pointer(skb->dev->rx_handler)))
		vif_sk_lookup_find_domain(skb, &domain);
	return domain;
}

static bool vif_sk_lookup_ipv4_ok(struct sk_buff *skb)
{
	const struct iphdr *ip;

	if (!pskb_may_pull(skb, sizeof(*ip)))
		return false;
	ip = ip_hdr(skb);
	return ip->version == 4 && ip->ihl >= 5 &&
	       !(ip->frag_off & htons(IP_OFFSET)) &&
	       pskb_may_pull(skb, ip->ihl * 4);
}

/* After a later fragment's header there is data, not ports. */
static noinline bool vif_sk_lookup_is_later(const struct sk_buff *skb)
{
	struct vif_ip ip;

	return !vif_ip_of(skb, &ip) || ip.later;
}

static bool vif_sk_lookup_ipv6_ok(struct sk_buff *skb)
{
	return pskb_may_pull(skb, sizeof(struct ipv6hdr)) && ipv6_hdr(skb)->version == 6 &&
	       !(ipv6_ext_hdr(ipv6_hdr(skb)->nexthdr) && vif_sk_lookup_is_later(skb));
}

/* A listener or a socket of UDP comes without a reference. */
static struct sock *vif_sk_lookup_hold(struct sock *sk)
{
	return sk && refcount_inc_not_zero(&sk->sk_refcnt) ? sk : NULL;
}

/*
 * Find a socket by the ports alone. nf_sk_lookup_slow_v4() wants the whole header of TCP, but TCP
 * also receives a segment whose first fragment has 8 bytes. (IPv6 drops such a fragment.)
 */
static noinline struct sock *vif_sk_lookup_short(struct net *net, const struct sk_buff *skb,
						 const struct net_device *dev)
{
	__be16 ports[2];
	struct sock *sk;
	struct vif_ip ip;

	if (!vif_ip_of(skb, &ip) || ip.protocol != IPPROTO_TCP || !vif_ip_ports(skb, &ip, ports))
		return NULL;
	sk = vif_tcp4_established(net, ip.saddr.ip, ports[0], ip.daddr.ip, ntohs(ports[1]),
				  dev->ifindex, 0);
	return sk ?: vif_sk_lookup_hold(vif_tcp4_listener(net, ip.saddr.ip, ports[0], ip.daddr.ip,
							  ntohs(ports[1]), dev->ifindex, 0));
}

static __always_inline struct sock *vif_sk_lookup_by(struct net *net, struct sk_buff *skb,
						     const struct net_device *dev)
{
	struct sock *sk;

	if (skb->protocol == htons(ETH_P_IP) && vif_sk_lookup_ipv4_ok(skb)) {
		sk = nf_sk_lookup_slow_v4(net, skb, dev);
		return !sk && unlikely(ip_hdr(skb)->frag_off & htons(IP_MF)) ?
			       vif_sk_lookup_short(net, skb, dev) :
			       sk;
	}
	if (skb->protocol == htons(ETH_P_IPV6) && vif_sk_lookup_ipv6_ok(skb))
		return nf_sk_lookup_slow_v6(net, skb, dev);
	return NULL;
}

/* @sk is a socket of TCP, which may be a timewait or request socket, or of UDP. */
static bool
vif_sk_lookup_in_domain(struct net *net, const struct sock *sk, const struct vif_sk_domain *domain)
{
	int bound = READ_ONCE(sk->sk_bound_dev_if);

	if (!sk_fullsock(sk) || sk_is_tcp(sk))
		return inet_sk_bound_dev_eq(net, bound, domain->dev->ifindex, domain->port);
	return udp_sk_bound_dev_eq(net, bound, domain->dev->ifindex, domain->port);
}

/*
 * In a VRF a socket is bound to the VRF or to its port, unless sysctls (*_l3mdev_accept) also allow
 * other sockets. The kernel's lookup knows one device only, so there is one lookup for each.
 */
static noinline struct sock *vif_sk_lookup_vrf(struct net *net, struct sk_buff *skb,
					       const struct vif_sk_domain *domain)
{
	const struct net_device *dev = domain->dev;
	struct sock *sk;

	while (dev) {
		sk = vif_sk_lookup_by(net, skb, dev);
		if (sk && vif_sk_lookup_in_domain(net, sk, domain))
			return sk;
		if (sk)
			sock_gen_put(sk);
		dev = dev == domain->dev ? dev_get_by_index_rcu(net, domain->port) : NULL;
	}
	return NULL;
}

/**
 * struct vif_sk_datagram - a received datagram of UDP or UDP-Lite
 * @table: the table with the sockets of its protocol
 * @domain: the device, and its port if the device is a VRF
 * @ip: its IP header
 * @ports: the remote port, and the port of this host
 */
struct vif_sk_datagram {
	struct udp_table *table;
	const struct vif_sk_domain *domain;
	struct vif_ip ip;
	__be16 ports[2];
};

/* False if the packet is another one, or a later fragment. */
static bool vif_sk_lookup_read_datagram(struct net *net, struct sk_buff *skb,
					const struct vif_sk_domain *domain,
					struct vif_sk_datagram *d)
{
	*d = (struct vif_sk_datagram) { .domain = domain };
	if (!vif_ip_of(skb, &d->ip))
		return false;
	d->table = vif_udp_table(net, d->ip.protocol);
	return d->table && vif_ip_ports(skb, &d->ip, d->ports);
}

/* nf_sk_lookup_slow_v4() and v6 do not know UDP-Lite. */
static noinline struct sock *vif_sk_lookup_udplite(struct net *net, struct sk_buff *skb,
						   const struct vif_sk_domain *domain)
{
	int dif = domain->dev->ifindex, sdif = domain->port;
	struct vif_sk_datagram d;

	if (!vif_sk_lookup_read_datagram(net, skb, domain, &d) || d.ip.protocol != IPPROTO_UDPLITE)
		return NULL;
#if IS_ENABLED(CONFIG_IPV6)
	if (d.ip.family == AF_INET6)
		return vif_sk_lookup_hold(vif_udplite6_lookup(
			net, &d.ip.saddr.in6, d.ports[0], &d.ip.daddr.in6, d.ports[1], dif, sdif));
#endif
	return vif_sk_lookup_hold(vif_udplite4_lookup(net, d.ip.saddr.ip, d.ports[0], d.ip.daddr.ip,
						      d.ports[1], dif, sdif));
}

static __always_inline struct sock *vif_sk_lookup_find(struct net *net, struct sk_buff *skb,
						       const struct vif_sk_domain *domain)
{
	struct sock *sk = unlikely(domain->port) ? vif_sk_lookup_vrf(net, skb, domain) :
						   vif_sk_lookup_by(net, skb, domain->dev);

	return VIF_HAS_UDPLITE && !sk ? vif_sk_lookup_udplite(net, skb, domain) : sk;
}

#if IS_ENABLED(CONFIG_IPV6)
/* Also by a route: a host may own a whole prefix. */
static bool vif_sk_lookup_is_local6(struct net *net, const struct in6_addr *address)
{
	struct rt6_info *rt;
	bool local;

	if (ipv6_chk_addr(net, address, NULL, 0))
		return true;
	rt = rt6_lookup(net, address, NULL, 0, NULL, 0);
	local = rt && (rt->rt6i_flags & RTF_LOCAL);
	ip6_rt_put(rt);
	return local;
}
#endif

bool vif_sk_lookup_is_local(struct net *net, const struct sk_buff *skb)
{
	struct vif_ip ip;

	if (!vif_ip_of(skb, &ip))
		return false;
#if IS_ENABLED(CONFIG_IPV6)
	if (ip.family == AF_INET6)
		return vif_sk_lookup_is_local6(net, &ip.daddr.in6);
#endif
	return inet_addr_type_dev_table(net, vif_sk_lookup_domain_of(skb).dev,
					ip.daddr.ip) == RTN_LOCAL;
}

static inline bool vif_sk_lookup_forwards4(struct net *net, const struct vif_sk_domain *domain)
{
	struct in_device *in_dev = __in_dev_get_rcu(domain->dev);

	return IPV4_DEVCONF_ALL(net, FORWARDING) || (in_dev && IN_DEV_FORWARD(in_dev));
}

#if IS_ENABLED(CONFIG_IPV6)
static inline bool vif_sk_lookup_forwards6(const struct net *net, const struct vif_sk_domain *domain)
{
	const struct inet6_dev *in6_dev = __in6_dev_get(domain->dev);

	return READ_ONCE(net->ipv6.devconf_all->forwarding) ||
	       (in6_dev && READ_ONCE(in6_dev->cnf.forwarding));
}
#else
static inline bool vif_sk_lookup_forwards6(const struct net *net, const struct vif_sk_domain *domain)
{
	return false;
}
#endif

/*
 * May packets for other hosts arrive? Otherwise a packet that is not for us is ignored. A device
 * above may be in another namespace and have the same MAC address (ipvlan).
 */
static inline bool vif_sk_lookup_passes_on(struct net *net, const struct sk_buff *skb,
					   const struct vif_sk_domain *domain)
{
	return skb->pkt_type == PACKET_OTHERHOST || rcu_access_pointer(skb->dev->rx_handler) ||
	       (skb->protocol == htons(ETH_P_IPV6) ? vif_sk_lookup_forwards6(net, domain) :
						     vif_sk_lookup_forwards4(net, domain));
}

static noinline bool vif_sk_lookup_is_anothers(struct net *net, const struct sk_buff *skb,
					       const struct vif_sk_domain *domain)
{
	/* multicast and broadcast packets are also for us */
	if (skb->protocol == htons(ETH_P_IPV6))
		return !ipv6_addr_is_multicast(&ipv6_hdr(skb)->daddr) &&
		       !vif_sk_lookup_is_local(net, skb);
	return inet_addr_type_dev_table(net, domain->dev, ip_hdr(skb)->daddr) == RTN_UNICAST;
}

#if IS_ENABLED(CONFIG_NF_NAT)
bool vif_sk_lookup_answer(const struct sk_buff *skb, struct nf_conntrack_tuple *answer)
{
	enum ip_conntrack_info info;
	const struct nf_conn *ct = nf_ct_get(skb, &info);

	if (skb->protocol != htons(ETH_P_IP) || (ct && nf_ct_is_template(ct)))
		return false;
	/* on lo; nf_ct_get_tuple_skb() would return the packet's own direction */
	if (ct)
		*answer = ct->tuplehash[!CTINFO2DIR(info)].tuple;
	return ct || nf_ct_get_tuple_skb(answer, skb);
}

/* Is a packet of IPv4 for an address of this host only until its destination is translated? */
static noinline bool vif_sk_lookup_is_translated(const struct sk_buff *skb)
{
	struct nf_conntrack_tuple answer;
	__be16 ports[2];
	struct vif_ip ip;

	return vif_ip_of(skb, &ip) && vif_ip_ports(skb, &ip, ports) &&
	       vif_sk_lookup_answer(skb, &answer) &&
	       (answer.src.u3.ip != ip.daddr.ip || answer.src.u.all != ports[1]);
}

static inline bool vif_sk_lookup_may_be_translated(const struct sk_buff *skb)
{
	return skb->protocol == htons(ETH_P_IP) && rcu_access_pointer(nf_nat_hook) &&
	       vif_sk_lookup_is_translated(skb);
}
#else
static inline bool vif_sk_lookup_may_be_translated(const struct sk_buff *skb)
{
	return false;
}
#endif

/* Has the other end of a connection shown by its answers that its packets arrive at the socket? */
static inline bool vif_sk_lookup_is_connected(const struct sock *sk)
{
	/* timewait and request sockets are TCP's */
	return !sk_fullsock(sk) ||
	       (sk_is_tcp(sk) && !((1 << READ_ONCE(sk->sk_state)) & (TCPF_LISTEN | TCPF_SYN_SENT)));
}

/*
 * Does the kernel give the packet to the socket that the lookup has found? The lookup knows only
 * addresses and ports of sockets. Any user may bind a socket to an address that is not the host's
 * (IP_FREEBIND), to all addresses, or to a port of this host that is translated to another one.
 */
static inline bool vif_sk_lookup_is_receiver(struct net *net, const struct sk_buff *skb,
					     const struct vif_sk_domain *domain,
					     const struct sock *sk)
{
	if (vif_sk_lookup_is_connected(sk))
		return true;
	return !(vif_sk_lookup_passes_on(net, skb, domain) &&
		 vif_sk_lookup_is_anothers(net, skb, domain)) &&
	       !vif_sk_lookup_may_be_translated(skb);
}

/*
 * Return the socket that the inner packet of a tunnel, or the packet behind several VLAN tags, is
 * for, if any; otherwise @sk. Connection tracking knows the outer packet.
 */
static struct sock *vif_sk_lookup_inner(struct net *net, struct sk_buff *skb,
					  struct sock *sk)
{
	const struct vif_sk_domain domain = { .dev = skb->dev };
	__be16 inner_protocol, protocol = skb->protocol;
	struct sock *inner = NULL;
	unsigned int offset;

	if (skb_nfct(skb))
		return sk;
	offset = vif_inner_find(skb, &inner_protocol);
	if (!offset || !pskb_may_pull(skb, offset))
		return sk;
	__skb_pull(skb, offset);
	skb_reset_network_header(skb);
	skb->protocol = inner_protocol;
	if (vif_sk_lookup_is_local(net, skb))
		inner = vif_sk_lookup_find(net, skb, &domain);
	skb->protocol = protocol;
	__skb_push(skb, offset);
	skb_reset_network_header(skb);
	if (inner && sk)
		sock_gen_put(sk);
	return inner ?: sk;
}

/* Under rcu_read_lock(): the stacks may be unloaded at any time. */
static struct sock *vif_sk_lookup_port(const struct net *net, const struct sk_buff *skb)
{
	const struct vif_option *option = vif_option_rcu(VIF_OPTION_STACK);

	return option ? vif_stack_ops_of(option)->find_socket(net, skb) : NULL;
}

/* No socket that the kernel would give it to: a stack's, which is in no table, or inside of it. */
static noinline struct sock *
vif_sk_lookup_more(struct net *net, struct sk_buff *skb, struct sock *sk)
{
	struct sock *port = NULL;

	if (static_branch_unlikely(&vif_option_stack) && !sk)
		port = vif_sk_lookup_port(net, skb);
	if (port && vif_sk_lookup_is_local(net, skb) && refcount_inc_not_zero(&port->sk_refcnt))
		return port;
	return vif_sk_lookup_inner(net, skb, sk);
}

struct sock *vif_sk_lookup_received(struct net *net, struct sk_buff *skb)
{
	const struct vif_sk_domain domain = vif_sk_lookup_domain_of(skb);
	struct sock *sk;

	/* headers cannot be pulled while another holder may read them */
	if (skb_shared(skb) || unlikely(domain.elsewhere))
		return NULL;
	sk = vif_sk_lookup_find(net, skb, &domain);
	if (unlikely(sk && !vif_sk_lookup_is_receiver(net, skb, &domain, sk))) {
		sock_gen_put(sk);
		sk = NULL;
	}
	/* a tunnel has none, or one of the kernel's own */
	return sk && sk->sk_net_refcnt && (!vif_classify_is_full(sk) || vif_classify_is_users(sk)) ?
	       sk : vif_sk_lookup_more(net, skb, sk);
}

/* Does a socket receive packets of a group? Source filters are ignored. */
static bool vif_sk_lookup_joined4(const struct sock *sk, __be32 group,
				  const struct vif_sk_domain *domain)
{
	const struct ip_mc_socklist *joined;

	for (joined = rcu_dereference(inet_sk(sk)->mc_list); joined;
	     joined = rcu_dereference(joined->next_rcu))
		if (joined->multi.imr_multiaddr.s_addr == group &&
		    (joined->multi.imr_ifindex == domain->dev->ifindex ||
		     (domain->port && joined->multi.imr_ifindex == domain->port)))
			return true;
	return vif_inet_takes_all(sk);
}

static bool vif_sk_lookup_receives4(const struct sock *sk, const struct vif_sk_datagram *d)
{
	const struct inet_sock *inet = inet_sk(sk);

	return (!inet->inet_daddr || inet->inet_daddr == d->ip.saddr.ip) &&
	       (!inet->inet_rcv_saddr || inet->inet_rcv_saddr == d->ip.daddr.ip) &&
	       !ipv6_only_sock(sk) &&
	       (!ipv4_is_multicast(d->ip.daddr.ip) ||
		vif_sk_lookup_joined4(sk, d->ip.daddr.ip, d->domain));
}

#if IS_ENABLED(CONFIG_IPV6)
static bool vif_sk_lookup_joined6(const struct sock *sk, const struct in6_addr *group)
{
	const struct ipv6_mc_socklist *joined;

	for (joined = rcu_dereference(inet6_sk(sk)->ipv6_mc_list); joined;
	     joined = rcu_dereference(joined->next))
		if (ipv6_addr_equal(&joined->addr, group))
			return true;
	return vif_inet6_takes_all(sk);
}

static bool vif_sk_lookup_receives6(const struct sock *sk, const struct vif_sk_datagram *d)
{
	return sk->sk_family == AF_INET6 &&
	       (ipv6_addr_any(&sk->sk_v6_daddr) ||
		ipv6_addr_equal(&sk->sk_v6_daddr, &d->ip.saddr.in6)) &&
	       (ipv6_addr_any(&sk->sk_v6_rcv_saddr) ||
		ipv6_addr_equal(&sk->sk_v6_rcv_saddr, &d->ip.daddr.in6)) &&
	       vif_sk_lookup_joined6(sk, &d->ip.daddr.in6);
}
#else
static bool vif_sk_lookup_receives6(const struct sock *sk, const struct vif_sk_datagram *d)
{
	return false;
}
#endif

/* Do as UDP does. The kernel's own sockets, of tunnels, do not count: no process reads there. */
static bool vif_sk_lookup_receives(struct net *net, struct sock *sk,
				   const struct vif_sk_datagram *d)
{
	return net_eq(sock_net(sk), net) && vif_classify_is_users(sk) &&
	       udp_sk(sk)->udp_port_hash == ntohs(d->ports[1]) &&
	       (!inet_sk(sk)->inet_dport || inet_sk(sk)->inet_dport == d->ports[0]) &&
	       udp_sk_bound_dev_eq(net, READ_ONCE(sk->sk_bound_dev_if),
				   d->domain->dev->ifindex, d->domain->port) &&
	       (d->ip.family == AF_INET ? vif_sk_lookup_receives4(sk, d) : vif_sk_lookup_receives6(sk, d));
}

/* Return the chain with the sockets of a port and an address, or any address; it has others too. */
static struct udp_hslot *vif_sk_lookup_slot_of(struct net *net, const struct vif_sk_datagram *d,
					       bool any)
{
	unsigned int port = ntohs(d->ports[1]);
	u32 hash;

#if IS_ENABLED(CONFIG_IPV6)
	if (d->ip.family == AF_INET6)
		hash = ipv6_portaddr_hash(net, any ? &in6addr_any : &d->ip.daddr.in6, port);
	else
#endif
		hash = ipv4_portaddr_hash(net, any ? htonl(INADDR_ANY) : d->ip.daddr.ip, port);
	return udp_hashslot2(d->table, hash);
}

static bool vif_sk_lookup_is_for_many(struct net *net, const struct vif_sk_datagram *d)
{
	if (d->ip.family == AF_INET6)
		return ipv6_addr_is_multicast(&d->ip.daddr.in6);
	return ipv4_is_multicast(d->ip.daddr.ip) ||
	       inet_addr_type_dev_table(net, d->domain->dev, d->ip.daddr.ip) == RTN_BROADCAST;
}

void vif_sk_lookup_many(struct net *net, struct sk_buff *skb,
			bool (*fn)(struct sock *sk, void *arg), void *arg)
{
	const struct vif_sk_domain domain = vif_sk_lookup_domain_of(skb);
	struct udp_hslot *slot, *done = NULL;
	struct vif_sk_datagram d;
	struct sock *sk;
	int any;

	if (!vif_sk_lookup_read_datagram(net, skb, &domain, &d) ||
	    !vif_sk_lookup_is_for_many(net, &d))
		return;
	for (any = 0; any < 2; any++) {
		slot = vif_sk_lookup_slot_of(net, &d, any);
		if (slot == done)
			return;
		done = slot;
		udp_portaddr_for_each_entry_rcu(sk, &slot->head)
			if (vif_sk_lookup_receives(net, sk, &d) && !fn(sk, arg))
				return;
	}
}

static struct sock *vif_sk_lookup_reply4(struct net *net, const struct vif_ip *ip,
					 const struct tcphdr *th,
					 const struct vif_sk_domain *domain)
{
	int ifindex = domain->dev->ifindex;
	struct sock *sk;

	sk = vif_tcp4_established(net, ip->daddr.ip, th->dest, ip->saddr.ip, ntohs(th->source),
				  ifindex, domain->port);
	if (!sk && th->syn && th->ack)
		sk = vif_sk_lookup_hold(vif_tcp4_listener(net, ip->daddr.ip, th->dest,
							  ip->saddr.ip, ntohs(th->source),
							  ifindex, domain->port));
	return sk;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct sock *vif_sk_lookup_reply6(struct net *net, const struct vif_ip *ip,
					 const struct tcphdr *th,
					 const struct vif_sk_domain *domain)
{
	int ifindex = domain->dev->ifindex;
	struct sock *sk;

	sk = vif_tcp6_established(net, &ip->daddr.in6, th->dest, &ip->saddr.in6,
				  ntohs(th->source), ifindex, domain->port);
	if (!sk && th->syn && th->ack)
		sk = vif_sk_lookup_hold(vif_tcp6_listener(net, &ip->daddr.in6, th->dest,
							  &ip->saddr.in6, ntohs(th->source),
							  ifindex, domain->port));
	return sk;
}
#else
static struct sock *vif_sk_lookup_reply6(struct net *net, const struct vif_ip *ip,
					 const struct tcphdr *th,
					 const struct vif_sk_domain *domain)
{
	return NULL;
}
#endif

struct sock *vif_sk_lookup_reply(struct net *net, const struct sk_buff *skb)
{
	const struct vif_sk_domain domain = vif_sk_lookup_domain_of(skb);
	const struct tcphdr *th;
	struct tcphdr buf;
	struct vif_ip ip;

	if (!vif_ip_of(skb, &ip) || ip.protocol != IPPROTO_TCP || ip.transport == VIF_IP_NOWHERE)
		return NULL;
	th = skb_header_pointer(skb, ip.transport, sizeof(buf), &buf);
	if (!th)
		return NULL;
	return ip.family == AF_INET ? vif_sk_lookup_reply4(net, &ip, th, &domain) :
				      vif_sk_lookup_reply6(net, &ip, th, &domain);
}

struct sock *vif_sk_lookup_listener(const struct sock *sk)
{
	int ifindex = READ_ONCE(sk->sk_bound_dev_if);

	if (sk->sk_family == AF_INET)
		return vif_tcp4_listener(sock_net(sk), sk->sk_daddr,
					 sk->sk_dport, sk->sk_rcv_saddr,
					 sk->sk_num, ifindex, 0);
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6)
		return vif_tcp6_listener(sock_net(sk), &sk->sk_v6_daddr,
					 sk->sk_dport, &sk->sk_v6_rcv_saddr,
					 sk->sk_num, ifindex, 0);
#endif
	return NULL;
}

/* Out of line, so that other packets do not pay for its stack. */
static noinline bool vif_sk_lookup_is_fragment(const struct sk_buff *skb)
{
	struct vif_ip ip;

	return vif_ip_of(skb, &ip) && ip.fragment;
}

bool vif_sk_lookup_first_fragment(const struct sk_buff *skb)
{
	switch (skb->protocol) {
	case htons(ETH_P_IP):
		return ip_hdr(skb)->frag_off & htons(IP_MF);
	case htons(ETH_P_IPV6):
		return ipv6_ext_hdr(ipv6_hdr(skb)->nexthdr) && vif_sk_lookup_is_fragment(skb);
	default:
		return false;
	}
}
