// SPDX-License-Identifier: GPL-2.0
/*
 * A flow is a slot of the pool's table, found by the packet's hash among the
 * few in which it may be (a set). It is free again when the flow's last packet
 * has left, and may then belong to another VIF. Flows that get none (p_queue_slot.h)
 * are strays: they share the one flow that each queue has of its own.
 */
#include "p_queue.h"

#include <linux/slab.h>
#include <net/inet_ecn.h>
#include <net/sock.h>

/* The libraries are made of static functions, not all of which are of use. */
__diag_push();
__diag_ignore_all("-Wunused-function", "parts of the kernel's libraries");
#include <net/codel_impl.h>
#include <net/fq_impl.h>
__diag_pop();

#include "../../sched/node.h"
#include "../trace/events.h"
#include "account.h"
#include "p_queue_memory.h"
#include "p_queue_slot.h"

/*
 * By default so much may wait at the path's rate, but so many full frames however
 * low that is: some connections' first packets. What keeps waiting is CoDel's.
 */
#define LIMIT_NS	(250 * NSEC_PER_MSEC)
#define LIMIT_FRAMES	256ULL

/* CoDel at rates where a frame takes no time. */
#define TARGET_NS	(5ULL * NSEC_PER_MSEC)
#define INTERVAL_NS	(100ULL * NSEC_PER_MSEC)

/*
 * Who sends ECT(1) wants to be told at once of what waits (L4S, RFC 9331), but for this
 * time, and these frames: less than that waits behind whoever has had his turn before.
 */
#define SHALLOW_NS	(1ULL * NSEC_PER_MSEC)
#define SHALLOW_FRAMES	2

/*
 * What TCP on this host has here by its small queues, however low its rate: three
 * packets of two segments, and at the beginning its initial window of ten. It is
 * no use to drop any of these, as the sender waits for them to leave before it
 * sends more.
 */
#define SMALL_QUEUE_FRAMES	12

/* Drops of CoDel in a row, however long nothing has left a flow: the lock is held. */
#define DROPS_MOST	256

/* Small turns keep rounds short; large packets must not take many turns. */
#define QUANTUM_LEAST	300
#define QUANTUM_MOST	4096
#define TURNS		16

/* How many flows, or packets, a search may look at for each packet that comes. */
#define SEARCH_CREDIT	64U
#define PULL_MOST	16384U

static struct kmem_cache *queue_cache;

/* Owns the flow that nobody gets. */
static struct fq_tin nobody;

/*
 * The library asserts that its lock is held, and never takes it. Our callers
 * hold another one for everything that it guards; tell lockdep.
 */
static void enter(struct p_queue_pool *pool)
{
	spin_acquire(&pool->fq.lock.dep_map, 0, 0, _THIS_IP_);
}

static void leave(struct p_queue_pool *pool)
{
	spin_release(&pool->fq.lock.dep_map, _THIS_IP_);
}

static struct p_queue_pool *pool_of(struct fq *fq)
{
	return container_of(fq, struct p_queue_pool, fq);
}

static struct p_queue *queue_of(struct fq_tin *tin)
{
	return container_of(tin, struct p_queue, tin);
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
	__skb_queue_head_init(&pool->dropped);
	__skb_queue_head_init(&pool->pulled);
}

/* As fq_init() does, which has nobody pay. */
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
	fq->flows[P_QUEUE_NO_SLOT].tin = &nobody;
	return 0;
}

void p_queue_flows_free(struct p_queue_flows *flows)
{
	kvfree(flows->slot);
	kvfree(flows->fq.flows);
	bitmap_free(flows->fq.flows_bitmap);
}

/* Of a hash the upper bits are the good ones, on any machine. */
static unsigned int tag_slot(u32 tag)
{
	return tag >> (32 - ilog2(P_QUEUE_TAGS));
}

/* A packet is about to wait in a slot, or in none. */
static void count_in(struct p_queue_pool *pool, struct p_queue *queue, u32 slot,
		     const struct sk_buff *skb)
{
	const struct vif_skb_cb *cb = vif_skb_cb(skb);

	queue->packets += cb->packets;
	queue->bytes += cb->bytes;
	p_queue_memory_count(queue, skb->truesize);
	vif_account_wait(queue->account, skb->truesize);
	queue->tagged[tag_slot(cb->tag)]++;
	if (slot == P_QUEUE_NO_SLOT)
		queue->stray[p_queue_stray(cb->flow)]++;
	else if (skb_queue_empty(&pool->fq.flows[slot].queue))
		p_queue_slot_count(pool, queue, 1);
}

