/* SPDX-License-Identifier: GPL-2.0 */
/* The settings of a p_queue, and the limits and times that follow from them. */
#ifndef NETNICE_VIF_P_QUEUE_CONFIG_H
#define NETNICE_VIF_P_QUEUE_CONFIG_H

#include <linux/types.h>
#include <net/codel.h>

#include "../grammar/params.h"

struct vsched_path;

/**
 * struct p_queue_params - what a limit and an AQM mean for a path
 * @rate: of the path
 * @genid: of the pool, when this was worked out
 * @quantum: bytes that a flow may send in its turn
 * @most_bytes: on the wire that may wait
 * @most_packets: on the wire that may wait
 * @codel: CoDel's target and interval
 * @shallow: after which ECT(1) is marked
 */
struct p_queue_params {
	u64 rate;
	u32 genid;
	u32 quantum;
	u64 most_bytes;
	u64 most_packets;
	struct codel_params codel;
	codel_time_t shallow;
};

/**
 * p_queue_adapt() - update parameters from settings and path
 * @params: of the queue
 * @set: settings of its VIF
 * @frame_bytes: of its pool
 * @path: of its VIF
 *
 * Context: divides; not to be called for each packet.
 */
void p_queue_adapt(struct p_queue_params *params, const struct vif_params_kept *set,
		   u32 frame_bytes, const struct vsched_path *path);

/**
 * p_queue_target_ns() - for how long packets may wait before CoDel acts
 * @set: how the VIF was set
 * @frame_bytes: of the pool
 * @rate: of the path
 */
u64 p_queue_target_ns(const struct vif_params_kept *set, u32 frame_bytes, u64 rate);

#endif
