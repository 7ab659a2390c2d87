/* SPDX-License-Identifier: GPL-2.0 */
/* How a p_queue was set, and what that means. */
#ifndef NETNICE_VIF_P_QUEUE_CONFIG_H
#define NETNICE_VIF_P_QUEUE_CONFIG_H

#include <linux/types.h>
#include <net/codel.h>

struct vsched_path;

/**
 * enum p_queue_unit - how a limit was given
 * @P_QUEUE_AUTO: by the rate of the path
 * @P_QUEUE_BYTES: on the wire
 * @P_QUEUE_PACKETS: on the wire
 * @P_QUEUE_MAX: what the pool has room for
 */
enum p_queue_unit {
	P_QUEUE_AUTO,
	P_QUEUE_BYTES,
	P_QUEUE_PACKETS,
	P_QUEUE_MAX,
};

/**
 * struct p_queue_limit - how much may wait
 * @value: in @unit, for those that have a number
 * @unit: see there
 *
 * What is alone may always wait, however large, if there is memory for it.
 */
struct p_queue_limit {
	u32 value;
	enum p_queue_unit unit;
};

/**
 * struct p_queue_aqm - active queue management
 * @target_us: CoDel's, 0 for one that follows the path's rate
 * @interval_us: CoDel's, 0 for one that follows the target
 * @off: no CoDel
 */
struct p_queue_aqm {
	u32 target_us;
	u32 interval_us;
	bool off;
};

/**
 * struct p_queue_config - how a p_queue was set; all zero: automatic
 * @limit: see there
 * @aqm: see there
 */
struct p_queue_config {
	struct p_queue_limit limit;
	struct p_queue_aqm aqm;
};

/**
 * struct p_queue_params - what that means for a path
 * @rate: of the path
 * @frame_bytes: of the pool
 * @quantum: bytes that a flow may send in its turn
 * @most_bytes: on the wire that may wait
 * @most_packets: on the wire that may wait
 * @codel: CoDel's target and interval
 * @shallow: after which ECT(1) is marked
 */
struct p_queue_params {
	u64 rate;
	u32 frame_bytes;
	u32 quantum;
	u64 most_bytes;
	u64 most_packets;
	struct codel_params codel;
	codel_time_t shallow;
};

/**
 * p_queue_adapt() - follow what was set, and the path
 * @params: of the queue
 * @config: how that was set
 * @frame_bytes: of its pool
 * @path: of its VIF
 *
 * Context: divides; not to be called for each packet.
 */
void p_queue_adapt(struct p_queue_params *params, const struct p_queue_config *config,
		   u32 frame_bytes, const struct vsched_path *path);

/**
 * p_queue_target_ns() - for how long packets may wait before CoDel acts
 * @config: how the queue was set
 * @frame_bytes: of the pool
 * @rate: of the path
 */
u64 p_queue_target_ns(const struct p_queue_config *config, u32 frame_bytes, u64 rate);

#endif
