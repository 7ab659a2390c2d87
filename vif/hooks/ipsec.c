// SPDX-License-Identifier: GPL-2.0
/*
 * IPsec: the kernel sees a received packet twice if it decrypts it. Such a packet is counted once,
 * as the inner packet, if it is for the device itself. In tunnel mode the device receives the inner
 * packet again. In transport mode the inner packet only passes netfilter's hooks. If no state could
 * decrypt a packet, it is treated like other packets. But a packet is not counted if a state finds
 * that it is forged.
 */
#include "hooks.h"

#include <linux/if_vlan.h>
#include <linux/string.h>
#include <linux/udp.h>
#include <net/ah.h>
#include <net/esp.h>
#include <net/netns/generic.h>
#include <net/rtnetlink.h>
#include <net/sock.h>
#include <net/xfrm.h>

#include "../attach/late_hooks.h"
#include "../attach/sk_lookup.h"
#include "../queue/ip.h"

/* The port of ESP in UDP (RFC 3948). */
#define ENCAP_PORT	4500

/**
 * struct vif_ipsec_net - the devices of a network namespace that may decrypt its packets
 * @interfaces: devices that are up and decrypt packets of the namespace whose states are not
 *	marked; only they receive the inner packets
 */
struct vif_ipsec_net {
	atomic_t interfaces;
};

static unsigned int vif_ipsec_net_id;

/*
 * struct vif_ipsec_outer - a packet that may be encrypted
 * @ip: its header
 * @protocol: ESP or AH
 * @in_udp: it is in UDP
 */
struct vif_ipsec_outer {
	struct vif_ip ip;
	u8 protocol;
	bool in_udp;
};

/* Return the SPI of ESP, also in UDP, or AH; 0 for none. IPsec does not pass extension headers. */
static __be32 vif_ipsec_read(const struct sk_buff *skb, struct vif_ipsec_outer *outer)
{
	const struct udphdr *udp;
	struct udphdr udp_buf;
	__be32 spi_buf, *spi;
	int offset;

	*outer = (struct vif_ipsec_outer) {};
	if (!vif_ip_of(skb, &outer->ip) || outer->ip.fragment)
		return 0;
	outer->protocol = outer->ip.next;
	offset = outer->ip.end;
	if (outer->protocol == IPPROTO_UDP) {
		udp = skb_header_pointer(skb, offset, sizeof(udp_buf), &udp_buf);
		if (!udp || udp->dest != htons(ENCAP_PORT))
			return 0;
		outer->in_udp = true;
		outer->protocol = IPPROTO_ESP;
		offset += sizeof(*udp);
	} else if (outer->protocol == IPPROTO_AH) {
		offset += offsetof(struct ip_auth_hdr, spi);
	} else if (outer->protocol != IPPROTO_ESP) {
		return 0;
	}
	spi = skb_header_pointer(skb, offset, sizeof(spi_buf), &spi_buf);
	return spi ? *spi : 0;
}

/* Is it for a key daemon's socket, which gives ESP to the kernel? */
static bool vif_ipsec_has_socket(struct sk_buff *skb)
{
	struct sock *sk = vif_sk_lookup_received(dev_net(skb->dev), skb);
	bool has;

	if (!sk)
		return false;
	has = sk_is_udp(sk) && READ_ONCE(udp_sk(sk)->encap_type) == UDP_ENCAP_ESPINUDP;
	sock_gen_put(sk);
	return has;
}

static bool vif_ipsec_is_tunnel(const struct xfrm_state *x)
{
	return x->outer_mode.flags & XFRM_MODE_FLAG_TUNNEL;
}

/* Will @x decrypt it, only for the device that has received it? */
static bool vif_ipsec_decrypts(const struct xfrm_state *x, const struct vif_ipsec_outer *outer,
			       const struct vif_ipsec_net *in)
{
	return x->km.state == XFRM_STATE_VALID && !x->if_id &&
	       !atomic_read(&in->interfaces) && !x->encap == !outer->in_udp;
}

/* Of state @x. */
static bool vif_ipsec_is_outer_packet(struct sk_buff *skb, const struct xfrm_state *x,
				      const struct vif_ipsec_outer *outer, nf_hookfn *inner)
{
	struct net *net = dev_net(skb->dev);

	return vif_ipsec_decrypts(x, outer, net_generic(net, vif_ipsec_net_id)) &&
	       vif_sk_lookup_is_local(net, skb) &&
	       (!outer->in_udp || vif_ipsec_has_socket(skb)) &&
	       (vif_ipsec_is_tunnel(x) || vif_late_hooks_are_there(net, VIF_LATE_RECEIVED, inner));
}

bool vif_ipsec_is_outer(struct sk_buff *skb, nf_hookfn *inner)
{
	const xfrm_address_t *to;
	struct xfrm_state *x;
	struct vif_ipsec_outer outer;
	bool is_outer;
	__be32 spi;

	if (!vif_sk_lookup_ends_here(skb))
		return false;
	spi = vif_ipsec_read(skb, &outer);
	to = (const xfrm_address_t *)&outer.ip.daddr;
	x = spi ? xfrm_state_lookup(dev_net(skb->dev), skb->mark, to, spi, outer.protocol,
				    outer.ip.family) : NULL;
	if (!x)
		return false;
	is_outer = vif_ipsec_is_outer_packet(skb, x, &outer, inner);
	xfrm_state_put(x);
	return is_outer;
}

bool vif_ipsec_is_inner(const struct sk_buff *skb)
{
	const struct sec_path *path = skb_sec_path(skb);

	return path && path->len && !vif_ipsec_is_tunnel(path->xvec[path->len - 1]);
}

/*
 * Return the namespace whose packets a device decrypts although no state names the device, or NULL.
 */
static struct net *vif_ipsec_decrypts_for(const struct net_device *dev)
{
	const struct rtnl_link_ops *ops = dev->rtnl_link_ops;
	const struct xfrm_if *xi = netdev_priv(dev);

	if (!ops || !ops->get_link_net)
		return NULL;
	if (strcmp(ops->kind, "vti") && strcmp(ops->kind, "vti6") &&
	    (strcmp(ops->kind, "xfrm") || !xi->p.collect_md))
		return NULL;
	return ops->get_link_net(dev);
}

static int vif_ipsec_notify(struct notifier_block *nb, unsigned long what, void *ptr)
{
	struct net *net = vif_ipsec_decrypts_for(netdev_notifier_info_to_dev(ptr));
	struct vif_ipsec_net *in;

	if (!net || (what != NETDEV_UP && what != NETDEV_DOWN))
		return NOTIFY_DONE;
	in = net_generic(net, vif_ipsec_net_id);
	if (what == NETDEV_UP)
		atomic_inc(&in->interfaces);
	else
		atomic_dec(&in->interfaces);
	return NOTIFY_DONE;
}

static struct notifier_block vif_ipsec_notifier = {
	.notifier_call = vif_ipsec_notify,
};

static struct pernet_operations vif_ipsec_pernet = {
	.id = &vif_ipsec_net_id,
	.size = sizeof(struct vif_ipsec_net),
};

int vif_ipsec_init(void)
{
	int err = register_pernet_subsys(&vif_ipsec_pernet);

	if (err)
		return err;
	err = register_netdevice_notifier(&vif_ipsec_notifier);
	if (err)
		unregister_pernet_subsys(&vif_ipsec_pernet);
	return err;
}

void vif_ipsec_exit(void)
{
	unregister_netdevice_notifier(&vif_ipsec_notifier);
	unregister_pernet_subsys(&vif_ipsec_pernet);
}
