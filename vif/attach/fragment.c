// SPDX-License-Identifier: GPL-2.0
#include "fragment.h"

#include <linux/jiffies.h>
#include <linux/once.h>
#include <linux/siphash.h>

/* A slot: the verdict and one, so that none is 0; seconds; the rest of the hash. */
#define VERDICT_BITS	8
#define SECONDS_BITS	16
#define HASH_SHIFT	(VERDICT_BITS + SECONDS_BITS)

/* The kernel's longest wait for the rest of a datagram: IPv6's 60 s. */
#define LASTS_SECONDS	60

/* Hashed as bytes, so it must have no padding. */
struct fragment_key {
	__be32 saddr[4];
	__be32 daddr[4];
	u32 id;
	u32 protocol;
} __aligned(SIPHASH_ALIGNMENT);

static siphash_key_t secret __read_mostly;

static u64 vif_fragment_hash_of(const struct fragment_key *key)
{
	net_get_random_once(&secret, sizeof(secret));
	return siphash(key, sizeof(*key), &secret) | 1;
}

static struct vif_fragment vif_fragment_of_ipv4(const struct sk_buff *skb, int offset)
{
	const struct iphdr *ip;
	struct iphdr buf;
	struct fragment_key key = { };

	ip = skb_header_pointer(skb, offset, sizeof(buf), &buf);
	if (!ip || !ip_is_fragment(ip))
		return (struct vif_fragment) { };
	key.saddr[0] = ip->saddr;
	key.daddr[0] = ip->daddr;
	key.id = (__force u16)ip->id;
	key.protocol = ip->protocol | AF_INET << 8;
	return (struct vif_fragment) {
		.hash = vif_fragment_hash_of(&key),
		.first = !(ip->frag_off & htons(IP_OFFSET)),
	};
}

static struct vif_fragment vif_fragment_of_ipv6(const struct sk_buff *skb, int offset)
{
	struct vif_fragment none = { };
	const struct ipv6hdr *ip;
	const struct frag_hdr *fh;
	struct ipv6hdr ip_buf;
	struct frag_hdr fh_buf;
	struct fragment_key key = { };

	ip = skb_header_pointer(skb, offset, sizeof(ip_buf), &ip_buf);
	if (!ip || ip->nexthdr != NEXTHDR_FRAGMENT)
		return none;
	fh = skb_header_pointer(skb, offset + sizeof(*ip), sizeof(fh_buf), &fh_buf);
	if (!fh)
		return none;
	memcpy(key.saddr, &ip->saddr, sizeof(key.saddr));
	memcpy(key.daddr, &ip->daddr, sizeof(key.daddr));
	key.id = (__force u32)fh->identification;
	key.protocol = AF_INET6 << 8;
	return (struct vif_fragment) {
		.hash = vif_fragment_hash_of(&key),
		.first = !(fh->frag_off & htons(IP6_OFFSET)),
	};
}

struct vif_fragment vif_fragment_look(const struct sk_buff *skb, int offset)
{
	switch (skb->protocol) {
	case htons(ETH_P_IP):
		return vif_fragment_of_ipv4(skb, offset);
	case htons(ETH_P_IPV6):
		return vif_fragment_of_ipv6(skb, offset);
	default:
		return (struct vif_fragment) { };
	}
}

static unsigned int vif_fragment_slot_of(struct vif_fragment fragment)
{
	return (fragment.hash >> 1) % VIF_FRAGMENT_SLOTS;
}

static u64 vif_fragment_rest_of(struct vif_fragment fragment)
{
	return fragment.hash >> HASH_SHIFT << HASH_SHIFT;
}

static u16 vif_fragment_seconds(void)
{
	return (u32)jiffies / HZ;
}

void vif_fragment_note(struct vif_fragments *fragments, struct vif_fragment fragment,
		       unsigned int verdict)
{
	atomic64_set(&fragments->slot[vif_fragment_slot_of(fragment)],
		     vif_fragment_rest_of(fragment) | (u64)vif_fragment_seconds() << VERDICT_BITS |
			     (verdict + 1));
}

int vif_fragment_find(const struct vif_fragments *fragments, struct vif_fragment fragment)
{
	u64 slot = atomic64_read(&fragments->slot[vif_fragment_slot_of(fragment)]);
	u16 age = vif_fragment_seconds() - (u16)(slot >> VERDICT_BITS);

	if (vif_fragment_rest_of(fragment) != slot >> HASH_SHIFT << HASH_SHIFT ||
	    age > LASTS_SECONDS)
		return -1;
	return (int)(slot % (1 << VERDICT_BITS)) - 1;
}