/* It is no longer in its flow; the library has counted that already. */
static void count_out(struct p_queue_pool *pool, struct p_queue *queue,
		      const struct fq_flow *flow, const struct sk_buff *skb)
{
	const struct vif_skb_cb *cb = vif_skb_cb(skb);

	queue->packets -= cb->packets;
	queue->bytes -= cb->bytes;
	p_queue_memory_count(queue, -(s64)skb->truesize);
	vif_account_wait(queue->account, -(s64)skb->truesize);
	queue->tagged[tag_slot(cb->tag)]--;
	if (flow == &queue->tin.default_flow)
		queue->stray[p_queue_stray(cb->flow)]--;
	else if (skb_queue_empty(&flow->queue))
		p_queue_slot_count(pool, queue, -1);
}

static void drop(struct p_queue_pool *pool, struct p_queue *queue,
		 struct sk_buff *skb, enum vif_drop why)
{
	struct vif_skb_cb *cb = vif_skb_cb(skb);

	queue->drops += cb->packets;
	cb->drop = why;
	trace_netnice_drop(skb, skb->dev, queue->ino, queue->dir, cb->bytes, cb->packets,
			   why);
	__skb_queue_tail(&pool->dropped, skb);
}

/* fq_skb_free_t */
static void drop_from_flow(struct fq *fq, struct fq_tin *tin,
			   struct fq_flow *flow, struct sk_buff *skb)
{
	count_out(pool_of(fq), queue_of(tin), flow, skb);
	drop(pool_of(fq), queue_of(tin), skb, VIF_DROP_OVERLIMIT);
}

/* Many packets at once, up to half of a flow. */
static void drop_some(struct p_queue_pool *pool, struct fq_flow *flow)
{
	enter(pool);
	fq_flow_drop(&pool->fq, flow, drop_from_flow);
	leave(pool);
}

/* Flows that have ended stay linked to their queues until it is their turn. */
void p_queue_pool_swap(struct p_queue_pool *pool, struct p_queue_flows *flows)
{
	struct p_queue_flows old = {
		.fq.flows = pool->fq.flows,
		.fq.flows_bitmap = pool->fq.flows_bitmap,
		.slot = pool->slot,
	};
	unsigned int i;

	enter(pool);
	for (i = 0; pool->fq.flows && i < P_QUEUE_SLOTS; i++)
		fq_flow_reset(&pool->fq, &pool->fq.flows[i], drop_from_flow);
	leave(pool);
	pool->fq.flows = flows->fq.flows;
	pool->fq.flows_bitmap = flows->fq.flows_bitmap;
	pool->fq.flows_cnt = flows->fq.flows_cnt;
	pool->slot = flows->slot;
	*flows = old;
}

static void init_codel(struct p_queue *queue)
{
	struct codel_params *params = &queue->params.codel;

	codel_vars_init(&queue->vars);
	codel_stats_init(&queue->codel);
	codel_params_init(params);
	params->ce_threshold_selector = INET_ECN_ECT_1;
	params->ce_threshold_mask = INET_ECN_MASK;
}

struct p_queue *p_queue_create(struct p_queue_pool *pool,
			       const struct p_queue_config *config,
			       struct vif_account *account)
{
	struct p_queue *queue = kmem_cache_zalloc(queue_cache,
						  GFP_ATOMIC | __GFP_NOWARN);

	if (!queue)
		return NULL;
	queue->config = config;
	queue->account = account;
	if (!p_queue_memory_join(pool, queue)) {
		kmem_cache_free(queue_cache, queue);
		return NULL;
	}
	fq_tin_init(&queue->tin);
	init_codel(queue);
	return queue;
}

void p_queue_forget(struct p_queue_pool *pool, struct p_queue *queue)
{
	enter(pool);
	fq_tin_reset(&pool->fq, &queue->tin, drop_from_flow);
	leave(pool);
	p_queue_memory_leave(pool, queue);
}

