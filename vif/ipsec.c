// SPDX-License-Identifier: GPL-2.0
#include "ipsec.h"

#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter_ipv4.h>
#include <linux/string.h>
#include <linux/udp.h>
#include <linux/workqueue.h>
#include <net/ah.h>
#include <net/esp.h>
#include <net/netns/generic.h>
#include <net/rtnetlink.h>
#include <net/xfrm.h>

#include "vif.h"

/* The port of ESP in UDP (RFC 3948). */
#define ENCAP_PORT	4500

/**
 * struct ipsec_net - of a network namespace
 * @net: it
 * @inner: what becomes a hook
 * @ops: its registration, IPv4 and IPv6
 * @work: does that
 * @hooked: it is done
 * @ending: it shall not be done any more
 * @vtis: VTI devices that are up: what one of these decrypts is received by it alone
 */
struct ipsec_net {
	struct net *net;
	nf_hookfn *inner;
	struct nf_hook_ops ops[2];
	struct work_struct work;
	bool hooked;
	bool ending;
	atomic_t vtis;
};

static unsigned int ipsec_id;

static void hook(struct work_struct *work)
{
	struct ipsec_net *in = container_of(work, struct ipsec_net, work);
	unsigned int i;

	if (in->hooked || READ_ONCE(in->ending))
		return;
	for (i = 0; i < ARRAY_SIZE(in->ops); i++)
		in->ops[i] = (struct nf_hook_ops) {
			.hook = in->inner,
			.pf = i ? NFPROTO_IPV6 : NFPROTO_IPV4,
			.hooknum = NF_INET_PRE_ROUTING,
			/* nobody has seen what may wait here, and then begins anew */
			.priority = INT_MIN,
		};
	if (!nf_register_net_hooks(in->net, in->ops, ARRAY_SIZE(in->ops)))
		smp_store_release(&in->hooked, true);
}

static bool is_hooked(struct ipsec_net *in, nf_hookfn *inner)
{
	/* pairs with that of hook() */
	if (smp_load_acquire(&in->hooked))
		return true;
	if (!READ_ONCE(in->ending)) {
		WRITE_ONCE(in->inner, inner);
		queue_work(vif_wq, &in->work);
	}
	return false;
}

struct address {
	const xfrm_address_t *to;
	unsigned short family;
	u8 protocol;
	int offset;
};

/* False if it is none, or not all of it. */
static bool read_address(const struct sk_buff *skb, void *buf, struct address *address)
{
	const struct ipv6hdr *ip6;
	const struct iphdr *ip;
	int offset = skb_network_offset(skb);

	switch (skb->protocol) {
	case htons(ETH_P_IP):
		ip = skb_header_pointer(skb, offset, sizeof(*ip), buf);
		if (!ip || ip_is_fragment(ip))
			return false;
		*address = (struct address) {
			(const xfrm_address_t *)&ip->daddr, AF_INET,
			ip->protocol, offset + 4 * ip->ihl
		};
		return true;
	case htons(ETH_P_IPV6):
		ip6 = skb_header_pointer(skb, offset, sizeof(*ip6), buf);
		if (!ip6)
			return false;
		*address = (struct address) {
			(const xfrm_address_t *)&ip6->daddr, AF_INET6,
			ip6->nexthdr, offset + sizeof(*ip6)
		};
		return true;
	default:
		return false;
	}
}

/* Of ESP, also in UDP, and AH; 0 for none. */
static __be32 read_spi(const struct sk_buff *skb, struct address *address)
{
	const struct udphdr *udp;
	struct udphdr udp_buf;
	__be32 spi_buf, *spi;

	if (address->protocol == IPPROTO_UDP) {
		udp = skb_header_pointer(skb, address->offset, sizeof(udp_buf), &udp_buf);
		if (!udp || udp->dest != htons(ENCAP_PORT))
			return 0;
		address->offset += sizeof(*udp);
		address->protocol = IPPROTO_ESP;
	} else if (address->protocol == IPPROTO_AH) {
		address->offset += offsetof(struct ip_auth_hdr, spi);
	} else if (address->protocol != IPPROTO_ESP) {
		return 0;
	}
	spi = skb_header_pointer(skb, address->offset, sizeof(spi_buf), &spi_buf);
	return spi ? *spi : 0;
}

