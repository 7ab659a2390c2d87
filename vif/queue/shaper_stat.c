// SPDX-License-Identifier: GPL-2.0
#include "shaper_stat.h"

#include "shaper.h"

/*
 * Queued packets are in one list; the clock decides which part is the d_queue: without a clock, all
 * packets; with a ready clock, the next packet.
 */
static void __vif_shaper_split_queue(const struct vif_side *side, struct vif_stat *stat)
{
	const struct p_queue *queue = side->queue;
	const struct sk_buff *head;

	stat->p_packets = queue->packets;
	stat->p_bytes = queue->bytes;
	if (side->node.clock.rate == VSCHED_RATE_MAX) {
		stat->d_packets = queue->packets;
		stat->d_bytes = queue->bytes;
	} else if (vsched_node_released(&side->node)) {
		head = p_queue_head(queue);
		stat->d_packets = head ? vif_skb_cb(head)->packets : 0;
		stat->d_bytes = head ? vif_skb_cb(head)->bytes : 0;
	}
	stat->p_packets -= stat->d_packets;
	stat->p_bytes -= stat->d_bytes;
}

static void __vif_shaper_copy_stat(const struct vif_side *side, struct vif_stat *stat)
{
	const struct p_queue *queue = side->queue;

	*stat = (struct vif_stat) {
		.packets = side->stat.packets,
		.bytes = side->stat.bytes,
		.drops = side->stat.drops,
		.overlimits = side->stat.overlimits,
	};
	if (side->metered)
		stat->quota = side->extra->quota;
	if (!queue)
		return;
	stat->drops += queue->drops;
	stat->marks = queue->marks;
	stat->ack_drops = queue->ack_drops;
	__vif_shaper_split_queue(side, stat);
	vif_sojourn_summarize(&queue->sojourn, side->stat.passed, &stat->sojourn);
}

void vif_shaper_read_sojourn(struct vif_shaper *shaper, struct vif_side *side,
			     u64 bucket[SOJOURN_BUCKETS])
{
	memset(bucket, 0, SOJOURN_BUCKETS * sizeof(*bucket));
	vif_stock_fold(&shaper->stock);
	spin_lock_bh(&shaper->lock);
	if (side->queue) {
		memcpy(bucket, side->queue->sojourn.bucket,
		       sizeof(side->queue->sojourn.bucket));
		bucket[0] += side->stat.passed;
	}
	spin_unlock_bh(&shaper->lock);
}

void vif_shaper_read_quota(struct vif_shaper *shaper, const struct vif_side *side,
			   struct vif_quota *quota)
{
	*quota = (struct vif_quota) { };
	if (!READ_ONCE(side->metered))
		return;
	spin_lock_bh(&shaper->lock);
	if (side->metered)
		*quota = side->extra->quota;
	spin_unlock_bh(&shaper->lock);
}

void vif_shaper_read_stat(struct vif_shaper *shaper, struct vif_side *side,
			  struct vif_stat *stat)
{
	vif_stock_fold(&shaper->stock);
	spin_lock_bh(&shaper->lock);
	__vif_shaper_copy_stat(side, stat);
	spin_unlock_bh(&shaper->lock);
}
