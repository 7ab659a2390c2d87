/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sojourn times: how long packets were queued, as a histogram with four buckets for each power of
 * two. The code is plain C. The caller serializes.
 *
 * The unit is a tick of 1024 ns, as in CoDel.
 */
#ifndef NETNICE_VIF_SOJOURN_H
#define NETNICE_VIF_SOJOURN_H

#include <linux/types.h>

#define SOJOURN_TICK_SHIFT	10

/* Ticks have 32 bits. Each of the values below 4 has its own bucket. */
#define SOJOURN_BUCKETS		124

/**
 * struct vif_sojourn - times of the packets that waited; all zero: none yet
 * @packets: how many
 * @sum: of their times, in ticks
 * @min: the shortest, in ticks; meaningless without packets
 * @max: the longest, in ticks
 * @bucket: packets by time
 */
struct vif_sojourn {
	u64 packets;
	u64 sum;
	u32 min;
	u32 max;
	u64 bucket[SOJOURN_BUCKETS];
};

/**
 * struct vif_sojourn_summary - summary in nanoseconds
 * @min_ns: the shortest
 * @mean_ns: the mean
 * @p99_ns: p99: the upper end of a
 *	bucket, which is less than a quarter above the exact value
 * @max_ns: the longest
 */
struct vif_sojourn_summary {
	u64 min_ns;
	u64 mean_ns;
	u64 p99_ns;
	u64 max_ns;
};

/**
 * vif_sojourn_add() - count a packet that waited
 * @sojourn: where
 * @ticks: how long
 * @packets: on the wire
 */
void vif_sojourn_add(struct vif_sojourn *sojourn, u32 ticks, u32 packets);

/**
 * vif_sojourn_summarize() - see struct vif_sojourn_summary
 * @sojourn: of delayed packets, NULL if there are none
 * @passed: number of packets without a delay: their time is 0
 * @summary: result
 */
void vif_sojourn_summarize(const struct vif_sojourn *sojourn, u64 passed,
		       struct vif_sojourn_summary *summary);

#endif
