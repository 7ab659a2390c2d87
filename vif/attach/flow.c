// SPDX-License-Identifier: GPL-2.0
/* The tables of flows, one in each network namespace: see flow.h. */
#include "flow.h"

#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/flow_dissector.h>
#include <net/netns/generic.h>
#include <net/sock.h>
#if IS_ENABLED(CONFIG_NF_CONNTRACK)
#include <net/netfilter/nf_conntrack.h>
#endif

#include "fragment.h"
#include "sock.h"

/*
 * The table consists of parts, which are allocated when they are needed, and a part of sets. The
 * hash of a flow selects its set. In a full set a new flow replaces the oldest one. A set has
 * several slots, so that flows that start at about the same time do not replace each other.
 */
#define PARTS_BITS	6
#define SETS_BITS	4
#define SET_SIZE	4

/**
 * struct vif_flow_key - the values that all packets of a flow share
 * @local: this host's address; an IPv4 address is in the first word
 * @remote: the other host's address
 * @fragment: hash of struct vif_fragment, for fragments of a datagram: then the rest is zero
 * @id: ports, local first, or the identifier of an echo
 * @family: AF_INET or AF_INET6
 * @protocol: IP protocol
 * @unused: padding
 *
 * Keys are compared as bytes, so unused members are zero.
 */
struct vif_flow_key {
	__be32 local[4];
	__be32 remote[4];
	u64 fragment;
	u32 id;
	u16 family;
	u8 protocol;
	u8 unused;
};

/**
 * struct vif_flow - a flow; only @since changes
 * @rcu: packets read it
 * @since: in jiffies: when the owner's last first fragment passed, of a datagram in fragments
 * @owner: the owner of its packets
 * @key: the key
 */
struct vif_flow {
	struct rcu_head rcu;
	unsigned long since;
	struct vif_flow_owner owner;
	struct vif_flow_key key;
};

/**
 * struct vif_flow_set - flows whose hashes share bits
 * @slot: the flows
 * @oldest: number (modulo SET_SIZE) of the slot that is replaced next; races of CPUs do no harm
 */
struct vif_flow_set {
	struct vif_flow __rcu *slot[SET_SIZE];
	unsigned int oldest;
};

struct vif_flow_part {
	struct vif_flow_set set[1 << SETS_BITS];
};

/**
 * struct vif_flows - the table of a network namespace
 * @part: parts, by hash; NULL until the part has a flow; they stay until the namespace ends
 * @any: the table has had a flow; otherwise lookups return at once
 * @any_translated: the table has had a flow of TCP or UDP
 */
struct vif_flows {
	struct vif_flow_part __rcu *part[1 << PARTS_BITS];
	bool any;
	bool any_translated;
};

static unsigned int vif_flow_net_id __read_mostly;
static u32 vif_flow_seed __read_mostly;

static struct vif_flows *vif_flow_flows_of(const struct net *net)
{
	return net_generic(net, vif_flow_net_id);
}

static u32 vif_flow_hash_of(const struct vif_flow_key *key)
{
	return jhash(key, sizeof(*key), vif_flow_seed);
}

static struct vif_flow_part __rcu **vif_flow_part_of(struct vif_flows *flows, u32 hash)
{
	return &flows->part[hash >> (32 - PARTS_BITS)];
}

static struct vif_flow_set *vif_flow_set_of(struct vif_flow_part *part, u32 hash)
{
	return &part->set[hash % (1 << SETS_BITS)];
}

/* Return NULL if there is no memory. */
static struct vif_flow_part *vif_flow_get_part(struct vif_flows *flows, u32 hash)
{
	struct vif_flow_part __rcu **place = vif_flow_part_of(flows, hash);
	struct vif_flow_part *part = rcu_dereference(*place), *other;

	if (part)
		return part;
	part = kzalloc(sizeof(*part), GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!part)
		return NULL;
	other = unrcu_pointer(cmpxchg(place, NULL, RCU_INITIALIZER(part)));
	if (!other)
		return part;
	kfree(part);
	return other;
}

static struct vif_flow *vif_flow_find_in(const struct vif_flow_set *set,
					 const struct vif_flow_key *key)
{
	struct vif_flow *flow;
	unsigned int i;

	for (i = 0; i < SET_SIZE; i++) {
		flow = rcu_dereference(set->slot[i]);
		if (flow && !memcmp(&flow->key, key, sizeof(*key)))
			return flow;
	}
	return NULL;
}

/* An entry of a datagram is valid for as long as the kernel may keep the datagram. */
static bool vif_flow_is_valid(const struct vif_flow *flow)
{
	return !flow->key.fragment ||
	       time_before_eq(jiffies, READ_ONCE(flow->since) + VIF_FRAGMENT_LASTS * HZ);
}

