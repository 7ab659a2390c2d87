// SPDX-License-Identifier: GPL-2.0
/*
 * The queue of a side (p_queue.h). The parts of this file: slots of flows; hosts; memory by users;
 * counters; CoDel; pools and queues; the flow of a packet; room; a packet is queued; a packet is
 * taken out; packets of a socket are pulled out; packets that expire.
 */
#include "p_queue.h"

#include <linux/mm.h>
#include <linux/slab.h>
#include <net/inet_ecn.h>
#include <net/sock.h>
#include <net/tcp.h>

#include <linux/netnice_netlink.h>

#include "../trace/events.h"
#include "account.h"
#include "ack.h"

/* The libraries consist of static functions, some of which are not used. */
__diag_push();
__diag_ignore_all("-Wunused-function", "parts of the kernel's libraries");
#include <net/codel_impl.h>
#include <net/fq_impl.h>
__diag_pop();

/*
 * --- slots ---
 *
 * A flow has a slot of the pool's table. It is found by the packet's hash among the few slots in
 * which it may be (a set). When the flow's last packet has left, the slot is free, also for another
 * VIF. Flows that get no slot share one flow of their queue, the overflow flow.
 */

/* A flow's place in struct p_queue.overflow; the key of a window is always odd. */
static inline u32 p_queue_overflow(u32 hash)
{
	return (hash >> 1) % P_QUEUE_OVERFLOWS;
}

/* Slots of a pool; a power of two. */
#define P_QUEUE_SLOTS	1024

/* The flow with this index is not assigned: a lookup of it gets the overflow flow. */
#define P_QUEUE_NO_SLOT	P_QUEUE_SLOTS

/* Add memory of a packet that is queued; @bytes is negative for one that leaves. */
static inline void p_queue_memory_count(struct p_queue *queue, s64 bytes)
{
	queue->memory += bytes;
	if (queue->payer)
		queue->payer->memory += bytes;
}

/* Return the upper bits of a tag: hash_ptr() mixes these best. */
static inline unsigned int p_queue_tag(u32 tag)
{
	return tag >> (32 - ilog2(P_QUEUE_TAGS));
}

static struct sk_buff *p_queue_next(struct p_queue_pool *pool, struct p_queue *queue,
				    struct fq_flow *flow);

static struct p_queue_host *p_queue_host_of(struct fq_tin *tin)
{
	return container_of(tin, struct p_queue_host, tin);
}

static struct p_queue *p_queue_queue_of(struct fq_tin *tin)
{
	return p_queue_host_of(tin)->queue;
}

/* The number of slots in which a flow may be; a power of two. */
#define SET	8

/* How well a slot suits a flow; the last value is the best. */
enum p_queue_fit {
	TAKEN,
	LINGERS,
	VACANT,
	WAS_ITS,
	ITS,
};

static enum p_queue_fit p_queue_slot_fit(const struct p_queue_pool *pool,
					 const struct p_queue *queue, u32 index, u32 hash)
{
	const struct fq_flow *flow = &pool->fq.flows[index];
	const struct p_queue *owner = flow->tin ? p_queue_queue_of(flow->tin) : NULL;
	bool same = pool->slot[index].hash == hash;

	if (!skb_queue_empty(&flow->queue))
		return same && owner == queue ? ITS : TAKEN;
	if (owner && owner != queue)
		return LINGERS;
	if (same)
		return WAS_ITS;
	return owner ? LINGERS : VACANT;
}

static bool p_queue_may_have_more(const struct p_queue_pool *pool,
				  const struct p_queue *queue)
{
	unsigned int free = P_QUEUE_SLOTS - pool->flows;

	return queue->flows < free &&
	       vif_account_flows(queue->account) < free;
}

/**
 * p_queue_slot_find() - find a flow's slot, or a free one
 * @pool: the pool, which has memory for flows
 * @queue: the flow's queue
 * @hash: the flow's hash
 *
 * While a packet that may be of this flow is in the overflow flow, the flow gets no slot: its later
 * packets would overtake that one.
 * Return: the index, or P_QUEUE_NO_SLOT. A slot that is not the flow's own has no packets, but may
 * still be linked to a queue.
 */
static u32 p_queue_slot_find(const struct p_queue_pool *pool,
			     const struct p_queue *queue, u32 hash)
{
	u32 first = reciprocal_scale(hash, P_QUEUE_SLOTS / SET) * SET;
	u32 found = P_QUEUE_NO_SLOT, i;
	enum p_queue_fit best = TAKEN;

	for (i = first; i < first + SET && best < ITS; i++) {
		enum p_queue_fit this = p_queue_slot_fit(pool, queue, i, hash);

		if (this > best) {
			best = this;
			found = i;
		}
	}
	if (best < ITS && (queue->overflow[p_queue_overflow(hash)] ||
			   !p_queue_may_have_more(pool, queue)))
		return P_QUEUE_NO_SLOT;
	return found;
}

struct p_queue *p_queue_slot_next(const struct p_queue_pool *pool, u32 hash, u32 tag,
				  unsigned int *from)
{
	u32 first = reciprocal_scale(hash, P_QUEUE_SLOTS / SET) * SET;
	const struct fq_flow *flow;
	const struct sk_buff *head;

	while (pool->slot && *from < SET) {
		u32 index = first + (*from)++;

		flow = &pool->fq.flows[index];
		head = skb_peek(&flow->queue);
		if (head && pool->slot[index].hash == hash && vif_skb_cb(head)->tag == tag)
			return p_queue_queue_of(flow->tin);
	}
	return NULL;
}

/* Count a slot that gets its first packet (@n is 1), or loses its last one (-1). */
static void p_queue_slot_count(struct p_queue_pool *pool, struct p_queue *queue,
			       int n)
{
	pool->flows += n;
	queue->flows += n;
	vif_account_flow(queue->account, n);
}

/*
 * --- hosts ---
 *
 * Without fairness among hosts, a queue has only its own host, once no packet is queued that came
 * while fairness was set. Several hosts take turns, as the flows of a host do.
 */

static void p_queue_host_init(struct p_queue_host *host, struct p_queue *queue, u32 hash)
{
	fq_tin_init(&host->tin);
	INIT_LIST_HEAD(&host->link);
	host->queue = queue;
	host->hash = hash;
}

/* Return the next host; the queue's own host is the first one. NULL: there are no more. */
static struct p_queue_host *p_queue_host_after(struct p_queue *queue, struct p_queue_host *host)
{
	struct rb_node *node = host == &queue->own ? rb_first(&queue->hosts) :
						     rb_next(&host->node);

	return rb_entry_safe(node, struct p_queue_host, node);
}

static int p_queue_host_compare(const void *hash, const struct rb_node *node)
{
	u32 a = *(const u32 *)hash, b = rb_entry(node, struct p_queue_host, node)->hash;

	return a < b ? -1 : a > b;
}

