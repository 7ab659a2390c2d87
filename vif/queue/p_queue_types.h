/* SPDX-License-Identifier: GPL-2.0 */
/* A queue, and the pool: what the files of p_queue share. See p_queue.h. */
#ifndef NETNICE_VIF_P_QUEUE_TYPES_H
#define NETNICE_VIF_P_QUEUE_TYPES_H

#include <linux/rbtree.h>
#include <linux/skbuff.h>
#include <net/fq.h>

#include "p_queue_config.h"
#include "packet.h"
#include "sojourn.h"
#include "window.h"

/**
 * struct p_queue_pool - what the p_queues of a shaper share
 * @fq: the library's: flows, and how much memory waits
 * @slot: for each of its flows what the library does not keep
 * @windows: of TCP connections by which we receive, or NULL
 * @payers: struct p_queue_payer
 * @expired: in fq.tin_backlog, behind the queues that p_queue_expire() has looked at
 * @away: truesize of what has been moved elsewhere, and counts as if it still waited
 * @dropped: packets that the caller must free after unlocking; their cb has the reason
 * @pulled: packets that p_queue_pull() has taken out
 * @flows: slots with packets
 * @frame_bytes: what a full frame of the device costs
 * @frame_len: its skb->len, as the library counts flows
 * @genid: counts what may change any queue's params
 */
struct p_queue_pool {
	struct fq fq;
	struct p_queue_slot *slot;
	struct vif_windows *windows;
	struct rb_root payers;
	struct fq_tin expired;
	u32 away;
	struct sk_buff_head dropped;
	struct sk_buff_head pulled;
	u32 flows;
	u32 frame_bytes;
	u32 frame_len;
	u32 genid;
};

/* Flows without a slot of their own are counted by some bits of their hash. */
#define P_QUEUE_OVERFLOWS	16

/* A flow's place in struct p_queue.overflow; the key of a window is always odd. */
static inline u32 p_queue_overflow(u32 hash)
{
	return (hash >> 1) % P_QUEUE_OVERFLOWS;
}

/* Packets are counted by the upper bits of their tag. */
#define P_QUEUE_TAGS	32

/**
 * struct p_queue - the queue
 * @tin: the library's: flows with packets, and a flow for all that have found
 *	no slot
 * @vars: CoDel's state of that last flow
 * @spent: of that flow, see struct p_queue_slot
 * @codel: CoDel's counters
 * @set: how its VIF is set
 * @params: what that means for the path
 * @ino: of its VIF, for those who look on
 * @dir: of its VIF, ditto
 * @account: the account that is charged for queued packets, or NULL
 * @payer: the account's share of the pool, or NULL
 * @packets: on the wire that wait
 * @bytes: on the wire that wait
 * @memory: truesize of what waits
 * @flows: slots that it has packets in
 * @search_credit: flows that searches for the fattest one may look at
 * @pull_credit: packets that p_queue_pull() may look at
 * @overflow: packets of flows without a slot, by their hash
 * @tagged: packets by the upper bits of their tag
 * @drops: packets on the wire that were dropped after they had been taken in
 * @marks: packets on the wire that CoDel has marked
 * @ack_drops: of @drops, acknowledgements that later ones covered
 * @sojourn: times of those that have been taken out
 */
struct p_queue {
	struct fq_tin tin;
	struct codel_vars vars;
	bool spent;
	struct codel_stats codel;
	const struct vif_params_kept *set;
	struct p_queue_params params;
	u64 ino;
	u8 dir;
	struct vif_account *account;
	struct p_queue_payer *payer;
	u64 packets;
	u64 bytes;
	u64 memory;
	u32 flows;
	u32 search_credit;
	u32 pull_credit;
	u16 overflow[P_QUEUE_OVERFLOWS];
	u32 tagged[P_QUEUE_TAGS];
	u64 drops;
	u64 marks;
	u64 ack_drops;
	struct sojourn sojourn;
};

#endif