void p_queue_free(struct p_queue *queue)
{
	if (!queue)
		return;
	kfree(queue->payer);
	kmem_cache_free(queue_cache, queue);
}

static u64 frame_ns(u32 frame_bytes, u64 rate)
{
	if (rate == VSCHED_RATE_MAX)
		return 0;
	return div64_u64(frame_bytes * (u64)NSEC_PER_SEC, rate);
}

/*
 * A frame and a half fits into the target: less than that always waits at a
 * low rate, and says nothing about the sender.
 */
u64 p_queue_target_ns(const struct p_queue_config *config, u32 frame_bytes, u64 rate)
{
	if (config->aqm.target_us)
		return (u64)config->aqm.target_us * NSEC_PER_USEC;
	return max(TARGET_NS, frame_ns(frame_bytes, rate) * 3 / 2);
}

/*
 * The interval, which stands for round-trip times, grows by as much as the target, and is
 * twice the target at least.
 */
static u64 interval_ns(const struct p_queue_config *config, u64 target)
{
	if (config->aqm.interval_us)
		return (u64)config->aqm.interval_us * NSEC_PER_USEC;
	return max3(INTERVAL_NS, INTERVAL_NS - TARGET_NS + target, 2 * target);
}

static void set_limit(struct p_queue_params *params, const struct p_queue_limit *limit)
{
	params->most_bytes = U64_MAX;
	params->most_packets = U64_MAX;
	switch (limit->unit) {
	case P_QUEUE_AUTO:
		params->most_bytes = max(params->rate / (NSEC_PER_SEC / LIMIT_NS),
					 LIMIT_FRAMES * params->frame_bytes);
		break;
	case P_QUEUE_BYTES:
		params->most_bytes = limit->value;
		break;
	case P_QUEUE_PACKETS:
		params->most_packets = limit->value;
		break;
	case P_QUEUE_MAX:
		break;
	}
}

void p_queue_adapt(struct p_queue_params *params, const struct p_queue_config *config,
		   u32 frame_bytes, const struct vsched_path *path)
{
	u64 target = p_queue_target_ns(config, frame_bytes, path->rate);
	u64 shallow = max(SHALLOW_NS, SHALLOW_FRAMES * frame_ns(frame_bytes, path->rate));

	params->rate = path->rate;
	params->frame_bytes = frame_bytes;
	params->quantum = clamp(max_t(u64, path->longest, frame_bytes) / TURNS,
				QUANTUM_LEAST + 0ULL, QUANTUM_MOST + 0ULL);
	params->codel.target = target >> CODEL_SHIFT;
	params->codel.interval = interval_ns(config, target) >> CODEL_SHIFT;
	params->shallow = shallow >> CODEL_SHIFT;
	set_limit(params, &config->limit);
}

/*
 * The hash that TCP has given its packets (skb->hash), and the flow label made of it, are
 * others after each of its timeouts, so that the network tries another way. It goes on to
 * be one flow, of which nothing is overtaken by what is sent again; the hash of its
 * addresses and ports is that of its window, too.
 */
static u32 flow_hash(struct sk_buff *skb)
{
	u32 key = vif_window_key(skb, false);
	struct flow_keys keys;

	if (key)
		return key;
	if (!skb_flow_dissect_flow_keys(skb, &keys, 0) ||
	    keys.basic.ip_proto != IPPROTO_TCP)
		return skb_get_hash(skb);
	keys.tags.flow_label = 0;
	return flow_hash_from_keys(&keys);
}

void p_queue_prepare(struct sk_buff *skb, const struct vif_wire *wire, u32 tag)
{
	struct vif_skb_cb *cb = vif_skb_cb(skb);

	cb->bytes = wire->bytes;
	cb->packets = wire->packets;
	cb->tag = tag;
	/* the library takes lists, too */
	skb_mark_not_on_list(skb);
	cb->flow = flow_hash(skb);
}

/**
 * struct level - what a queue held when a packet came
 * @bytes: on the wire
 * @packets: on the wire
 * @memory: their truesize
 *
 * Limits may have become less since, and more may be to go than could be dropped under
 * the lock at once: a packet takes the place of as much as itself.
 */
struct level {
	u64 bytes;
	u64 packets;
	u64 memory;
};