static int p_queue_host_order(struct rb_node *new, const struct rb_node *node)
{
	return p_queue_host_compare(&rb_entry(new, struct p_queue_host, node)->hash, node);
}

/*
 * Find a host, or create it, if the queue has fewer hosts than are left. Without memory or room,
 * return the queue's own host.
 */
static struct p_queue_host *
p_queue_host_get(struct p_queue_pool *pool, struct p_queue *queue, u32 hash)
{
	struct rb_node *node = rb_find(&hash, &queue->hosts, p_queue_host_compare);
	struct p_queue_host *host = rb_entry_safe(node, struct p_queue_host, node);

	if (host)
		return host;
	if (!hash || queue->hosts_count + pool->hosts >= P_QUEUE_SLOTS)
		return &queue->own;
	host = kzalloc(sizeof(*host), GFP_ATOMIC | __GFP_NOWARN);
	if (!host)
		return &queue->own;
	p_queue_host_init(host, queue, hash);
	rb_find_add(&host->node, &queue->hosts, p_queue_host_order);
	queue->hosts_count++;
	pool->hosts++;
	/* a queue with one host has no turns of hosts: its own host takes turns from now on */
	if (list_empty(&queue->own.link))
		list_add_tail(&queue->own.link, &queue->old_hosts);
	return host;
}

/* End a host that has no packets. */
static void p_queue_host_end(struct p_queue_pool *pool, struct p_queue_host *host)
{
	struct p_queue *queue = host->queue;

	list_del_init(&host->link);
	if (host == &queue->own)
		return;
	rb_erase(&host->node, &queue->hosts);
	queue->hosts_count--;
	pool->hosts--;
	kfree(host);
}

/* Return the hash of the packet's address alone, or 0. In a tunnel, the outer header counts. */
static u32 p_queue_host_hash(const struct sk_buff *skb, u32 fair)
{
	bool source = fair == NETNICE_FAIR_DUAL_SRCHOST;
	struct flow_keys keys, host = {};

	skb_flow_dissect_flow_keys(skb, &keys, FLOW_DISSECTOR_F_STOP_BEFORE_ENCAP);
	host.control.addr_type = keys.control.addr_type;
	if (host.control.addr_type == FLOW_DISSECTOR_KEY_IPV4_ADDRS)
		host.addrs.v4addrs.dst = source ? keys.addrs.v4addrs.src : keys.addrs.v4addrs.dst;
	else if (host.control.addr_type == FLOW_DISSECTOR_KEY_IPV6_ADDRS)
		host.addrs.v6addrs.dst = source ? keys.addrs.v6addrs.src : keys.addrs.v6addrs.dst;
	else
		return 0;
	return flow_hash_from_keys(&host);
}

/* Move a flow to a host. Its packets stay in order. */
static void p_queue_host_take_flow(struct p_queue_host *host, struct fq_flow *flow)
{
	struct fq_tin *was = flow->tin;

	if (was == &host->tin)
		return;
	was->backlog_bytes -= flow->backlog;
	was->backlog_packets -= skb_queue_len(&flow->queue);
	host->tin.backlog_bytes += flow->backlog;
	host->tin.backlog_packets += skb_queue_len(&flow->queue);
	flow->tin = &host->tin;
	list_move_tail(&flow->flowchain, &host->tin.old_flows);
	if (list_empty(&host->link))
		list_add_tail(&host->link, &host->queue->old_hosts);
}

/*
 * A flow with queued packets keeps its host. After a change of the setting, its next packet moves
 * it with all of them: a walk over all flows at the change would hold the lock for long, and users
 * may change the setting as often as they like.
 */
static struct p_queue_host *p_queue_host_find(struct p_queue_pool *pool, struct p_queue *queue,
					      u32 slot, const struct sk_buff *skb)
{
	struct fq_flow *flow = &pool->fq.flows[slot];
	struct p_queue_host *host = &queue->own;
	u32 fair = queue->set->fair;

	if (slot == P_QUEUE_NO_SLOT)
		return host;
	if (!skb_queue_empty(&flow->queue) && likely(pool->slot[slot].fair == fair))
		return p_queue_host_of(flow->tin);
	pool->slot[slot].fair = fair;
	if (unlikely(fair != NETNICE_FAIR_FLOW))
		host = p_queue_host_get(pool, queue, p_queue_host_hash(skb, fair));
	if (!skb_queue_empty(&flow->queue))
		p_queue_host_take_flow(host, flow);
	return host;
}

/* Begin or resume a host's turn for a new packet: see p_queue_resume_turn(), for flows. */
static void p_queue_host_resume_turn(struct p_queue_host *host, int quantum)
{
	struct p_queue *queue = host->queue;

	if (list_empty(&host->link)) {
		host->spent = false;
		host->deficit = quantum;
		list_add_tail(&host->link, &queue->new_hosts);
	} else if (!host->tin.backlog_packets && host->deficit > 0 && !host->spent) {
		list_move_tail(&host->link, &queue->new_hosts);
	}
}

/* --- memory --- */

#define MEMORY_MOST	(64ULL << 20)
#define MEMORY_OF_RAM	32

/* Return the bytes of memory that packets of a pool may use. */
static u32 p_queue_memory_limit(void)
{
	return min_t(u64, MEMORY_MOST,
		     ((u64)totalram_pages() << PAGE_SHIFT) / MEMORY_OF_RAM);
}

static struct p_queue_payer *p_queue_payer_of(const struct rb_node *node)
{
	return rb_entry(node, struct p_queue_payer, node);
}

static int p_queue_compare(struct rb_node *new, const struct rb_node *node)
{
	uintptr_t a = (uintptr_t)p_queue_payer_of(new)->account;
	uintptr_t b = (uintptr_t)p_queue_payer_of(node)->account;

	return a < b ? -1 : a > b;
}

/*
 * Add a queue to its account's memory in the pool. It holds no reference to the account: the
 * queue's VIF does. Return false without memory. Context: any.
 */
static bool p_queue_memory_join(struct p_queue_pool *pool, struct p_queue *queue)
{
	struct p_queue_payer *payer;
	struct rb_node *found;

	if (!queue->account)
		return true;
	payer = kzalloc(sizeof(*payer), GFP_ATOMIC | __GFP_NOWARN);
	if (!payer)
		return false;
	payer->account = queue->account;
	found = rb_find_add(&payer->node, &pool->payers, p_queue_compare);
	if (found) {
		kfree(payer);
		payer = p_queue_payer_of(found);
	}
	payer->queues++;
	queue->payer = payer;
	return true;
}

