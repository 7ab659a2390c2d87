// SPDX-License-Identifier: GPL-2.0
#include "fragment.h"

#include <linux/jiffies.h>
#include <linux/once.h>
#include <linux/siphash.h>

#include "../queue/ip.h"

/* A slot: the verdict and one, so that none is 0; seconds; the rest of the hash. */
#define VERDICT_BITS	8
#define SECONDS_BITS	16
#define HASH_SHIFT	(VERDICT_BITS + SECONDS_BITS)

/* The kernel's longest wait for the rest of a datagram: IPv6's 60 s. */
#define LASTS_SECONDS	60

/* Hashed as bytes, so it must have no padding. */
struct fragment_key {
	union nf_inet_addr saddr;
	union nf_inet_addr daddr;
	u32 id;
	u16 family;
	u16 protocol;
} __aligned(SIPHASH_ALIGNMENT);

static siphash_key_t secret __read_mostly;

static u64 vif_fragment_hash_of(const struct fragment_key *key)
{
	net_get_random_once(&secret, sizeof(secret));
	return siphash(key, sizeof(*key), &secret) | 1;
}

struct vif_fragment vif_fragment_look(const struct sk_buff *skb, int offset)
{
	struct fragment_key key = { };
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
