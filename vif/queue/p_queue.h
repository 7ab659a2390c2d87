/* SPDX-License-Identifier: GPL-2.0 */
/*
 * p_queue: the queued packets of a side, by flows. Flows take turns, new ones first (deficit round
 * robin, by net/fq_impl.h). CoDel (net/codel_impl.h) drops or marks packets of flows whose packets
 * are queued for too long. If fairness among hosts is set, hosts take turns in the same way, and
 * the flows of a host share its turns.
 *
 *	struct p_queue_pool		shared by the p_queues of a shaper
 *	 |-- struct fq			the library's: all flows, and the memory of all packets
 *	 |    `-- struct fq_flow	packets of a flow, in order
 *	 |-- struct p_queue_slot	one for each fq_flow, with what the library does not keep
 *	 `-- struct p_queue_payer	one for each user: the memory of the user's p_queues
 *
 *	struct p_queue			one for each side that has had packets queued
 *	 `-- struct p_queue_host	flows that share turns: "own" alone, or one for each host
 *	      `-- struct fq_tin		the library's: lists of the host's flows
 *
 * The caller serializes all calls for a pool and its p_queues, except calls that say otherwise. It
 * frees dropped packets after releasing its lock.
 */
#ifndef NETNICE_VIF_P_QUEUE_H
#define NETNICE_VIF_P_QUEUE_H

#include <linux/list.h>
#include <linux/log2.h>
#include <linux/rbtree.h>
#include <linux/skbuff.h>
#include <net/fq.h>

#include "p_queue_config.h"
#include "packet.h"
#include "sojourn.h"
#include "windows.h"

/*
 * A flow has a slot while packets of it are queued. The library keeps an empty flow in its queue
 * for one more turn, so that it does not come back as a new one. But another flow can take the slot
 * of an empty flow: otherwise flows that have ended would keep new ones out for as long as no
 * packet leaves their VIF.
 *
 * The owner of many slots is the last to get more: a VIF gets another slot only while it has fewer
 * slots than are free, and so do all VIFs of a user together. A single owner gets half of them, two
 * owners get a third each, and a late owner always finds some.
 */

/**
 * struct p_queue_slot - state of a flow that the library does not keep
 * @vars: CoDel's state
 * @hash: hash of the flow that has, or had, the slot
 * @spent: the flow has used up its turn, and was not served since
 * @fair: the setting by which the flow was assigned to its host, an enum netnice_fair
 */
struct p_queue_slot {
	struct codel_vars vars;
	u32 hash;
	bool spent;
	u8 fair;
};

/**
 * struct p_queue_host - flows that share turns
 * @tin: the library's: flows with packets, and a flow for packets whose flow found no slot
 * @queue: its queue
 * @link: in @queue's new_hosts or old_hosts, if @queue has several hosts
 * @node: in @queue's hosts, by @hash
 * @hash: hash of the host's address
 * @deficit: bytes left of its turn
 * @spent: it has used up its turn, and was not served since
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

/*
 * The memory of queued packets in a pool is divided by dynamic thresholds (A. Choudhury, E. Hahne,
 * "Dynamic queue length thresholds for shared-memory packet switches", 1998; their alpha is 1): the
 * memory of an owner with the new packet must not exceed the memory that is free then. This applies
 * to a VIF and the pool; to all VIFs of a user together and the pool; and to a VIF and user_queue,
 * which its user has for all pools. A single owner gets half, two owners get a third each, and so
 * on. The next owner can use as much as each of the others has, from its first packet on. So a
 * packet is never dropped for another VIF's packet, and a user whose large flows fill one VIF still
 * has room for small flows in another VIF.
 *
 * The library drops packets of the longest flow beyond a limit of its own. Because some memory is
 * always left, that limit is never reached.
 */

/**
 * struct p_queue_payer - the memory of a user's p_queues in a pool
 * @node: in struct p_queue_pool.payers, by @account
 * @account: the user's account
 * @memory: truesize of queued packets
 * @queues: number of p_queues
 */
struct p_queue_payer {
	struct rb_node node;
	const struct vif_account *account;
	u64 memory;
	unsigned int queues;
};

/**
 * struct p_queue_pool - shared by the p_queues of a shaper
 * @fq: the library's: flows, and the memory of queued packets
 * @slot: one for each flow of @fq; NULL while the pool has no memory for flows
 * @windows: windows of TCP connections that receive by this device, or NULL: set by the
 *	option, freed with the shaper; changed under the tree mutex and the shaper's lock
 * @payers: struct p_queue_payer.node
 * @expired: a mark in fq.tin_backlog: the queues before it were visited by p_queue_expire()
 * @away: truesize of packets that were moved elsewhere and still count here
 * @dropped: packets that the caller must free after unlocking; their cb has the reason
 * @pulled: packets that p_queue_pull() has taken out
 * @flows: number of slots with packets
 * @hosts: number of hosts of all queues, without the queues' own ones
 * @frame_bytes: cost of a full frame of the device
 * @frame_len: skb->len of a full frame; the library counts in this unit
 * @genid: incremented by a change that may affect any queue's params
 * @strict: a VIF of the device and direction has or had a program (tree/program.h): the path of
 *	packets may depend on the queue of their flow, so the sender must not be able to choose the
 *	flow. Set once, and read without the lock.
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
	bool strict;
};

/* Flows without a slot of their own are counted by some bits of their hash. */
#define P_QUEUE_OVERFLOWS	16

/* Packets are counted by the upper bits of their tag. */
#define P_QUEUE_TAGS	32