/* Remove it; memory left in @queue->payer is freed with it. */
static void p_queue_memory_leave(struct p_queue_pool *pool, struct p_queue *queue)
{
	struct p_queue_payer *payer = queue->payer;

	if (!payer)
		return;
	if (--payer->queues)
		queue->payer = NULL;
	else
		rb_erase(&payer->node, &pool->payers);
}

/* Is there room for a packet of this truesize? */
static bool p_queue_memory_has_room(const struct p_queue_pool *pool,
				    const struct p_queue *queue, u32 truesize)
{
	u64 most = max(queue->memory, queue->payer ? queue->payer->memory : 0);

	/* twice the packet: the owner has it then, and it is not free then */
	return pool->fq.memory_usage + pool->away + most + 2ULL * truesize <=
	       pool->fq.memory_limit &&
	       vif_account_has_room(queue->account, queue->memory + 2 * truesize);
}

/*
 * --- counters: packets and bytes on the wire, memory, flows with slots, packets without, tags ---
 */

/* Count a packet that is about to be queued in @slot, or in none. */
static void p_queue_count_in(struct p_queue_pool *pool, struct p_queue *queue, u32 slot,
			     const struct sk_buff *skb)
{
	const struct vif_skb_cb *cb = vif_skb_cb(skb);

	queue->skbs++;
	queue->packets += cb->packets;
	queue->bytes += cb->bytes;
	p_queue_memory_count(queue, skb->truesize);
	vif_account_wait(queue->account, skb->truesize);
	queue->tagged[p_queue_tag(cb->tag)]++;
	if (slot == P_QUEUE_NO_SLOT)
		queue->overflow[p_queue_overflow(cb->flow)]++;
	else if (skb_queue_empty(&pool->fq.flows[slot].queue))
		p_queue_slot_count(pool, queue, 1);
}

/* Count a packet that was taken out of @flow; the library has counted it. */
static void p_queue_count_out(struct p_queue_pool *pool, struct p_queue *queue,
			      const struct fq_flow *flow, const struct sk_buff *skb)
{
	const struct vif_skb_cb *cb = vif_skb_cb(skb);

	queue->skbs--;
	queue->packets -= cb->packets;
	queue->bytes -= cb->bytes;
	p_queue_memory_count(queue, -(s64)skb->truesize);
	vif_account_wait(queue->account, -(s64)skb->truesize);
	queue->tagged[p_queue_tag(cb->tag)]--;
	if (flow == &queue->own.tin.default_flow)
		queue->overflow[p_queue_overflow(cb->flow)]--;
	else if (skb_queue_empty(&flow->queue))
		p_queue_slot_count(pool, queue, -1);
}

/* Drop a packet: the pool's caller frees it. */
static void p_queue_count_drop(struct p_queue_pool *pool, struct p_queue *queue,
			       struct sk_buff *skb, enum vif_drop why)
{
	struct vif_skb_cb *cb = vif_skb_cb(skb);

	queue->drops += cb->packets;
	cb->drop = why;
	trace_netnice_drop(skb, skb->dev, queue->ino, queue->dir, cb->bytes, cb->packets,
			   why);
	__skb_queue_tail(&pool->dropped, skb);
}

/*
 * --- CoDel ---
 *
 * CoDel (net/codel_impl.h) drops or marks packets of flows whose packets are queued for too long.
 * Some packets do not count: as many packets of a connection of this host as TCP small queues
 * allow, as many as a window has requested (windows.h), and packets that are only delayed by other
 * flows.
 */

/*
 * Packets of TCP on this host by its small queues, at any rate: three packets of two
 * segments, and at first its initial window of ten. Dropping them is useless, because the
 * sender waits for them to leave before it sends more.
 */
#define SMALL_QUEUE_FRAMES	12

/* The number of packets that CoDel may drop in a row, because the lock is held. */
#define DROPS_MOST	256

static void p_queue_codel_init(struct p_queue *queue)
{
	struct codel_params *params = &queue->params.codel;

	codel_vars_init(&queue->vars);
	codel_stats_init(&queue->codel);
	codel_params_init(params);
	params->ce_threshold_selector = INET_ECN_ECT_1;
	params->ce_threshold_mask = INET_ECN_MASK;
}

DEFINE_STATIC_KEY_FALSE(vif_windows_key);

/* Return the window of a flow, or NULL. A connection's hash is its key. */
static struct vif_window *p_queue_window_of(struct p_queue_pool *pool,
					    const struct p_queue *queue,
					    const struct fq_flow *flow)
{
	if (!vif_windows_any() || !pool->windows || flow == &queue->own.tin.default_flow)
		return NULL;
	return vif_window_find(pool->windows,
			       pool->slot[flow - pool->fq.flows].hash);
}

/**
 * struct p_queue_codel_ctx - the context of CoDel's callbacks
 * @pool: the pool
 * @queue: the queue
 * @flow: the flow whose packets are taken out
 * @drops: number of packets dropped so far
 */
struct p_queue_codel_ctx {
	struct p_queue_pool *pool;
	struct p_queue *queue;
	struct fq_flow *flow;
	unsigned int drops;
};

/*
 * Set how CoDel marks a packet. A packet with a VLAN header inside is not marked: CoDel would write
 * into that header. The threshold of early marks applies only if the flow itself has a full frame
 * queued: it must not punish a flow that other flows delay.
 */
static void p_queue_set_marking(struct p_queue_codel_ctx *ctx, const struct sk_buff *skb)
{
	struct codel_params *params = &ctx->queue->params.codel;
	bool early = ctx->flow->backlog >= ctx->pool->frame_len;

	params->ecn = !eth_type_vlan(skb->protocol);
	params->ce_threshold = params->ecn && early ? ctx->queue->params.shallow :
						      CODEL_DISABLED_THRESHOLD;
}

/* codel_skb_dequeue_t */
static struct sk_buff *p_queue_codel_pull(struct codel_vars *vars, void *ctx)
{
	struct p_queue_codel_ctx *codel = ctx;
	struct sk_buff *skb = p_queue_next(codel->pool, codel->queue, codel->flow);

	if (skb)
		p_queue_set_marking(codel, skb);
	return skb;
}

static void p_queue_codel_drop(struct sk_buff *skb, void *ctx)
{
	struct p_queue_codel_ctx *codel = ctx;

	p_queue_count_drop(codel->pool, codel->queue, skb, VIF_DROP_CODEL);
	/* end the run of drops: with this mtu, CoDel sees no standing queue in the next packet */
	if (++codel->drops == DROPS_MOST)
		codel->queue->params.codel.mtu = U32_MAX;
}

static u32 p_queue_wire_bytes(const struct sk_buff *skb)
{
	return vif_skb_cb(skb)->bytes;
}

static codel_time_t p_queue_waits_since(const struct sk_buff *skb)
{
	return vif_skb_cb(skb)->since;
}

