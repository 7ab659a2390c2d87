// SPDX-License-Identifier: GPL-2.0
#include "verdict.h"

#include <linux/jiffies.h>

/* A slot: the verdict and one, so that none is 0; seconds; the rest of the hash. */
#define VERDICT_BITS	8
#define SECONDS_BITS	16
#define HASH_SHIFT	(VERDICT_BITS + SECONDS_BITS)

static unsigned int vif_verdict_slot_of(struct vif_fragment fragment)
{
	return (fragment.hash >> 1) % VIF_VERDICT_SLOTS;
}

static u64 vif_verdict_rest_of(struct vif_fragment fragment)
{
	return fragment.hash >> HASH_SHIFT << HASH_SHIFT;
}

static u16 vif_verdict_seconds(void)
{
	return (u32)jiffies / HZ;
}

void vif_verdict_note(struct vif_verdicts *verdicts, struct vif_fragment fragment,
		      unsigned int verdict)
{
	if (vif_verdict_find(verdicts, fragment) >= 0)
		return;
	atomic64_set(&verdicts->slot[vif_verdict_slot_of(fragment)],
		     vif_verdict_rest_of(fragment) | (u64)vif_verdict_seconds() << VERDICT_BITS |
			     (verdict + 1));
}

int vif_verdict_find(const struct vif_verdicts *verdicts, struct vif_fragment fragment)
{
	u64 slot = atomic64_read(&verdicts->slot[vif_verdict_slot_of(fragment)]);
	u16 age = vif_verdict_seconds() - (u16)(slot >> VERDICT_BITS);

	if (vif_verdict_rest_of(fragment) != slot >> HASH_SHIFT << HASH_SHIFT ||
	    age > VIF_FRAGMENT_LASTS)
		return -1;
	return (int)(slot % (1 << VERDICT_BITS)) - 1;
}
