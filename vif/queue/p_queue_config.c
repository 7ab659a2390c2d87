// SPDX-License-Identifier: GPL-2.0
/*
 * Converts settings of a queue, or defaults, to bytes and times at the rate of its VIF's path: the
 * maximum queue length, the delay before CoDel acts, and the length of a flow's turn.
 */
#include "p_queue_config.h"

#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "../../sched/node.h"

/*
 * The default queue length at the path's rate, and at least this number of full frames at any rate:
 * some connections' first packets. CoDel handles packets that stay queued.
 */
#define LIMIT_NS	(250 * NSEC_PER_MSEC)
#define LIMIT_FRAMES	256ULL

/* CoDel at rates where a frame takes no time. */
#define TARGET_NS	(5ULL * NSEC_PER_MSEC)
#define INTERVAL_NS	(100ULL * NSEC_PER_MSEC)

/*
 * A sender of ECT(1) wants an early signal of queueing (L4S, RFC 9331), except for this time and
 * these frames: less than that is queued behind the flow that was served before.
 */
#define SHALLOW_NS	(1ULL * NSEC_PER_MSEC)
#define SHALLOW_FRAMES	2

/*
 * Small turns keep rounds short; large packets must not take many turns, nor full frames
 * where these last for no longer than TURN_NS.
 */
#define QUANTUM_LEAST	300U
#define QUANTUM_MOST	4096U
#define TURNS		16
#define TURN_NS		(250 * NSEC_PER_USEC)

static u64 p_queue_frame_ns(u32 frame_bytes, u64 rate)
{
	if (rate == VSCHED_RATE_MAX)
		return 0;
	return div64_u64(frame_bytes * (u64)NSEC_PER_SEC, rate);
}

/*
 * A frame and a half fits into the target: less than that always waits at a
 * low rate, and says nothing about the sender.
 */
u64 p_queue_target_ns(const struct vif_params_kept *set, u32 frame_bytes, u64 rate)
{
	if (set->aqm.target_us)
		return (u64)set->aqm.target_us * NSEC_PER_USEC;
	return max(TARGET_NS, p_queue_frame_ns(frame_bytes, rate) * 3 / 2);
}

/*
 * The interval, which stands for round-trip times, grows by as much as the target, and is
 * twice the target at least.
 */
static u64 p_queue_interval_ns(const struct vif_params_kept *set, u64 target)
{
	if (set->aqm.interval_us)
		return (u64)set->aqm.interval_us * NSEC_PER_USEC;
	return max3(INTERVAL_NS, INTERVAL_NS - TARGET_NS + target, 2 * target);
}

/* A lone packet may always be queued, however large, if there is memory for it. */
static void p_queue_set_limit(struct p_queue_params *params, const struct vif_limit *limit,
			      u32 frame_bytes)
{
	params->most_bytes = U64_MAX;
	params->most_packets = U64_MAX;
	if (limit->packets)
		params->most_packets = limit->packets;
	else if (limit->bytes)
		params->most_bytes = limit->bytes;
	else if (!limit->max)
		params->most_bytes = max(params->rate / (NSEC_PER_SEC / LIMIT_NS),
					 LIMIT_FRAMES * frame_bytes);
}

static u32 p_queue_find_quantum(u32 frame_bytes, const struct vsched_path *path)
{
	u32 turn = min_t(u64, div_u64(path->rate, NSEC_PER_SEC / TURN_NS), frame_bytes);
	u32 quantum = max3(max(path->longest, frame_bytes) / TURNS, turn, QUANTUM_LEAST);

	return min(quantum, QUANTUM_MOST);
}

void p_queue_adapt(struct p_queue_params *params, const struct vif_params_kept *set,
		   u32 frame_bytes, const struct vsched_path *path)
{
	u64 target = p_queue_target_ns(set, frame_bytes, path->rate);
	u64 shallow = max(SHALLOW_NS, SHALLOW_FRAMES * p_queue_frame_ns(frame_bytes, path->rate));

	params->rate = path->rate;
	params->quantum = p_queue_find_quantum(frame_bytes, path);
	params->codel.target = target >> CODEL_SHIFT;
	params->codel.interval = p_queue_interval_ns(set, target) >> CODEL_SHIFT;
	params->shallow = shallow >> CODEL_SHIFT;
	p_queue_set_limit(params, &set->limit, frame_bytes);
}