/*
 * Do TCP small queues bound the number of its sender's packets here? Pure acknowledgements are not
 * bounded: a receiver sends one for each two packets.
 */
static bool p_queue_held_back(const struct sk_buff *skb)
{
	return skb->sk && sk_fullsock(skb->sk) && sk_is_tcp(skb->sk) &&
	       !skb_is_tcp_pure_ack(skb);
}

static struct codel_vars *p_queue_vars_of(struct p_queue_pool *pool,
					  struct p_queue *queue, struct fq_flow *flow)
{
	if (flow == &queue->own.tin.default_flow)
		return &queue->vars;
	return &pool->slot[flow - pool->fq.flows].vars;
}

/*
 * Return the bytes of a flow that CoDel tolerates. Data that a window requested is tolerated: the
 * window was lowered already.
 */
static u32 p_queue_allowance(const struct p_queue_pool *pool, const struct fq_flow *flow,
			     const struct vif_window *window)
{
	const struct sk_buff *head = skb_peek(&flow->queue);

	if (window && window->holds)
		return max(pool->frame_len, window->asked + window->asked / 8);
	if (head && p_queue_held_back(head))
		return pool->frame_len * SMALL_QUEUE_FRAMES;
	return pool->frame_len;
}

/*
 * Return the number of marks, by CoDel's law and by the threshold: a packet has only one of them.
 */
static u32 p_queue_marks(const struct p_queue *queue)
{
	return queue->codel.ecn_mark + queue->codel.ce_mark;
}

/**
 * p_queue_codel_next() - p_queue_next(), after CoDel's drops
 * @pool: the pool
 * @queue: the queue
 * @flow: one of its flows
 *
 * A backlog of up to params->mtu is never a standing queue.
 * Return: the packet, or NULL if none is left.
 */
static struct sk_buff *p_queue_codel_next(struct p_queue_pool *pool, struct p_queue *queue,
					  struct fq_flow *flow)
{
	struct p_queue_codel_ctx ctx = { pool, queue, flow, 0 };
	struct vif_window *window = p_queue_window_of(pool, queue, flow);
	struct codel_vars *vars = p_queue_vars_of(pool, queue, flow);
	struct codel_params *params = &queue->params.codel;
	u32 marked = p_queue_marks(queue);
	struct sk_buff *skb;

	params->mtu = p_queue_allowance(pool, flow, window);
	skb = codel_dequeue(&ctx, &flow->backlog, params, vars, &queue->codel,
			    p_queue_wire_bytes, p_queue_waits_since, p_queue_codel_drop,
			    p_queue_codel_pull);
	if (!skb)
		return NULL;
	if (p_queue_marks(queue) != marked)
		queue->marks += vif_skb_cb(skb)->packets;
	if (window)
		vif_window_waited(window, vars->ldelay, vif_skb_cb(skb)->packets);
	return skb;
}

/* --- pools and queues --- */

static struct kmem_cache *p_queue_cache;

/* The owner of flow P_QUEUE_NO_SLOT, which is never assigned. */
static struct p_queue_host p_queue_no_host;

/*
 * Tell lockdep that the library's lock is held: the library asserts that and never takes it. The
 * caller holds the shaper's lock, which guards the same data.
 */
static void p_queue_claim_fq(struct p_queue_pool *pool)
{
	spin_acquire(&pool->fq.lock.dep_map, 0, 0, _THIS_IP_);
}

static void p_queue_release_fq(struct p_queue_pool *pool)
{
	spin_release(&pool->fq.lock.dep_map, _THIS_IP_);
}

static struct p_queue_pool *p_queue_pool_of(struct fq *fq)
{
	return container_of(fq, struct p_queue_pool, fq);
}

void p_queue_pool_init(struct p_queue_pool *pool)
{
	*pool = (struct p_queue_pool) {
		.fq.limit = U32_MAX,
		.fq.memory_limit = p_queue_memory_limit(),
		.payers = RB_ROOT,
		.frame_bytes = ETH_FRAME_LEN,
		.frame_len = ETH_FRAME_LEN,
	};
	spin_lock_init(&pool->fq.lock);
	INIT_LIST_HEAD(&pool->fq.tin_backlog);
	fq_tin_init(&pool->expired);
	__skb_queue_head_init(&pool->dropped);
	__skb_queue_head_init(&pool->pulled);
}

/* Like fq_init(), but the memory is charged to the task's memory cgroup. */
int p_queue_flows_alloc(struct p_queue_flows *flows)
{
	struct fq *fq = &flows->fq;
	unsigned int i;

	*flows = (struct p_queue_flows) { .fq.flows_cnt = P_QUEUE_SLOTS + 1 };
	flows->slot = kvcalloc(P_QUEUE_SLOTS, sizeof(*flows->slot),
			       GFP_KERNEL_ACCOUNT);
	fq->flows = kvcalloc(fq->flows_cnt, sizeof(*fq->flows),
			     GFP_KERNEL_ACCOUNT);
	fq->flows_bitmap = bitmap_zalloc(fq->flows_cnt, GFP_KERNEL_ACCOUNT);
	if (!flows->slot || !fq->flows || !fq->flows_bitmap) {
		p_queue_flows_free(flows);
		return -ENOMEM;
	}
	for (i = 0; i < fq->flows_cnt; i++)
		fq_flow_init(&fq->flows[i]);
	fq->flows[P_QUEUE_NO_SLOT].tin = &p_queue_no_host.tin;
	return 0;
}

void p_queue_flows_free(struct p_queue_flows *flows)
{
	kvfree(flows->slot);
	kvfree(flows->fq.flows);
	bitmap_free(flows->fq.flows_bitmap);
}

/* fq_skb_free_t */
static void p_queue_drop_from_flow(struct fq *fq, struct fq_tin *tin,
				   struct fq_flow *flow, struct sk_buff *skb)
{
	p_queue_count_out(p_queue_pool_of(fq), p_queue_queue_of(tin), flow, skb);
	p_queue_count_drop(p_queue_pool_of(fq), p_queue_queue_of(tin), skb, VIF_DROP_OVERLIMIT);
}

/* Drop packets of a flow, up to half of it. */
static void p_queue_drop_some(struct p_queue_pool *pool, struct fq_flow *flow)
{
	p_queue_claim_fq(pool);
	fq_flow_drop(&pool->fq, flow, p_queue_drop_from_flow);
	p_queue_release_fq(pool);
}