/* Return the slot with the entry of @key, or else the oldest flow's. */
static struct vif_flow __rcu **vif_flow_slot_for(struct vif_flow_set *set,
						 const struct vif_flow *known)
{
	unsigned int i;

	for (i = 0; known && i < SET_SIZE; i++)
		if (rcu_access_pointer(set->slot[i]) == known)
			return &set->slot[i];
	i = READ_ONCE(set->oldest);
	WRITE_ONCE(set->oldest, (i + 1) % SET_SIZE);
	return &set->slot[i];
}

/* Return the owner of the flow: not @owner if there was one before, unless @replaces. */
static struct vif_flow_owner vif_flow_remember(struct vif_flows *flows,
					       const struct vif_flow_key *key,
					       struct vif_flow_owner owner, bool replaces)
{
	u32 hash = vif_flow_hash_of(key);
	struct vif_flow_part *part = vif_flow_get_part(flows, hash);
	struct vif_flow *flow, *known;
	struct vif_flow_set *set;

	if (!part)
		return owner;
	set = vif_flow_set_of(part, hash);
	known = vif_flow_find_in(set, key);
	if (known && vif_flow_is_owner(known->owner, owner)) {
		if (key->fragment)
			WRITE_ONCE(known->since, jiffies);
		return owner;
	}
	if (known && !replaces && vif_flow_is_valid(known))
		return known->owner;
	flow = kmalloc(sizeof(*flow), GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!flow)
		return owner;
	flow->since = jiffies;
	flow->owner = owner;
	flow->key = *key;
	flow = unrcu_pointer(xchg(vif_flow_slot_for(set, known),
				  RCU_INITIALIZER(flow)));
	if (flow)
		kfree_rcu(flow, rcu);
	if (!READ_ONCE(flows->any))
		WRITE_ONCE(flows->any, true);
	return owner;
}

static struct vif_flow_owner vif_flow_find_owner(struct vif_flows *flows,
						 const struct vif_flow_key *key)
{
	u32 hash = vif_flow_hash_of(key);
	struct vif_flow_part *part = rcu_dereference(*vif_flow_part_of(flows, hash));
	const struct vif_flow *flow;

	flow = part ? vif_flow_find_in(vif_flow_set_of(part, hash), key) : NULL;
	return flow && vif_flow_is_valid(flow) ? flow->owner : (struct vif_flow_owner) {};
}

/* An echo's identifier, in a request (which is sent) or an answer (received). */
static bool vif_flow_echo_id(const struct sk_buff *skb, unsigned int offset, u8 protocol,
			     bool sent, u32 *id)
{
	const struct icmphdr *icmp;
	struct icmphdr buf;
	u8 type;

	if (protocol == IPPROTO_ICMP)
		type = sent ? ICMP_ECHO : ICMP_ECHOREPLY;
	else
		type = sent ? ICMPV6_ECHO_REQUEST : ICMPV6_ECHO_REPLY;
	/* both headers begin alike */
	icmp = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!icmp || icmp->type != type)
		return false;
	*id = (__force u16)icmp->un.echo.id;
	return true;
}

static void vif_flow_set_addresses(const struct flow_keys *keys, bool sent,
				   struct vif_flow_key *key)
{
	if (key->family == AF_INET) {
		const struct flow_dissector_key_ipv4_addrs *v4 =
			&keys->addrs.v4addrs;

		key->local[0] = sent ? v4->src : v4->dst;
		key->remote[0] = sent ? v4->dst : v4->src;
	} else {
		const struct flow_dissector_key_ipv6_addrs *v6 =
			&keys->addrs.v6addrs;

		memcpy(key->local, sent ? &v6->src : &v6->dst,
		       sizeof(key->local));
		memcpy(key->remote, sent ? &v6->dst : &v6->src,
		       sizeof(key->remote));
	}
}

static void vif_flow_set_ports(const struct flow_keys *keys, bool sent,
			       struct vif_flow_key *key)
{
	u16 src = ntohs(keys->ports.src), dst = ntohs(keys->ports.dst);

	key->id = sent ? (u32)src << 16 | dst : (u32)dst << 16 | src;
}

