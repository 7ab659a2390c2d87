/* SPDX-License-Identifier: GPL-2.0 */
/*
 * p_queue: packets that have entered a VIF in one direction and wait, kept
 * per flow. Flows take turns, new ones first (deficit round robin, by
 * net/fq_impl.h), and CoDel (net/codel_impl.h) signals congestion to those
 * whose packets wait for too long.
 *
 * All p_queues of a port share a table of flows (p_queue_slot.h) and memory
 * (p_queue_memory.h): the pool. The caller
 * serializes all calls for a pool and its p_queues but the ones that say
 * otherwise, and frees what has been dropped once he has let go of his lock.
 */
#ifndef NETNICE_VIF_P_QUEUE_H
#define NETNICE_VIF_P_QUEUE_H

#include <linux/rbtree.h>
#include <linux/skbuff.h>
#include <net/codel.h>
#include <net/fq.h>

#include "packet.h"
#include "sojourn.h"
#include "window.h"

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
 * struct p_queue_pool - what the p_queues of a port share
 * @fq: the library's: flows, and how much memory waits
 * @slot: for each of its flows what the library does not keep
 * @windows: of TCP connections by which we receive, or NULL
 * @payers: struct p_queue_payer
 * @away: truesize of what has been moved elsewhere, and counts as if it still waited
 * @dropped: packets that the caller is to free without his lock, and their cb says why
 * @pulled: packets that p_queue_pull() has taken out
 * @flows: slots with packets
 * @frame_bytes: what a full frame of the device costs
 * @frame_len: its skb->len, as the library counts flows
 */
struct p_queue_pool {
	struct fq fq;
	struct p_queue_slot *slot;
	struct vif_windows *windows;
	struct rb_root payers;
	u32 away;
	struct sk_buff_head dropped;
	struct sk_buff_head pulled;
	u32 flows;
	u32 frame_bytes;
	u32 frame_len;
};

/* Flows without a slot of their own are counted by some bits of their hash. */
#define P_QUEUE_STRAYS	16

/* A flow's place in struct p_queue.stray; the key of a window is always odd. */
static inline u32 p_queue_stray(u32 hash)
{
	return (hash >> 1) % P_QUEUE_STRAYS;
}

/* Packets are counted by the upper bits of their tag. */
#define P_QUEUE_TAGS	32

/**
 * struct p_queue - the queue
 * @tin: the library's: flows with packets, and a flow for all that have found
 *	no slot
 * @vars: CoDel's state of that last flow
 * @codel: CoDel's counters
 * @config: how it was set
 * @params: what that means for the path
 * @ino: of its VIF, for those who look on
 * @dir: of its VIF, ditto
 * @account: who pays for what waits, or NULL
 * @payer: what he has in the pool, or NULL
 * @packets: on the wire that wait
 * @bytes: on the wire that wait
 * @memory: truesize of what waits
 * @flows: slots that it has packets in
 * @search_credit: flows that searches for the fattest one may look at
 * @pull_credit: packets that p_queue_pull() may look at
 * @stray: packets of flows without a slot, by their hash
 * @tagged: packets by the upper bits of their tag
 * @drops: packets on the wire that were dropped after they had been taken in
 * @marks: packets on the wire that CoDel has marked
 * @sojourn: times of those that have been taken out
 */
struct p_queue {
	struct fq_tin tin;
	struct codel_vars vars;
	struct codel_stats codel;
	const struct p_queue_config *config;
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
	u16 stray[P_QUEUE_STRAYS];
	u32 tagged[P_QUEUE_TAGS];
	u64 drops;
	u64 marks;
	struct sojourn sojourn;
};

/**
 * p_queue_pool_init() - make a pool without memory for flows
 * @pool: the pool
 */
void p_queue_pool_init(struct p_queue_pool *pool);

/**
 * struct p_queue_flows - memory for the flows of a pool
 * @fq: holds the library's
 * @slot: ours
 */
struct p_queue_flows {
	struct fq fq;
	struct p_queue_slot *slot;
};

/**
 * p_queue_flows_alloc() - allocate it
 * @flows: result
 *
 * Context: process, without the lock.
 * Return: 0 or -ENOMEM.
 */
int p_queue_flows_alloc(struct p_queue_flows *flows);

/* The opposite, also for one that is all zero. Context: as above. */
void p_queue_flows_free(struct p_queue_flows *flows);