/* Empty flows are still linked to their queues until their next turn: unlink them first. */
void p_queue_pool_swap(struct p_queue_pool *pool, struct p_queue_flows *flows)
{
	struct p_queue_flows old = {
		.fq.flows = pool->fq.flows,
		.fq.flows_bitmap = pool->fq.flows_bitmap,
		.slot = pool->slot,
	};
	unsigned int i;

	p_queue_claim_fq(pool);
	for (i = 0; pool->fq.flows && i < P_QUEUE_SLOTS; i++)
		fq_flow_reset(&pool->fq, &pool->fq.flows[i], p_queue_drop_from_flow);
	p_queue_release_fq(pool);
	pool->fq.flows = flows->fq.flows;
	pool->fq.flows_bitmap = flows->fq.flows_bitmap;
	pool->fq.flows_cnt = flows->fq.flows_cnt;
	pool->slot = flows->slot;
	*flows = old;
}

struct p_queue *p_queue_create(struct p_queue_pool *pool,
			       const struct vif_params_kept *set,
			       struct vif_account *account)
{
	struct p_queue *queue = kmem_cache_zalloc(p_queue_cache,
						  GFP_ATOMIC | __GFP_NOWARN);

	if (!queue)
		return NULL;
	queue->set = set;
	queue->account = account;
	if (!p_queue_memory_join(pool, queue)) {
		kmem_cache_free(p_queue_cache, queue);
		return NULL;
	}
	p_queue_host_init(&queue->own, queue, 0);
	queue->hosts = RB_ROOT;
	INIT_LIST_HEAD(&queue->new_hosts);
	INIT_LIST_HEAD(&queue->old_hosts);
	p_queue_codel_init(queue);
	return queue;
}

void p_queue_forget(struct p_queue_pool *pool, struct p_queue *queue)
{
	struct p_queue_host *host, *next;

	p_queue_claim_fq(pool);
	for (host = &queue->own; host; host = next) {
		next = p_queue_host_after(queue, host);
		fq_tin_reset(&pool->fq, &host->tin, p_queue_drop_from_flow);
		p_queue_host_end(pool, host);
	}
	p_queue_release_fq(pool);
	p_queue_memory_leave(pool, queue);
}

void p_queue_free(struct p_queue *queue)
{
	if (!queue)
		return;
	kfree(queue->payer);
	kmem_cache_free(p_queue_cache, queue);
}

/* --- the flow of a packet --- */

/* Is it a UDP socket? If it is connected, its packets are one flow and have its hash. */
static bool p_queue_is_udp(const struct sock *sk)
{
	return sk_fullsock(sk) && sk->sk_type == SOCK_DGRAM &&
	       sk->sk_protocol == IPPROTO_UDP;
}

/*
 * TCP changes the hash of its packets (skb->hash), and the flow label made from it, after each
 * timeout, so that the network tries another path. For a queue it stays one flow, so that
 * retransmissions overtake nothing. So a connection's hash is the hash of its addresses and ports,
 * which is also the key of its window. In a strict pool, only addresses and ports count: a
 * socket has one skb->hash for all its destinations.
 */
u32 p_queue_flow(const struct p_queue_pool *pool, struct sk_buff *skb)
{
	bool strict = READ_ONCE(pool->strict), whole;
	struct flow_keys keys;
	u32 key;

	if (!strict && skb->sk && p_queue_is_udp(skb->sk))
		return skb_get_hash(skb);
	key = vif_packet_tcp_key(skb, false);
	if (key)
		return key;
	whole = skb_flow_dissect_flow_keys(skb, &keys,
					   strict ? FLOW_DISSECTOR_F_STOP_BEFORE_ENCAP : 0);
	if (!strict && (!whole || keys.basic.ip_proto != IPPROTO_TCP))
		return skb_get_hash(skb);
	keys.tags.flow_label = 0;
	/* an inner packet is another flow than an outer one with the same addresses */
	if (strict)
		keys.basic.n_proto = skb->protocol;
	return flow_hash_from_keys(&keys);
}

void p_queue_prepare(const struct p_queue_pool *pool, struct sk_buff *skb,
		     const struct vif_wire *wire, u32 tag, const struct vif_skb_cb *same_flow)
{
	struct vif_skb_cb *cb = vif_skb_cb(skb);

	cb->bytes = wire->bytes;
	cb->packets = wire->packets;
	cb->tag = tag;
	cb->flow = same_flow ? same_flow->flow : p_queue_flow(pool, skb);
}

/*
 * --- room: if a queue has reached its limit, or no memory is left, a new packet displaces packets
 * of the queue's fattest flow, unless that is its own ---
 */

/* The number of flows that a search may visit for each new packet. */
#define SEARCH_CREDIT	64U

/**
 * struct p_queue_level - the length of a queue before a new packet
 * @bytes: on the wire
 * @packets: on the wire
 * @memory: their truesize
 *
 * If limits were lowered, the queue may be longer than they allow by more than can be dropped under
 * the lock at once. So a new packet displaces as much as its own size.
 */
struct p_queue_level {
	u64 bytes;
	u64 packets;
	u64 memory;
};

static bool p_queue_within_limit(const struct p_queue *queue,
				 const struct sk_buff *skb, const struct p_queue_level *was)
{
	const struct vif_skb_cb *cb = vif_skb_cb(skb);

	return !queue->packets ||
	       (queue->bytes + cb->bytes <= max(queue->params.most_bytes, was->bytes) &&
		queue->packets + cb->packets <=
		max(queue->params.most_packets, was->packets));
}

static bool p_queue_has_room(const struct p_queue_pool *pool,
			     const struct p_queue *queue, const struct sk_buff *skb,
			     const struct p_queue_level *was)
{
	return p_queue_within_limit(queue, skb, was) &&
	       (queue->memory + skb->truesize <= was->memory ||
		p_queue_memory_has_room(pool, queue, skb->truesize));
}

/*
 * Return the size of a flow for comparison. The library counts skb->len: at ingress, a packet
 * without its link-layer header, and 0 for a frame that is only a header.
 */
static u64 p_queue_flow_size(const struct fq_flow *flow)
{
	return flow->backlog + (u64)skb_queue_len(&flow->queue) * ETH_HLEN;
}

/* Return false if no more flows may be visited. */
static bool p_queue_find_fatter(struct p_queue *queue, struct list_head *head,
				struct fq_flow **fattest)
{
	struct fq_flow *flow;

	list_for_each_entry(flow, head, flowchain) {
		if (!queue->search_credit)
			return false;
		queue->search_credit--;
		if (!*fattest || p_queue_flow_size(flow) > p_queue_flow_size(*fattest))
			*fattest = flow;
	}
	return true;
}

/*
 * A search over all flows is paid for by credit: however many flows a user creates, a packet
 * costs at most SEARCH_CREDIT. Beyond that, the fattest flow seen so far is used.
 */
static struct fq_flow *p_queue_find_fattest(struct p_queue *queue)
{
	struct fq_flow *fattest = NULL;
	struct p_queue_host *host;