/* False if it belongs to no flow that could be told, as a later fragment. */
static bool vif_flow_key_of(const struct sk_buff *skb, bool sent, struct vif_flow_key *key)
{
	struct flow_keys keys;

	if (!skb_flow_dissect_flow_keys(skb, &keys, FLOW_DISSECTOR_F_PARSE_1ST_FRAG))
		return false;
	if (keys.control.addr_type != FLOW_DISSECTOR_KEY_IPV4_ADDRS &&
	    keys.control.addr_type != FLOW_DISSECTOR_KEY_IPV6_ADDRS)
		return false;
	memset(key, 0, sizeof(*key));
	key->family = keys.control.addr_type == FLOW_DISSECTOR_KEY_IPV4_ADDRS ?
		AF_INET : AF_INET6;
	key->protocol = keys.basic.ip_proto;
	vif_flow_set_addresses(&keys, sent, key);
	if ((keys.control.flags & (FLOW_DIS_IS_FRAGMENT | FLOW_DIS_FIRST_FRAG)) ==
	    FLOW_DIS_IS_FRAGMENT)
		return false;
	if (key->protocol == IPPROTO_ICMP || key->protocol == IPPROTO_ICMPV6)
		return vif_flow_echo_id(skb, keys.control.thoff, key->protocol, sent,
					&key->id);
	vif_flow_set_ports(&keys, sent, key);
	return true;
}

void vif_flow_sent(struct net *net, const struct sk_buff *skb, struct sock *sk,
		   bool translated)
{
	struct vif_flows *flows = vif_flow_flows_of(net);
	struct vif_flow_key key;

	if (!vif_flow_key_of(skb, true, &key))
		return;
	if (translated && !READ_ONCE(flows->any_translated))
		WRITE_ONCE(flows->any_translated, true);
	vif_flow_remember(flows, &key, (struct vif_flow_owner) { .cookie = vif_sock_flow_cookie(sk) },
			  true);
}

/* The flow of a datagram's fragments; false if it is not a fragment. */
static bool vif_flow_fragment_key(const struct sk_buff *skb, struct vif_flow_key *key)
{
	/* it is compared as bytes */
	memset(key, 0, sizeof(*key));
	key->fragment = vif_fragment_of(skb, skb_network_offset(skb)).hash;
	return key->fragment;
}

struct vif_flow_owner vif_flow_first_fragment(struct net *net, const struct sk_buff *skb,
					      struct vif_flow_owner owner, bool replaces)
{
	struct vif_flow_key key;

	if (!vif_flow_fragment_key(skb, &key))
		return owner;
	return vif_flow_remember(vif_flow_flows_of(net), &key, owner, replaces);
}

struct vif_flow_owner vif_flow_find(struct net *net, const struct sk_buff *skb)
{
	const struct vif_flow_owner none = {};
	struct vif_flows *flows = vif_flow_flows_of(net);
	struct vif_flow_key key, fragment;
	struct vif_flow_owner owner;

	if (!READ_ONCE(flows->any))
		return none;
	if (vif_flow_fragment_key(skb, &fragment)) {
		owner = vif_flow_find_owner(flows, &fragment);
		if (owner.cookie || owner.ino)
			return owner;
	}
	if (!vif_flow_key_of(skb, false, &key))
		return none;
	if ((key.protocol == IPPROTO_TCP || key.protocol == IPPROTO_UDP) &&
	    !READ_ONCE(flows->any_translated))
		return none;
	owner = vif_flow_find_owner(flows, &key);
	if (unlikely(fragment.fragment && (owner.cookie || owner.ino)) &&
	    vif_fragment_is_kept(skb, skb_network_offset(skb)))
		vif_flow_remember(flows, &fragment, owner, false);
	return owner;
}

static void vif_flow_free_set(struct vif_flow_set *set)
{
	unsigned int i;

	for (i = 0; i < SET_SIZE; i++)
		kfree(rcu_dereference_protected(set->slot[i], true));
}

static void vif_flow_free_part(struct vif_flow_part *part)
{
	unsigned int i;

	for (i = 0; part && i < ARRAY_SIZE(part->set); i++)
		vif_flow_free_set(&part->set[i]);
	kfree(part);
}

/* Its devices have gone: there are no packets. */
static void __net_exit vif_flow_exit_net_ns(struct net *net)
{
	struct vif_flows *flows = vif_flow_flows_of(net);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flows->part); i++)
		vif_flow_free_part(rcu_dereference_protected(flows->part[i], true));
}

static struct pernet_operations vif_flow_pernet = {
	.exit = vif_flow_exit_net_ns,
	.id = &vif_flow_net_id,
	.size = sizeof(struct vif_flows),
};

int vif_flow_init(void)
{
	vif_flow_seed = get_random_u32();
	return register_pernet_subsys(&vif_flow_pernet);
}

void vif_flow_exit(void)
{
	unregister_pernet_subsys(&vif_flow_pernet);
}
