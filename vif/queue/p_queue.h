/* SPDX-License-Identifier: GPL-2.0 */
/*
 * p_queue: packets that have entered a VIF in one direction and wait, kept
 * per flow. Flows take turns, new ones first (deficit round robin, by
 * net/fq_impl.h), and CoDel (net/codel_impl.h) signals congestion to those
 * whose packets wait for too long. Where fairness among hosts is set, hosts take turns
 * likewise, and the flows of each host share its turns.
 *
 * All p_queues of a shaper share a table of flows and memory: the pool. The caller
 * serializes all calls for a pool and its p_queues but the ones that say
 * otherwise, and frees dropped packets after releasing the lock.
 */
#ifndef NETNICE_VIF_P_QUEUE_H
#define NETNICE_VIF_P_QUEUE_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/log2.h>
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
 * @hosts: of all queues, beside their own ones
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
	u32 hosts;
	u32 frame_bytes;
	u32 frame_len;
	u32 genid;
};

/* Flows without a slot of their own are counted by some bits of their hash. */
#define P_QUEUE_OVERFLOWS	16

/* Packets are counted by the upper bits of their tag. */
#define P_QUEUE_TAGS	32

/**
 * struct p_queue_host - flows that share turns
 * @tin: the library's: flows with packets, and a flow for those that have found no slot
 * @queue: whose it is
 * @link: in @queue's new_hosts or old_hosts, where there are several
 * @node: in @queue's hosts, by @hash
 * @hash: of the host's address
 * @deficit: bytes left of its turn
 * @spent: it has used up its turn, and has not been served since
 */
struct p_queue_host {
	struct fq_tin tin;
	struct p_queue *queue;
	struct list_head link;
	struct rb_node node;
	u32 hash;
	int deficit;
	bool spent;
};

/**
 * struct p_queue - the queue
 * @own: the flows of no certain host: all of them without fairness among hosts. It alone has
 *	a flow for all that have found no slot.
 * @hosts: the others, by their hash; each has packets, or had some since its last turn
 * @new_hosts: hosts whose first turn has not ended
 * @old_hosts: the other ones, in the order of their turns
 * @hosts_count: in @hosts
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
 * @skbs: that wait
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
	struct p_queue_host own;
	struct rb_root hosts;
	struct list_head new_hosts;
	struct list_head old_hosts;
	u32 hosts_count;
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
	u32 skbs;
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

/*
 * Some VIF has or had a program (attach/program.h): the path of packets may depend on the queue of
 * their flow, so the sender must not be able to choose the flow.
 */
DECLARE_STATIC_KEY_FALSE(vif_program_some);

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

/* The opposite, also for zeroed memory. Context: as above. */
void p_queue_flows_free(struct p_queue_flows *flows);

/**
 * p_queue_pool_swap() - put memory into a pool
 * @pool: the pool; no packet waits in it
 * @flows: to be used from now on, all zero for none; then holds the previous
 *	memory
 */
void p_queue_pool_swap(struct p_queue_pool *pool, struct p_queue_flows *flows);

/**
 * p_queue_create() - create a queue
 * @pool: the pool
 * @set: settings of its VIF; lives as long as the queue
 * @account: charged for queued packets, or NULL; lives as long as the queue
 *
 * Context: any.
 * Return: the queue or NULL.
 */
struct p_queue *p_queue_create(struct p_queue_pool *pool,
			       const struct vif_params_kept *set,
			       struct vif_account *account);

/**
 * p_queue_forget() - take a queue out of its pool
 * @pool: the pool
 * @queue: no packet waits in it
 */
void p_queue_forget(struct p_queue_pool *pool, struct p_queue *queue);

/* Free a queue that is in no pool any more, or NULL. Context: any. */
void p_queue_free(struct p_queue *queue);

/* The hash of the flow that a packet is of. Context: packet. */
u32 p_queue_flow(struct sk_buff *skb);

/**
 * p_queue_prepare() - prepare a packet for queueing, without the lock
 * @skb: the packet
 * @wire: its cost on the wire
 * @tag: its socket's, 0 if it has none
 * @same_flow: a prepared packet of the same flow, or NULL
 */
void p_queue_prepare(struct sk_buff *skb, const struct vif_wire *wire, u32 tag,
		     const struct vif_skb_cb *same_flow);

/**
 * p_queue_add() - have a packet wait for which there is room
 * @pool: the pool
 * @queue: the queue
 * @skb: the packet
 * @now_ns: the present time
 *
 * Return: whether its flow begins: it is among the new ones, and this is its only packet.
 */