	for (host = &queue->own; host; host = p_queue_host_after(queue, host)) {
		if (!p_queue_find_fatter(queue, &host->tin.old_flows, &fattest) ||
		    !p_queue_find_fatter(queue, &host->tin.new_flows, &fattest))
			break;
	}
	return fattest;
}

/* Return the flow in which a packet would be queued: an empty one if its flow has no slot yet. */
static const struct fq_flow *p_queue_own_flow(const struct p_queue_pool *pool,
					      const struct p_queue *queue,
					      const struct sk_buff *skb)
{
	u32 slot = p_queue_slot_find(pool, queue, vif_skb_cb(skb)->flow);

	return slot == P_QUEUE_NO_SLOT ? &queue->own.tin.default_flow :
					 &pool->fq.flows[slot];
}

/* Drop until the drops are as large as the new packet. */
static bool p_queue_drop_others(struct p_queue_pool *pool, struct p_queue *queue,
				const struct sk_buff *skb, const struct p_queue_level *was)
{
	const struct fq_flow *own = p_queue_own_flow(pool, queue, skb);
	const u64 size = p_queue_flow_size(own) + skb->len + ETH_HLEN;
	struct fq_flow *fattest;

	while (!p_queue_has_room(pool, queue, skb, was)) {
		fattest = p_queue_find_fattest(queue);
		if (!fattest || size >= p_queue_flow_size(fattest))
			return false;
		p_queue_drop_some(pool, fattest);
	}
	return true;
}

bool p_queue_make_room(struct p_queue_pool *pool, struct p_queue *queue,
		       const struct sk_buff *skb)
{
	const struct p_queue_level was = { queue->bytes, queue->packets, queue->memory };

	queue->search_credit = min(queue->search_credit + SEARCH_CREDIT,
				   2U * P_QUEUE_SLOTS);
	return p_queue_has_room(pool, queue, skb, &was) ||
	       p_queue_drop_others(pool, queue, skb, &was);
}

/* --- a packet is queued --- */

/* Assign a slot to a flow: forget the state of another flow. */
static void p_queue_claim(struct p_queue_pool *pool, const struct p_queue_host *host,
			  u32 index, u32 hash)
{
	struct fq_flow *flow = &pool->fq.flows[index];
	struct p_queue_slot *slot = &pool->slot[index];

	if (flow->tin && (flow->tin != &host->tin || slot->hash != hash))
		fq_flow_reset(&pool->fq, flow, p_queue_drop_from_flow);
	if (slot->hash != hash) {
		slot->hash = hash;
		slot->vars = (struct codel_vars) {};
	}
}

static bool *p_queue_spent(struct p_queue_pool *pool, struct p_queue *queue,
			   const struct fq_flow *flow)
{
	if (flow == &queue->own.tin.default_flow)
		return &queue->spent;
	return &pool->slot[flow - pool->fq.flows].spent;
}

/*
 * A flow that ran empty keeps its place in the round, which may be long. It may use the rest of
 * its turn at once, among the new flows. The deficit alone does not tell whether a rest is left:
 * the library adds the quantum of the next turn before it finds that the flow is empty. A flow
 * that has spent its turn waits for its place, or each of its packets would be a turn.
 * Return: whether it is among the new flows.
 */
static bool p_queue_resume_turn(struct p_queue_pool *pool, struct p_queue_host *host,
				struct fq_flow *flow)
{
	bool *spent = p_queue_spent(pool, host->queue, flow);

	if (list_empty(&flow->flowchain)) {
		*spent = false;
		return true;
	}
	if (flow->tin != &host->tin || !skb_queue_empty(&flow->queue) || flow->deficit <= 0 || *spent)
		return false;
	list_move_tail(&flow->flowchain, &host->tin.new_flows);
	return true;
}

/* Parse a packet that is queued, or about to be: its network header is set. */
static bool p_queue_parse_ack(const struct sk_buff *skb, struct vif_ack *ack)
{
	int offset = skb_network_offset(skb);
	u32 len = skb->len - offset;
	u8 buf[VIF_ACK_MOST];
	const u8 *bytes;

	if (len > VIF_ACK_MOST ||
	    (skb->protocol != htons(ETH_P_IP) && skb->protocol != htons(ETH_P_IPV6)))
		return false;
	bytes = skb_header_pointer(skb, offset, len, buf);
	return bytes && vif_ack_parse(bytes, len, ack);
}

/*
 * Does the acknowledgement filter apply? Most packets are too long: this check is their only cost.
 */
static bool p_queue_is_filtered(const struct p_queue *queue, const struct fq_flow *flow,
				const struct sk_buff *skb)
{
	return skb->len - skb_network_offset(skb) <= VIF_ACK_MOST &&
	       skb_queue_len(&flow->queue) >= 2 &&
	       queue->set->aqm.kind == NETNICE_AQM_CODEL && !queue->set->aqm.no_ack_filter;
}

/*
 * Drop the acknowledgement before the one that comes, if that covers it. One more stays queued,
 * so that the loss of a packet on the way does not delay the sender.
 */
static noinline void p_queue_filter_acks(struct p_queue_pool *pool, struct p_queue *queue,
					 struct fq_flow *flow, const struct sk_buff *skb)
{
	struct vif_ack later, last, before;
	struct sk_buff *tail;

	if (!p_queue_parse_ack(skb, &later))
		return;
	tail = skb_peek_tail(&flow->queue);
	if (!p_queue_parse_ack(tail, &last) || !vif_ack_covers(&later, &last) ||
	    !p_queue_parse_ack(skb_queue_prev(&flow->queue, tail), &before) ||
	    !vif_ack_covers(&last, &before))
		return;
	__skb_unlink(tail, &flow->queue);
	fq_adjust_removal(&pool->fq, flow, tail);
	p_queue_count_out(pool, queue, flow, tail);
	queue->ack_drops += vif_skb_cb(tail)->packets;
	p_queue_count_drop(pool, queue, tail, VIF_DROP_ACK);
}

/* The number of packets that p_queue_pull() may visit for each new packet, and at most. */
#define PULL_CREDIT	64U
#define PULL_MOST	16384U

bool p_queue_add(struct p_queue_pool *pool, struct p_queue *queue,
		 struct sk_buff *skb, u64 now_ns)
{
	struct vif_skb_cb *cb = vif_skb_cb(skb);
	u32 slot = p_queue_slot_find(pool, queue, cb->flow);
	struct fq_flow *flow = slot == P_QUEUE_NO_SLOT ? &queue->own.tin.default_flow :
							 &pool->fq.flows[slot];
	struct p_queue_host *host = p_queue_host_find(pool, queue, slot, skb);
	bool begins;

