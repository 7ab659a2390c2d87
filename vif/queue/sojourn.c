// SPDX-License-Identifier: GPL-2.0
#include "sojourn.h"

#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>

/* Two bits behind the leading one choose among the buckets of an octave. */
static unsigned int vif_sojourn_bucket_of(u32 ticks)
{
	unsigned int octave;

	if (ticks < 4)
		return ticks;
	octave = fls(ticks) - 1;
	return (octave - 1) * 4 + ((ticks >> (octave - 2)) & 3);
}

/* The longest time that belongs to a bucket. */
static u64 vif_sojourn_bucket_end(unsigned int bucket)
{
	unsigned int octave = bucket / 4 + 1;

	if (bucket < 4)
		return bucket;
	return ((5ULL + bucket % 4) << (octave - 2)) - 1;
}

void vif_sojourn_add(struct vif_sojourn *sojourn, u32 ticks, u32 packets)
{
	if (!sojourn->packets || ticks < sojourn->min)
		sojourn->min = ticks;
	if (ticks > sojourn->max)
		sojourn->max = ticks;
	sojourn->packets += packets;
	sojourn->sum += (u64)ticks * packets;
	sojourn->bucket[vif_sojourn_bucket_of(ticks)] += packets;
}

/* Ticks that all but @above packets stay below, or at. */
static u64 vif_sojourn_quantile(const struct vif_sojourn *sojourn, u64 above)
{
	unsigned int bucket = SOJOURN_BUCKETS;
	u64 seen = 0;

	while (bucket--) {
		seen += sojourn->bucket[bucket];
		if (seen > above)
			return min_t(u64, vif_sojourn_bucket_end(bucket), sojourn->max);
	}
	return 0;
}

void vif_sojourn_summarize(const struct vif_sojourn *sojourn, u64 passed,
		       struct vif_sojourn_summary *summary)
{
	*summary = (struct vif_sojourn_summary) { };
	if (!sojourn || !sojourn->packets)
		return;
	passed += sojourn->packets;
	if (passed == sojourn->packets)
		summary->min_ns = (u64)sojourn->min << SOJOURN_TICK_SHIFT;
	summary->mean_ns = mul_u64_u64_div_u64(sojourn->sum,
					       1 << SOJOURN_TICK_SHIFT, passed);
	summary->p99_ns = vif_sojourn_quantile(sojourn, div_u64(passed, 100)) <<
			  SOJOURN_TICK_SHIFT;
	summary->max_ns = (u64)sojourn->max << SOJOURN_TICK_SHIFT;
}