bool p_queue_add(struct p_queue_pool *pool, struct p_queue *queue,
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
 * p_queue_move() - p_queue_clear() for a packet that moves to another queue
 * @pool: the pool
 * @queue: the queue
 *
 * It stays counted in @pool->away, which the caller clears. Until then, no more is moved than
 * there is memory, however many packets arrive in the meantime.
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
 * p_queue_expire() - drop what keeps a network namespace that would else end
 * @pool: the pool
 * @from: flow to begin with: 0, then as the last call has left it
 * @now_ns: the present time
 * @most_ns: for how long packets of a queue may wait without their socket
 *
 * A packet keeps its socket, that its network namespace, that its devices, for which the packet
 * waits: if no clock lets it out, for ever. So packets are dropped whose socket has closed, other
 * than those of the initial namespace, which does not end.
 * Return: whether there may be more.
 */
bool p_queue_expire(struct p_queue_pool *pool, unsigned int *from, u64 now_ns,
		    u64 (*most_ns)(const struct p_queue *queue));

/**
 * p_queue_head() - the packet that is likely to be the next
 * @queue: the queue
 *
 * Return: the packet, NULL if there is none.
 */
struct sk_buff *p_queue_head(struct p_queue *queue);

/* How long a packet has waited, in CoDel's ticks. */
static inline u32 p_queue_waited(const struct sk_buff *skb, u64 now_ns)
{
	return (u32)(now_ns >> SOJOURN_TICK_SHIFT) - vif_skb_cb(skb)->since;
}

int p_queue_init(void);

void p_queue_exit(void);

/*
 * The flow slots that the p_queues of a pool share, and their assignment.
 *
 * A flow has a slot while packets of it wait. The library keeps one that has ended
 * in its queue for another turn, so that it does not come back as a new one: a slot
 * may be taken from it nevertheless, or flows that have ended would keep others out
 * for as long as nothing more leaves their VIF.
 *
 * The owner of many slots is the last to get more: a VIF gets another slot only while it has
 * fewer slots than are free, and so do all VIFs of a user together. One alone gets half of them,
 * two a third each, and a late owner always finds some.
 */

/**
 * struct p_queue_slot - what the library does not keep for a flow
 * @vars: CoDel's state
 * @hash: of the flow that has, or had, the slot
 * @spent: the flow has used up its turn, and has not been served since
 * @fair: the setting by which it has its host, an enum netnice_fair
 */
struct p_queue_slot {
	struct codel_vars vars;
	u32 hash;
	bool spent;
	u8 fair;
};

/**
 * p_queue_slot_next() - a queue in whose slots a socket's flow waits
 * @pool: the pool
 * @hash: the flow's
 * @tag: the socket's, 0 if it has none
 * @from: 0, or the last one's *@from, which is advanced
 *
 * Return: the queue, or NULL: there are no more. A flow has few slots in which it may be,
 *	however many queues there are.
 */
struct p_queue *p_queue_slot_next(const struct p_queue_pool *pool, u32 hash, u32 tag,
				  unsigned int *from);

/*
 * The memory of queued packets in a pool, and its division.
 *
 * Thresholds are dynamic (A. Choudhury, E. Hahne, "Dynamic queue length thresholds for
 * shared-memory packet switches", 1998; their alpha is 1): the memory of an owner
 * with the new packet must not exceed the memory that is free then. This applies to a VIF and
 * the pool; to all VIFs of a user together and the pool; and to a VIF and user_queue, which its
 * user has for all pools. One alone gets half, two a third each, and so on: as much as each of
 * them has is left for the next one, from its first packet on. So a packet is never dropped for
 * another VIF's packet, and a user whose large flows fill one VIF still has room for small flows
 * in another VIF.
 *
 * The library has a limit of its own, beyond which it drops packets of whichever flow
 * has most. As something is always left, it is never reached.
 */

/**
 * struct p_queue_payer - memory of a user's VIFs in a pool
 * @node: in the pool, by @account
 * @account: the user's
 * @memory: truesize of queued packets
 * @queues: p_queues that count here
 */
struct p_queue_payer {
	struct rb_node node;
	const struct vif_account *account;
	u64 memory;
	unsigned int queues;
};

/* Room in a p_queue. */

/**
 * p_queue_make_room() - may a packet wait?
 * @pool: the pool, which has memory for flows
 * @queue: the queue
 * @skb: the packet, prepared
 *
 * Where there is no room, it is made at the cost of the fattest flow of the
 * queue; if that is the packet's own, the packet is refused. What a queue holds beyond
 * its limits, because these have become less, it goes on to hold, and no more.
 * Return: true if p_queue_add() may follow, before anything else.
 */
bool p_queue_make_room(struct p_queue_pool *pool, struct p_queue *queue,
		       const struct sk_buff *skb);

#endif