	cb->since = now_ns >> CODEL_SHIFT;
	/* fq_tin_enqueue() also accepts lists */
	skb_mark_not_on_list(skb);
	p_queue_claim_fq(pool);
	if (slot != P_QUEUE_NO_SLOT)
		p_queue_claim(pool, host, slot, cb->flow);
	begins = p_queue_resume_turn(pool, host, flow);
	if (p_queue_is_filtered(queue, flow, skb))
		p_queue_filter_acks(pool, queue, flow, skb);
	p_queue_count_in(pool, queue, slot, skb);
	queue->pull_credit = min(queue->pull_credit + PULL_CREDIT, PULL_MOST);
	/* a frame overdraws the first turn of its flow: small packets may be as many bytes there */
	pool->fq.quantum = skb->len < queue->params.quantum ?
			   max(queue->params.quantum, pool->frame_len) : queue->params.quantum;
	if (unlikely(queue->hosts_count))
		p_queue_host_resume_turn(host, pool->fq.quantum);
	fq_tin_enqueue(&pool->fq, &host->tin, slot, skb, p_queue_drop_from_flow);
	p_queue_release_fq(pool);
	return begins;
}

/* --- a packet is taken out --- */

/*
 * Take the next packet out of a flow, inside a call of the library. Return NULL if there is none.
 */
static struct sk_buff *p_queue_next(struct p_queue_pool *pool, struct p_queue *queue,
				    struct fq_flow *flow)
{
	struct sk_buff *skb = fq_flow_dequeue(&pool->fq, flow);

	if (skb)
		p_queue_count_out(pool, queue, flow, skb);
	return skb;
}

/* fq_tin_dequeue_t */
static struct sk_buff *p_queue_dequeue_plain(struct fq *fq, struct fq_tin *tin,
					     struct fq_flow *flow)
{
	return p_queue_next(p_queue_pool_of(fq), p_queue_queue_of(tin), flow);
}

/* fq_tin_dequeue_t */
static struct sk_buff *p_queue_dequeue_codel(struct fq *fq, struct fq_tin *tin,
					     struct fq_flow *flow)
{
	return p_queue_codel_next(p_queue_pool_of(fq), p_queue_queue_of(tin), flow);
}

/*
 * The largest cost, in bytes, that a packet's headers can cause in a turn. A deficit is paid in
 * rounds over all flows, under the lock: a guest's packet of 64 KiB may become 65,535 segments,
 * each with a header.
 */
#define COST_MOST	65536U

/*
 * Return what a packet costs of its turn: up to COST_MOST, never less than of its clocks. Otherwise
 * a flow of frames that are hardly more than a header would use up the clocks within one turn.
 */
static u32 p_queue_cost(const struct sk_buff *skb)
{
	return max(skb->len, min(vif_skb_cb(skb)->bytes, COST_MOST));
}

/*
 * Charge a packet's cost, of which the library has charged skb->len already, and record whether
 * its flow has used up its turn. The library leaves the served flow first in its list.
 */
static void p_queue_note_turn(struct p_queue_pool *pool, struct p_queue_host *host,
			      const struct sk_buff *skb)
{
	struct fq_tin *tin = &host->tin;
	struct fq_flow *flow = list_first_entry(list_empty(&tin->new_flows) ? &tin->old_flows :
									      &tin->new_flows,
						struct fq_flow, flowchain);

	flow->deficit -= p_queue_cost(skb) - skb->len;
	*p_queue_spent(pool, host->queue, flow) = flow->deficit <= 0;
}

static struct sk_buff *p_queue_dequeue_host(struct p_queue_pool *pool, struct p_queue_host *host,
					    fq_tin_dequeue_t *dequeue)
{
	struct sk_buff *skb = fq_tin_dequeue(&pool->fq, &host->tin, dequeue);

	if (skb)
		p_queue_note_turn(pool, host, skb);
	return skb;
}

/* Do for hosts what fq_tin_dequeue() does for flows. */
static noinline struct sk_buff *p_queue_dequeue_hosts(struct p_queue_pool *pool,
						      struct p_queue *queue,
						      fq_tin_dequeue_t *dequeue)
{
	struct p_queue_host *host;
	struct sk_buff *skb;
	bool new;

	for (;;) {
		new = !list_empty(&queue->new_hosts);
		host = list_first_entry_or_null(new ? &queue->new_hosts : &queue->old_hosts,
						struct p_queue_host, link);
		if (!host)
			return NULL;
		if (host->deficit <= 0) {
			host->deficit += pool->fq.quantum;
			list_move_tail(&host->link, &queue->old_hosts);
			continue;
		}
		skb = p_queue_dequeue_host(pool, host, dequeue);
		if (skb)
			break;
		/*
		 * an empty new host stays for a turn, so that it cannot come back before other
		 * hosts' turns
		 */
		if (new && !list_empty(&queue->old_hosts))
			list_move_tail(&host->link, &queue->old_hosts);
		else
			p_queue_host_end(pool, host);
	}
	host->deficit -= p_queue_cost(skb);
	host->spent = host->deficit <= 0;
	return skb;
}

static struct sk_buff *p_queue_dequeue(struct p_queue_pool *pool, struct p_queue *queue,
				       fq_tin_dequeue_t *dequeue)
{
	struct sk_buff *skb;

	p_queue_claim_fq(pool);
	/* a flow that is alone gets a quantum of a frame: smaller ones would only cost rounds */
	pool->fq.quantum = max_t(u32, queue->params.quantum,
				 queue->flows > 1 ? 0 : ETH_FRAME_LEN);
	if (unlikely(queue->hosts_count))
		skb = p_queue_dequeue_hosts(pool, queue, dequeue);
	else
		skb = p_queue_dequeue_host(pool, &queue->own, dequeue);
	p_queue_release_fq(pool);
	return skb;
}

struct sk_buff *p_queue_take(struct p_queue_pool *pool, struct p_queue *queue,
			     u64 now_ns)
{
	struct sk_buff *skb;

	skb = p_queue_dequeue(pool, queue,
			      queue->set->aqm.kind == NETNICE_AQM_NONE ? p_queue_dequeue_plain :
									 p_queue_dequeue_codel);
	if (skb)
		vif_sojourn_add(&queue->sojourn, p_queue_waited(skb, now_ns),
			    vif_skb_cb(skb)->packets);
	return skb;
}

struct sk_buff *p_queue_clear(struct p_queue_pool *pool, struct p_queue *queue)
{
	return p_queue_dequeue(pool, queue, p_queue_dequeue_plain);
}

struct sk_buff *p_queue_move(struct p_queue_pool *pool, struct p_queue *queue)
{
	struct sk_buff *skb = p_queue_clear(pool, queue);

	if (skb)
		pool->away += skb->truesize;
	return skb;
}

/* --- packets of a socket are pulled out --- */

/* fq_skb_filter_t */
static bool p_queue_has_tag(struct fq *fq, struct fq_tin *tin, struct fq_flow *flow,
			    struct sk_buff *skb, void *tag)
{
	return vif_skb_cb(skb)->tag == *(u32 *)tag;
}