/**
 * p_queue_pool_swap() - put memory into a pool
 * @pool: the pool; no packet waits in it
 * @flows: to be used from now on, all zero for none; then holds what was there
 *	before
 */
void p_queue_pool_swap(struct p_queue_pool *pool, struct p_queue_flows *flows);

/**
 * p_queue_create() - make a queue
 * @pool: the pool
 * @config: lives as long as the queue
 * @account: who pays for what waits, or NULL; lives as long as the queue
 *
 * Context: any.
 * Return: the queue or NULL.
 */
struct p_queue *p_queue_create(struct p_queue_pool *pool,
			       const struct p_queue_config *config,
			       struct vif_account *account);

/**
 * p_queue_forget() - take a queue out of its pool
 * @pool: the pool
 * @queue: no packet waits in it
 */
void p_queue_forget(struct p_queue_pool *pool, struct p_queue *queue);

/* Free one that is in no pool any more, or NULL. Context: any. */
void p_queue_free(struct p_queue *queue);

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

/**
 * p_queue_prepare() - do what needs no lock before a packet waits
 * @skb: the packet
 * @wire: what it costs on the wire
 * @tag: its socket's, 0 if it has none
 */
void p_queue_prepare(struct sk_buff *skb, const struct vif_wire *wire, u32 tag);

/**
 * p_queue_make_room() - may a packet wait?
 * @pool: the pool, which has memory for flows
 * @queue: the queue
 * @skb: the packet, prepared
 * @path: the VIF's
 *
 * Where there is no room, it is made at the cost of the fattest flow of the
 * queue; if that is the packet's own, the packet is refused. What a queue holds beyond
 * its limits, because these have become less, it goes on to hold, and no more.
 * Return: true if p_queue_add() may follow, before anything else.
 */
bool p_queue_make_room(struct p_queue_pool *pool, struct p_queue *queue,
		       const struct sk_buff *skb,
		       const struct vsched_path *path);

/**
 * p_queue_add() - have a packet wait for which there is room
 * @pool: the pool
 * @queue: the queue
 * @skb: the packet
 * @now_ns: the present time
 */
void p_queue_add(struct p_queue_pool *pool, struct p_queue *queue,
		 struct sk_buff *skb, u64 now_ns);

/**
 * p_queue_take() - take a packet out
 * @pool: the pool
 * @queue: the queue
 * @now_ns: the present time
 *
 * Return: the packet, or NULL: none is left, as the last ones have been dropped, by CoDel
 *	or for a packet that did not fit nevertheless, or were pulled out.
 */
struct sk_buff *p_queue_take(struct p_queue_pool *pool, struct p_queue *queue,
			     u64 now_ns);

/**
 * p_queue_clear() - take a packet out, past CoDel and uncounted
 * @pool: the pool
 * @queue: the queue
 *
 * Return: the packet, or NULL: none is left.
 */
struct sk_buff *p_queue_clear(struct p_queue_pool *pool, struct p_queue *queue);

/**
 * p_queue_move() - p_queue_clear() for a packet that is to wait elsewhere
 * @pool: the pool
 * @queue: the queue
 *
 * It goes on to count in @pool->away, which is the caller's: so as long as he does not
 * clear it, no more is moved than there is memory, however much comes meanwhile.
 * Return: as p_queue_clear().
 */
struct sk_buff *p_queue_move(struct p_queue_pool *pool, struct p_queue *queue);

/**
 * p_queue_pull() - take out all packets of a socket, uncounted
 * @pool: the pool
 * @queue: the queue
 * @tag: not 0
 *
 * Looks at all that waits in the queue, unless there can be none, or it was asked
 * too often for the packets that have come.
 * Return: their number; they are appended to @pool->pulled, each flow's in order.
 */
unsigned int p_queue_pull(struct p_queue_pool *pool, struct p_queue *queue,
			  u32 tag);

/**
 * p_queue_head() - the packet that is likely to be the next
 * @queue: the queue
 *
 * Return: the packet, NULL if there is none.
 */
struct sk_buff *p_queue_head(const struct p_queue *queue);

/* How long a packet has waited, in CoDel's ticks. */
static inline u32 p_queue_waited(const struct sk_buff *skb, u64 now_ns)
{
	return (u32)(now_ns >> SOJOURN_TICK_SHIFT) - vif_skb_cb(skb)->since;
}

int p_queue_init(void);
void p_queue_exit(void);

#endif