static bool within_limit(const struct p_queue *queue,
			 const struct sk_buff *skb, const struct level *was)
{
	const struct vif_skb_cb *cb = vif_skb_cb(skb);

	return !queue->packets ||
	       (queue->bytes + cb->bytes <= max(queue->params.most_bytes, was->bytes) &&
		queue->packets + cb->packets <=
		max(queue->params.most_packets, was->packets));
}

static bool has_room(const struct p_queue_pool *pool,
		     const struct p_queue *queue, const struct sk_buff *skb,
		     const struct level *was)
{
	return within_limit(queue, skb, was) &&
	       (queue->memory + skb->truesize <= was->memory ||
		p_queue_memory_has_room(pool, queue, skb->truesize));
}

/*
 * To look at all flows is to be paid for: however many of them somebody makes,
 * a packet costs no more than SEARCH_CREDIT. The fattest of those that were seen
 * will do then.
 */
static struct fq_flow *find_fattest(struct p_queue *queue)
{
	struct list_head *head[] = {
		&queue->tin.old_flows, &queue->tin.new_flows,
	};
	struct fq_flow *flow, *fattest = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(head); i++) {
		list_for_each_entry(flow, head[i], flowchain) {
			if (!queue->search_credit)
				return fattest;
			queue->search_credit--;
			if (!fattest || flow->backlog > fattest->backlog)
				fattest = flow;
		}
	}
	return fattest;
}

/* The flow of a packet that has none yet, has nothing. */
static const struct fq_flow *own_flow(const struct p_queue_pool *pool,
				      const struct p_queue *queue,
				      const struct sk_buff *skb)
{
	u32 slot = p_queue_slot_find(pool, queue, vif_skb_cb(skb)->flow);

	return slot == P_QUEUE_NO_SLOT ? &queue->tin.default_flow :
					 &pool->fq.flows[slot];
}

/* Until what goes is what comes. */
static bool drop_others(struct p_queue_pool *pool, struct p_queue *queue,
			const struct sk_buff *skb, const struct level *was)
{
	const struct fq_flow *own = own_flow(pool, queue, skb);
	struct fq_flow *fattest;

	while (!has_room(pool, queue, skb, was)) {
		fattest = find_fattest(queue);
		if (!fattest || own->backlog + skb->len >= fattest->backlog)
			return false;
		drop_some(pool, fattest);
	}
	return true;
}

/* A slot that has been another flow's knows nothing about this one. */
static void claim(struct p_queue_pool *pool, const struct p_queue *queue,
		  u32 index, u32 hash)
{
	struct fq_flow *flow = &pool->fq.flows[index];
	struct p_queue_slot *slot = &pool->slot[index];

	if (flow->tin && (flow->tin != &queue->tin || slot->hash != hash))
		fq_flow_reset(&pool->fq, flow, drop_from_flow);
	if (slot->hash != hash) {
		slot->hash = hash;
		slot->vars = (struct codel_vars) {};
	}
}

/* Where there are windows, a connection's hash is its key. */
static struct vif_window *window_of(struct p_queue_pool *pool,
				    const struct p_queue *queue,
				    const struct fq_flow *flow)
{
	if (!pool->windows || flow == &queue->tin.default_flow)
		return NULL;
	return vif_window_find(pool->windows,
			       pool->slot[flow - pool->fq.flows].hash);
}

bool p_queue_make_room(struct p_queue_pool *pool, struct p_queue *queue,
		       const struct sk_buff *skb,
		       const struct vsched_path *path)
{
	const struct level was = { queue->bytes, queue->packets, queue->memory };

	if (path->rate != queue->params.rate ||
	    pool->frame_bytes != queue->params.frame_bytes)
		p_queue_adapt(&queue->params, queue->config, pool->frame_bytes, path);
	queue->search_credit = min(queue->search_credit + SEARCH_CREDIT,
				   2U * P_QUEUE_SLOTS);
	return has_room(pool, queue, skb, &was) || drop_others(pool, queue, skb, &was);
}

void p_queue_add(struct p_queue_pool *pool, struct p_queue *queue,
		 struct sk_buff *skb, u64 now_ns)
{
	struct vif_skb_cb *cb = vif_skb_cb(skb);
	u32 slot = p_queue_slot_find(pool, queue, cb->flow);

