// SPDX-License-Identifier: GPL-2.0
#include "exempt.h"

#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/jhash.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/netdevice.h>
#include <net/netns/hash.h>

/* A bucket that has not been used for so long is full at the least rate, 1 byte per second, too. */
#define FULL_NS		((ETH_FRAME_LEN + VLAN_HLEN) * NSEC_PER_SEC)

/* A full bucket has the bytes of half a second, or of @frames frames if these are more. */
static void vif_exempt_fill(struct vif_exempt_bucket *bucket, u32 rate, u32 frames, u64 now_ns)
{
	u32 full = max_t(u32, rate / 2, frames * (ETH_FRAME_LEN + VLAN_HLEN));

	/* below 2^41, and @rate is VIF_EXEMPT_RATE at most */
	u64 elapsed = min_t(u64, now_ns - bucket->since, FULL_NS);
	u64 bytes = div_u64(elapsed * rate, NSEC_PER_SEC);

	/* the fraction of a byte stays saved */
	if (bytes) {
		bucket->bytes = min_t(u64, bucket->bytes + bytes, full);
		bucket->since = now_ns;
	}
}

static struct vif_exempt_bucket *vif_exempt_sender(struct vif_exempt *exempt,
						   const struct sk_buff *skb)
{
	u32 hash;

	if (skb->dev->type != ARPHRD_ETHER ||
	    skb_network_offset(skb) - skb_mac_offset(skb) < ETH_HLEN)
		return &exempt->sender[0];
	hash = jhash(eth_hdr(skb)->h_source, ETH_ALEN, net_hash_mix(dev_net(skb->dev)));
	return &exempt->sender[hash >> (32 - VIF_EXEMPT_BITS)];
}

bool vif_exempt_take(struct vif_exempt *exempt, const struct sk_buff *skb, u32 bytes,
		     u64 rate, u64 now_ns)
{
	struct vif_exempt_bucket *sender = vif_exempt_sender(exempt, skb);
	u32 most = clamp_t(u64, rate / 2, VIF_EXEMPT_PART, VIF_EXEMPT_RATE);

	/* no sender can take all */
	vif_exempt_fill(&exempt->all, most, 2, now_ns);
	vif_exempt_fill(sender, most / VIF_EXEMPT_PART, 1, now_ns);
	if (exempt->all.bytes < bytes || sender->bytes < bytes)
		return false;
	exempt->all.bytes -= bytes;
	sender->bytes -= bytes;
	return true;
}