/**
 * struct p_queue - the queue of a side
 * @own: flows without a host: all flows if there is no fairness among hosts. Only this host has
 *	packets in the flow for packets without a slot, the overflow flow.
 * @hosts: the other hosts, by their hash; each has packets, or had some since its last turn
 * @new_hosts: hosts whose first turn has not ended
 * @old_hosts: other hosts, in the order of their turns
 * @hosts_count: number of hosts in @hosts
 * @vars: CoDel's state of the overflow flow
 * @spent: see struct p_queue_slot, for the overflow flow
 * @codel: CoDel's counters
 * @set: settings of its VIF
 * @params: limits and times that follow from @set and the path
 * @ino: its VIF's number, for tracepoints
 * @dir: its direction, for tracepoints
 * @account: the account that is charged for queued packets, or NULL
 * @payer: the account's share of the pool, or NULL
 * @packets: queued packets, as they will be on the wire
 * @bytes: their bytes on the wire
 * @memory: their truesize
 * @skbs: queued sk_buffs
 * @flows: number of its slots with packets
 * @search_credit: number of flows that searches for the fattest flow may visit
 * @pull_credit: number of packets that p_queue_pull() may visit
 * @overflow: packets of the overflow flow, by their hash
 * @tagged: packets by the upper bits of their tag
 * @drops: packets on the wire that were dropped after they had been queued
 * @marks: packets on the wire that CoDel has marked
 * @ack_drops: of @drops, acknowledgements that later ones covered
 * @sojourn: queueing delays of packets that were taken out
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
	struct vif_sojourn sojourn;
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
 * p_queue_flows_alloc() - allocate the memory for the flows of a pool
 * @flows: result
 *
 * Context: process, without the lock.
 * Return: 0 or -ENOMEM.
 */
int p_queue_flows_alloc(struct p_queue_flows *flows);

/* Free it; also for zeroed memory. Context: as above. */
void p_queue_flows_free(struct p_queue_flows *flows);

/**
 * p_queue_pool_swap() - put memory into a pool
 * @pool: the pool; no packet is queued in it
 * @flows: the new memory, all zero for none; afterwards the previous memory
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
 * @queue: the queue; no packet is queued in it
 */
void p_queue_forget(struct p_queue_pool *pool, struct p_queue *queue);

/* Free a queue that is in no pool any more, or NULL. Context: any. */
void p_queue_free(struct p_queue *queue);

/* Return the hash of a packet's flow. Context: packet. */
u32 p_queue_flow(const struct p_queue_pool *pool, struct sk_buff *skb);

/**
 * p_queue_prepare() - prepare a packet for queueing, without the lock
 * @pool: the pool in which it will be queued
 * @skb: the packet
 * @wire: its cost on the wire
 * @tag: its socket's, 0 if it has none
 * @same_flow: a prepared packet of the same flow, or NULL
 */
void p_queue_prepare(const struct p_queue_pool *pool, struct sk_buff *skb,
		     const struct vif_wire *wire, u32 tag, const struct vif_skb_cb *same_flow);

/**
 * p_queue_make_room() - make room for a packet
 * @pool: the pool, which has memory for flows
 * @queue: the queue
 * @skb: the packet, prepared
 *
 * If there is no room, packets of the queue's fattest flow are dropped. If that is the packet's own
 * flow, the packet is refused. A queue that is longer than its limits, because these were lowered,
 * keeps its packets and gets no longer.
 * Return: true if the packet is accepted: then p_queue_add() must be the next call.
 */
bool p_queue_make_room(struct p_queue_pool *pool, struct p_queue *queue,
		       const struct sk_buff *skb);

/**
 * p_queue_add() - queue a packet, after p_queue_make_room()
 * @pool: the pool
 * @queue: the queue
 * @skb: the packet
 * @now_ns: the present time
 *
 * Return: whether its flow begins: it is a new flow, and this is its only packet.
 */
bool p_queue_add(struct p_queue_pool *pool, struct p_queue *queue,
		 struct sk_buff *skb, u64 now_ns);

/**
 * p_queue_take() - take a packet out
 * @pool: the pool
 * @queue: the queue
 * @now_ns: the present time
 *
 * Return: the packet, or NULL if none is left, because CoDel or p_queue_make_room() has dropped the
 *	last ones, or p_queue_pull() has taken them out.
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
 * This visits all packets of the queue, unless the queue has no packet with such a tag, or there
 * were too many calls for the number of new packets.
 * Return: the number of packets; they are appended to @pool->pulled, each flow's in order.
 */
unsigned int p_queue_pull(struct p_queue_pool *pool, struct p_queue *queue,
			  u32 tag);

/**
 * p_queue_slot_next() - find a queue that has packets of a socket's flow in a slot
 * @pool: the pool
 * @hash: the flow's
 * @tag: the socket's, 0 if it has none
 * @from: 0 at first; is advanced
 *
 * Return: the next queue, or NULL. A flow can be in few slots only, however many queues there are.
 */
struct p_queue *p_queue_slot_next(const struct p_queue_pool *pool, u32 hash, u32 tag,
				  unsigned int *from);

/**
 * p_queue_expire() - drop packets that keep a network namespace from ending
 * @pool: the pool
 * @from: flow to begin with: 0, then as the last call has left it
 * @now_ns: the present time
 * @most_ns: returns how long a packet of a queue may be queued if its socket has closed
 *
 * A packet holds its socket, which holds its network namespace, which holds its devices, in which
 * the packet is queued: for ever, if its clock is stopped. So packets of closed sockets are
 * dropped, except in the initial namespace, which does not end.
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

#endif