	cb->since = now_ns >> CODEL_SHIFT;
	enter(pool);
	if (slot != P_QUEUE_NO_SLOT)
		claim(pool, queue, slot, cb->flow);
	count_in(pool, queue, slot, skb);
	queue->pull_credit = min(queue->pull_credit + SEARCH_CREDIT, PULL_MOST);
	pool->fq.quantum = queue->params.quantum;
	fq_tin_enqueue(&pool->fq, &queue->tin, slot, skb, drop_from_flow);
	leave(pool);
}

/* A flow's next packet, or NULL. */
static struct sk_buff *next_of(struct p_queue_pool *pool, struct p_queue *queue,
			       struct fq_flow *flow)
{
	struct sk_buff *skb = fq_flow_dequeue(&pool->fq, flow);

	if (skb)
		count_out(pool, queue, flow, skb);
	return skb;
}

/**
 * struct taking - what CoDel's callbacks need to know
 * @pool: the pool
 * @queue: the queue
 * @flow: whose packets are taken
 * @drops: how many have been dropped
 */
struct taking {
	struct p_queue_pool *pool;
	struct p_queue *queue;
	struct fq_flow *flow;
	unsigned int drops;
};

/*
 * A mark in a packet with more VLAN headers than CoDel knows of would be written into one of
 * them. An early one is for who fills the queue: not while others alone keep a packet waiting.
 */
static void set_marking(struct taking *taking, const struct sk_buff *skb)
{
	struct codel_params *params = &taking->queue->params.codel;
	bool early = taking->flow->backlog >= taking->pool->frame_len;

	params->ecn = !eth_type_vlan(skb->protocol);
	params->ce_threshold = params->ecn && early ? taking->queue->params.shallow :
						      CODEL_DISABLED_THRESHOLD;
}

/* codel_skb_dequeue_t */
static struct sk_buff *take_next(struct codel_vars *vars, void *ctx)
{
	struct taking *taking = ctx;
	struct sk_buff *skb = next_of(taking->pool, taking->queue, taking->flow);

	if (skb)
		set_marking(taking, skb);
	return skb;
}

static void drop_late(struct sk_buff *skb, void *ctx)
{
	struct taking *taking = ctx;

	drop(taking->pool, taking->queue, skb, VIF_DROP_CODEL);
	/* the next one is none of a bad queue: CoDel begins anew */
	if (++taking->drops == DROPS_MOST)
		taking->queue->params.codel.mtu = U32_MAX;
}

static u32 wire_bytes(const struct sk_buff *skb)
{
	return vif_skb_cb(skb)->bytes;
}

static codel_time_t waits_since(const struct sk_buff *skb)
{
	return vif_skb_cb(skb)->since;
}

/* Is it kept by TCP small queues from having much more than this here? */
static bool held_back(const struct sk_buff *skb)
{
	return skb->sk && sk_fullsock(skb->sk) && sk_is_tcp(skb->sk);
}

static struct codel_vars *vars_of(struct p_queue_pool *pool,
				  struct p_queue *queue, struct fq_flow *flow)
{
	if (flow == &queue->tin.default_flow)
		return &queue->vars;
	return &pool->slot[flow - pool->fq.flows].vars;
}

/* fq_tin_dequeue_t */
static struct sk_buff *take_plain(struct fq *fq, struct fq_tin *tin,
				  struct fq_flow *flow)
{
	return next_of(pool_of(fq), queue_of(tin), flow);
}

/* What was asked for is not dropped: it has been less ever since it was too much. */
static u32 allowance(const struct p_queue_pool *pool, const struct fq_flow *flow,
		     const struct vif_window *window)
{
	const struct sk_buff *head = skb_peek(&flow->queue);

	if (window && window->holds)
		return max(pool->frame_len, window->asked + window->asked / 8);
	if (head && held_back(head))
		return pool->frame_len * SMALL_QUEUE_FRAMES;
	return pool->frame_len;
}

/* By its law, and by its threshold: no packet by both. */
static u32 marks(const struct p_queue *queue)
{
	return queue->codel.ecn_mark + queue->codel.ce_mark;
}