/* fq_skb_free_t */
static void p_queue_pull_from_flow(struct fq *fq, struct fq_tin *tin,
				   struct fq_flow *flow, struct sk_buff *skb)
{
	p_queue_count_out(p_queue_pool_of(fq), p_queue_queue_of(tin), flow, skb);
	__skb_queue_tail(&p_queue_pool_of(fq)->pulled, skb);
}

unsigned int p_queue_pull(struct p_queue_pool *pool, struct p_queue *queue,
			  u32 tag)
{
	struct p_queue_host *host;

	if (!queue->tagged[p_queue_tag(tag)] || queue->pull_credit < queue->skbs)
		return 0;
	queue->pull_credit -= queue->skbs;
	p_queue_claim_fq(pool);
	for (host = &queue->own; host; host = p_queue_host_after(queue, host))
		fq_tin_filter(&pool->fq, &host->tin, p_queue_has_tag, &tag,
			      p_queue_pull_from_flow);
	p_queue_release_fq(pool);
	return skb_queue_len(&pool->pulled);
}

/* --- packets that expire --- */

/* The flows and packets that a p_queue_expire() visits, and the packets that it drops. */
#define EXPIRE_FLOWS	64U
#define EXPIRE_LOOKS	16384U
#define EXPIRE_DROPS	256U

/*
 * Has the socket closed, so that only packets hold it? A zero-copy packet holds it twice, to notify
 * the sender.
 */
static bool p_queue_socket_is_gone(struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;

	if (!sk || !sk_fullsock(sk) || sock_net(sk) == &init_net)
		return false;
	return !refcount_read(&sk->sk_refcnt) ||
	       (skb_zcopy(skb) && sock_flag(sk, SOCK_DEAD) &&
		!(sk_is_tcp(sk) && READ_ONCE(sk->sk_state) != TCP_CLOSE));
}

/* The rest of what a p_queue_expire() may do. */
struct p_queue_expiry {
	u64 now_ns;
	u64 (*most_ns)(const struct p_queue *queue);
	unsigned int flows;
	unsigned int looks;
	unsigned int drops;
};

/*
 * Return false if the flow, or the rest of it, is left for another call. The first flow of a call
 * is always visited, however long it is, or as many packets are dropped as one call may drop.
 */
static bool p_queue_expire_flow(struct p_queue_pool *pool, struct fq_flow *flow,
				struct p_queue_expiry *expiry)
{
	unsigned int looks = min(skb_queue_len(&flow->queue), EXPIRE_LOOKS);
	struct sk_buff *skb, *next;
	u64 most_ns;

	if (!expiry->flows || !expiry->drops || looks > expiry->looks)
		return false;
	expiry->flows--;
	if (!looks)
		return true;
	most_ns = expiry->most_ns(p_queue_queue_of(flow->tin));
	skb_queue_walk_safe(&flow->queue, skb, next) {
		if (!looks--)
			break;
		expiry->looks--;
		/* packets behind this one were queued later */
		if (p_queue_waited(skb, expiry->now_ns) < most_ns >> SOJOURN_TICK_SHIFT)
			break;
		if (!p_queue_socket_is_gone(skb))
			continue;
		if (!expiry->drops)
			return false;
		expiry->drops--;
		__skb_unlink(skb, &flow->queue);
		fq_adjust_removal(&pool->fq, flow, skb);
		p_queue_count_out(pool, p_queue_queue_of(flow->tin), flow, skb);
		p_queue_count_drop(pool, p_queue_queue_of(flow->tin), skb, VIF_DROP_EXPIRED);
	}
	return true;
}

/* Return the next queue with packets in the overflow flow, or NULL: all were visited. */
static struct fq_tin *p_queue_expire_next(struct p_queue_pool *pool)
{
	struct list_head *mark = &pool->expired.tin_list;

	if (list_empty(mark))
		list_add(mark, &pool->fq.tin_backlog);
	if (!list_is_last(mark, &pool->fq.tin_backlog))
		return list_next_entry(&pool->expired, tin_list);
	list_del_init(mark);
	return NULL;
}

static bool p_queue_expire_some(struct p_queue_pool *pool, unsigned int *from,
				struct p_queue_expiry *expiry)
{
	struct fq_tin *tin;

	/* remove the mark of a walk that ended because its device was closed */
	if (!*from)
		list_del_init(&pool->expired.tin_list);
	for (; pool->fq.flows && *from < P_QUEUE_SLOTS; ++*from)
		if (!p_queue_expire_flow(pool, &pool->fq.flows[*from], expiry))
			return true;
	/* flows without a slot: the library also checks these for the longest one */
	while ((tin = p_queue_expire_next(pool))) {
		if (!p_queue_expire_flow(pool, &tin->default_flow, expiry))
			return true;
		/* a queue whose flow has become empty is no longer in the list */
		if (!list_empty(&tin->tin_list))
			list_move(&pool->expired.tin_list, &tin->tin_list);
	}
	return false;
}

bool p_queue_expire(struct p_queue_pool *pool, unsigned int *from, u64 now_ns,
		    u64 (*most_ns)(const struct p_queue *queue))
{
	struct p_queue_expiry expiry = {
		.now_ns = now_ns,
		.most_ns = most_ns,
		.flows = EXPIRE_FLOWS,
		.looks = EXPIRE_LOOKS,
		.drops = EXPIRE_DROPS,
	};
	bool more;

	p_queue_claim_fq(pool);
	more = p_queue_expire_some(pool, from, &expiry);
	p_queue_release_fq(pool);
	return more;
}

static struct sk_buff *p_queue_head_of_host(const struct p_queue_host *host)
{
	const struct list_head *head[] = {
		&host->tin.new_flows, &host->tin.old_flows,
	};
	const struct fq_flow *flow;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(head); i++)
		list_for_each_entry(flow, head[i], flowchain)
			if (!skb_queue_empty(&flow->queue))
				return skb_peek(&flow->queue);
	return NULL;
}

struct sk_buff *p_queue_head(struct p_queue *queue)
{
	struct sk_buff *skb = NULL;
	struct p_queue_host *host;

	for (host = &queue->own; host && !skb; host = p_queue_host_after(queue, host))
		skb = p_queue_head_of_host(host);
	return skb;
}

int p_queue_init(void)
{
	BUILD_BUG_ON(SOJOURN_TICK_SHIFT != CODEL_SHIFT);
	p_queue_cache = kmem_cache_create("netnice_p_queue",
					  sizeof(struct p_queue), 0, SLAB_ACCOUNT, NULL);
	return p_queue_cache ? 0 : -ENOMEM;
}

void p_queue_exit(void)
{
	kmem_cache_destroy(p_queue_cache);
}