static struct xfrm_state *find_state(const struct sk_buff *skb)
{
	struct address address;
	struct ipv6hdr buf;
	__be32 spi;

	if (!read_address(skb, &buf, &address))
		return NULL;
	spi = read_spi(skb, &address);
	return spi ? xfrm_state_lookup(dev_net(skb->dev), skb->mark, address.to, spi,
				       address.protocol, address.family) : NULL;
}

static bool is_tunnel(const struct xfrm_state *x)
{
	return x->outer_mode.flags & XFRM_MODE_FLAG_TUNNEL;
}

/* Devices that are ports of others leave it to these to decrypt it. */
static bool ends_here(const struct sk_buff *skb)
{
	return skb->pkt_type == PACKET_HOST && !skb_vlan_tag_present(skb) &&
	       !rcu_access_pointer(skb->dev->rx_handler) &&
	       !netif_is_l3_slave(skb->dev);
}

bool vif_ipsec_is_outer(const struct sk_buff *skb, nf_hookfn *inner)
{
	struct ipsec_net *in = net_generic(dev_net(skb->dev), ipsec_id);
	struct xfrm_state *x;
	bool outer;

	if (!ends_here(skb))
		return false;
	x = find_state(skb);
	if (!x)
		return false;
	if (is_tunnel(x))
		/* an interface of its own receives it otherwise */
		outer = !x->if_id && !atomic_read(&in->vtis);
	else
		outer = is_hooked(in, inner);
	xfrm_state_put(x);
	return outer;
}

bool vif_ipsec_is_inner(const struct sk_buff *skb)
{
	const struct sec_path *path = skb_sec_path(skb);

	return path && path->len && !is_tunnel(path->xvec[path->len - 1]);
}

static bool is_vti(const struct net_device *dev)
{
	const struct rtnl_link_ops *ops = dev->rtnl_link_ops;

	return ops && (!strcmp(ops->kind, "vti") || !strcmp(ops->kind, "vti6"));
}

static int notify(struct notifier_block *nb, unsigned long what, void *ptr)
{
	const struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct ipsec_net *in = net_generic(dev_net(dev), ipsec_id);

	if (what == NETDEV_UP && is_vti(dev))
		atomic_inc(&in->vtis);
	if (what == NETDEV_DOWN && is_vti(dev))
		atomic_dec(&in->vtis);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = {
	.notifier_call = notify,
};

static int __net_init begin_net(struct net *net)
{
	struct ipsec_net *in = net_generic(net, ipsec_id);

	in->net = net;
	INIT_WORK(&in->work, hook);
	return 0;
}

/* Before a grace period, after which nobody is in the hook any more. */
static void __net_exit close_net(struct net *net)
{
	struct ipsec_net *in = net_generic(net, ipsec_id);

	WRITE_ONCE(in->ending, true);
	cancel_work_sync(&in->work);
	if (in->hooked)
		nf_unregister_net_hooks(net, in->ops, ARRAY_SIZE(in->ops));
}

/* A packet may have queued it once more meanwhile. */
static void __net_exit end_net(struct net *net)
{
	struct ipsec_net *in = net_generic(net, ipsec_id);

	cancel_work_sync(&in->work);
}

static struct pernet_operations pernet = {
	.init = begin_net,
	.pre_exit = close_net,
	.exit = end_net,
	.id = &ipsec_id,
	.size = sizeof(struct ipsec_net),
};

int vif_ipsec_init(void)
{
	int err = register_pernet_subsys(&pernet);

	if (err)
		return err;
	err = register_netdevice_notifier(&notifier);
	if (err)
		unregister_pernet_subsys(&pernet);
	return err;
}

void vif_ipsec_exit(void)
{
	unregister_netdevice_notifier(&notifier);
	unregister_pernet_subsys(&pernet);
}