/* A backlog of up to params->mtu is never a bad one. */
static struct sk_buff *next_by_codel(struct p_queue_pool *pool, struct p_queue *queue,
				     struct fq_flow *flow)
{
	struct taking taking = { pool, queue, flow, 0 };
	struct vif_window *window = window_of(pool, queue, flow);
	struct codel_vars *vars = vars_of(pool, queue, flow);
	struct codel_params *params = &queue->params.codel;
	u32 marked = marks(queue);
	struct sk_buff *skb;

	params->mtu = allowance(pool, flow, window);
	skb = codel_dequeue(&taking, &flow->backlog, params, vars, &queue->codel,
			    wire_bytes, waits_since, drop_late, take_next);
	if (!skb)
		return NULL;
	if (marks(queue) != marked)
		queue->marks += vif_skb_cb(skb)->packets;
	if (window)
		vif_window_waited(window, vars->ldelay, vif_skb_cb(skb)->packets);
	return skb;
}

/* fq_tin_dequeue_t */
static struct sk_buff *take_by_codel(struct fq *fq, struct fq_tin *tin,
				     struct fq_flow *flow)
{
	return next_by_codel(pool_of(fq), queue_of(tin), flow);
}

static struct sk_buff *take(struct p_queue_pool *pool, struct p_queue *queue,
			    fq_tin_dequeue_t *dequeue)
{
	struct sk_buff *skb;

	enter(pool);
	pool->fq.quantum = queue->params.quantum;
	skb = fq_tin_dequeue(&pool->fq, &queue->tin, dequeue);
	leave(pool);
	return skb;
}

struct sk_buff *p_queue_take(struct p_queue_pool *pool, struct p_queue *queue,
			     u64 now_ns)
{
	struct sk_buff *skb;

	skb = take(pool, queue, queue->config->aqm.off ? take_plain :
							 take_by_codel);
	if (skb)
		sojourn_add(&queue->sojourn, p_queue_waited(skb, now_ns),
			    vif_skb_cb(skb)->packets);
	return skb;
}

struct sk_buff *p_queue_clear(struct p_queue_pool *pool, struct p_queue *queue)
{
	return take(pool, queue, take_plain);
}

struct sk_buff *p_queue_move(struct p_queue_pool *pool, struct p_queue *queue)
{
	struct sk_buff *skb = p_queue_clear(pool, queue);

	if (skb)
		pool->away += skb->truesize;
	return skb;
}

/* fq_skb_filter_t */
static bool has_tag(struct fq *fq, struct fq_tin *tin, struct fq_flow *flow,
		    struct sk_buff *skb, void *tag)
{
	return vif_skb_cb(skb)->tag == *(u32 *)tag;
}

/* fq_skb_free_t */
static void pull_from_flow(struct fq *fq, struct fq_tin *tin,
			   struct fq_flow *flow, struct sk_buff *skb)
{
	count_out(pool_of(fq), queue_of(tin), flow, skb);
	__skb_queue_tail(&pool_of(fq)->pulled, skb);
}

unsigned int p_queue_pull(struct p_queue_pool *pool, struct p_queue *queue,
			  u32 tag)
{
	if (!queue->tagged[tag_slot(tag)] ||
	    queue->pull_credit < queue->tin.backlog_packets)
		return 0;
	queue->pull_credit -= queue->tin.backlog_packets;
	enter(pool);
	fq_tin_filter(&pool->fq, &queue->tin, has_tag, &tag, pull_from_flow);
	leave(pool);
	return skb_queue_len(&pool->pulled);
}

struct sk_buff *p_queue_head(const struct p_queue *queue)
{
	const struct list_head *head[] = {
		&queue->tin.new_flows, &queue->tin.old_flows,
	};
	const struct fq_flow *flow;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(head); i++)
		list_for_each_entry(flow, head[i], flowchain)
			if (!skb_queue_empty(&flow->queue))
				return skb_peek(&flow->queue);
	return NULL;
}

int p_queue_init(void)
{
	BUILD_BUG_ON(SOJOURN_TICK_SHIFT != CODEL_SHIFT);
	queue_cache = kmem_cache_create("netnice_p_queue",
					sizeof(struct p_queue), 0, SLAB_ACCOUNT, NULL);
	return queue_cache ? 0 : -ENOMEM;
}

void p_queue_exit(void)
{
	kmem_cache_destroy(queue_cache);
}
