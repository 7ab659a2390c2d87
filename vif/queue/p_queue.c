// SPDX-License-Identifier: GPL-2.0
/*
 * A flow is a slot of the pool's table, found by the packet's hash among the
 * few in which it may be (a set). It is free again when the flow's last packet
 * has left, and may then belong to another VIF. Flows that get none (p_queue_slot.h)
 * overflow: they share the one flow that each queue has of its own.
 */
#include "p_queue.h"

#include <linux/slab.h>

/* The library is made of static functions, not all of which are of use. */
__diag_push();
__diag_ignore_all("-Wunused-function", "parts of the kernel's libraries");
#include <net/fq_impl.h>
__diag_pop();
#include <net/sock.h>

#include <linux/netnice_netlink.h>
#include "ack.h"
#include "p_queue_codel.h"
#include "p_queue_count.h"
#include "p_queue_memory.h"
#include "p_queue_priv.h"
#include "p_queue_slot.h"

/* How many packets p_queue_pull() may look at for each that comes, and at most. */
#define PULL_CREDIT	64U
#define PULL_MOST	16384U

/* Flows and packets that one p_queue_expire() visits, and packets that it drops. */
#define EXPIRE_FLOWS	64U
#define EXPIRE_LOOKS	16384U
#define EXPIRE_DROPS	256U

DEFINE_STATIC_KEY_FALSE(vif_program_some);

static struct kmem_cache *queue_cache;

/* Owns the flow that is never assigned. */
static struct fq_tin p_queue_no_tin;

/*
 * The library asserts that its lock is held, and never takes it. Our callers
 * hold another one for everything that it guards; tell lockdep.
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

static struct p_queue *p_queue_queue_of(struct fq_tin *tin)
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
	fq_tin_init(&pool->expired);
	__skb_queue_head_init(&pool->dropped);
	__skb_queue_head_init(&pool->pulled);
}

/* Like fq_init(), but the memory is not charged. */
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
	fq->flows[P_QUEUE_NO_SLOT].tin = &p_queue_no_tin;
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

void p_queue_drop_some(struct p_queue_pool *pool, struct fq_flow *flow)
{
	p_queue_claim_fq(pool);
	fq_flow_drop(&pool->fq, flow, p_queue_drop_from_flow);
	p_queue_release_fq(pool);
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
	struct p_queue *queue = kmem_cache_zalloc(queue_cache,
						  GFP_ATOMIC | __GFP_NOWARN);

	if (!queue)
		return NULL;
	queue->set = set;
	queue->account = account;
	if (!p_queue_memory_join(pool, queue)) {
		kmem_cache_free(queue_cache, queue);
		return NULL;
	}
	fq_tin_init(&queue->tin);
	p_queue_codel_init(queue);
	return queue;
}

void p_queue_forget(struct p_queue_pool *pool, struct p_queue *queue)
{
	p_queue_claim_fq(pool);
	fq_tin_reset(&pool->fq, &queue->tin, p_queue_drop_from_flow);
	p_queue_release_fq(pool);
	p_queue_memory_leave(pool, queue);
}

void p_queue_free(struct p_queue *queue)
{
	if (!queue)
		return;
	kfree(queue->payer);
	kmem_cache_free(queue_cache, queue);
}

/* Its packets are one flow if it is connected, and have its hash. */
static bool p_queue_is_udp(const struct sock *sk)
{
	return sk_fullsock(sk) && sk->sk_type == SOCK_DGRAM &&
	       sk->sk_protocol == IPPROTO_UDP;
}

/*
 * The hash that TCP has given its packets (skb->hash), and the flow label made of it, change
 * after each timeout, so that the network tries another path. It stays one flow, so
 * retransmissions overtake nothing. The hash of its addresses and ports is also its window's.
 * With programs only these count: a socket has one hash for all its destinations.
 */
u32 p_queue_flow(struct sk_buff *skb)
{
	bool strict = static_branch_unlikely(&vif_program_some), whole;
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

void p_queue_prepare(struct sk_buff *skb, const struct vif_wire *wire, u32 tag,
		     const struct vif_skb_cb *same_flow)
{
	struct vif_skb_cb *cb = vif_skb_cb(skb);

	cb->bytes = wire->bytes;
	cb->packets = wire->packets;
	cb->tag = tag;
	cb->flow = same_flow ? same_flow->flow : p_queue_flow(skb);
}

/* A slot that has been another flow's knows nothing about this one. */
static void p_queue_claim(struct p_queue_pool *pool, const struct p_queue *queue,
			  u32 index, u32 hash)
{
	struct fq_flow *flow = &pool->fq.flows[index];
	struct p_queue_slot *slot = &pool->slot[index];

	if (flow->tin && (flow->tin != &queue->tin || slot->hash != hash))
		fq_flow_reset(&pool->fq, flow, p_queue_drop_from_flow);
	if (slot->hash != hash) {
		slot->hash = hash;
		slot->vars = (struct codel_vars) {};
	}
}

static bool *p_queue_spent(struct p_queue_pool *pool, struct p_queue *queue,
			   const struct fq_flow *flow)
{
	if (flow == &queue->tin.default_flow)
		return &queue->spent;
	return &pool->slot[flow - pool->fq.flows].spent;
}

/*
 * A flow that ran empty keeps its place in the round, which may be long. It may use the rest of
 * its turn at once, among the new flows. The deficit alone does not tell whether a rest is left:
 * the library adds the quantum of the next turn before it finds that the flow is empty. A flow
 * that has spent its turn waits for its place, or each of its packets would be a turn.
 */
static void p_queue_resume_turn(struct p_queue_pool *pool, struct p_queue *queue,
				struct fq_flow *flow)
{
	bool *spent = p_queue_spent(pool, queue, flow);

	if (list_empty(&flow->flowchain))
		*spent = false;
	else if (flow->tin == &queue->tin && skb_queue_empty(&flow->queue) &&
		 flow->deficit > 0 && !*spent)
		list_move_tail(&flow->flowchain, &queue->tin.new_flows);
}

/* Packets are looked at that wait, or are about to: their network header is set. */
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
 * Drop the acknowledgement before the one that comes, if that covers it. One more stays queued,
 * so that the loss of a packet on the way does not delay the sender.
 */
static void p_queue_filter_acks(struct p_queue_pool *pool, struct p_queue *queue,
				struct fq_flow *flow, const struct sk_buff *skb)
{
	struct vif_ack later, last, before;
	struct sk_buff *tail;

	if (skb_queue_len(&flow->queue) < 2 || !p_queue_parse_ack(skb, &later))
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

void p_queue_add(struct p_queue_pool *pool, struct p_queue *queue,
		 struct sk_buff *skb, u64 now_ns)
{
	struct vif_skb_cb *cb = vif_skb_cb(skb);
	u32 slot = p_queue_slot_find(pool, queue, cb->flow);
	struct fq_flow *flow = slot == P_QUEUE_NO_SLOT ? &queue->tin.default_flow :
							 &pool->fq.flows[slot];

	cb->since = now_ns >> CODEL_SHIFT;
	/* the library takes lists, too */
	skb_mark_not_on_list(skb);
	p_queue_claim_fq(pool);
	if (slot != P_QUEUE_NO_SLOT)
		p_queue_claim(pool, queue, slot, cb->flow);
	p_queue_resume_turn(pool, queue, flow);
	if (unlikely(queue->set->aqm.ack_filter))
		p_queue_filter_acks(pool, queue, flow, skb);
	p_queue_count_in(pool, queue, slot, skb);
	queue->pull_credit = min(queue->pull_credit + PULL_CREDIT, PULL_MOST);
	pool->fq.quantum = queue->params.quantum;
	fq_tin_enqueue(&pool->fq, &queue->tin, slot, skb, p_queue_drop_from_flow);
	p_queue_release_fq(pool);
}

struct sk_buff *p_queue_next(struct p_queue_pool *pool, struct p_queue *queue,
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

/* The library has served a flow, and leaves it first in its list. */
static void p_queue_note_turn(struct p_queue_pool *pool, struct p_queue *queue)
{
	struct fq_tin *tin = &queue->tin;
	struct fq_flow *flow = list_first_entry(list_empty(&tin->new_flows) ? &tin->old_flows :
									      &tin->new_flows,
						struct fq_flow, flowchain);

	*p_queue_spent(pool, queue, flow) = flow->deficit <= 0;
}

static struct sk_buff *p_queue_dequeue(struct p_queue_pool *pool, struct p_queue *queue,
				       fq_tin_dequeue_t *dequeue)
{
	struct sk_buff *skb;

	p_queue_claim_fq(pool);
	/* a flow that is alone need not be asked for a frame in several rounds */
	pool->fq.quantum = max_t(u32, queue->params.quantum,
				 queue->flows > 1 ? 0 : ETH_FRAME_LEN);
	skb = fq_tin_dequeue(&pool->fq, &queue->tin, dequeue);
	if (skb)
		p_queue_note_turn(pool, queue);
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
	if (!queue->tagged[p_queue_tag(tag)] ||
	    queue->pull_credit < queue->tin.backlog_packets)
		return 0;
	queue->pull_credit -= queue->tin.backlog_packets;
	p_queue_claim_fq(pool);
	fq_tin_filter(&pool->fq, &queue->tin, p_queue_has_tag, &tag, p_queue_pull_from_flow);
	p_queue_release_fq(pool);
	return skb_queue_len(&pool->pulled);
}

/* Do packets alone keep the socket? A zero-copy one holds it twice, to tell the sender. */
static bool p_queue_socket_is_gone(struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;

	if (!sk || !sk_fullsock(sk) || sock_net(sk) == &init_net)
		return false;
	return !refcount_read(&sk->sk_refcnt) ||
	       (skb_zcopy(skb) && sock_flag(sk, SOCK_DEAD) &&
		!(sk_is_tcp(sk) && READ_ONCE(sk->sk_state) != TCP_CLOSE));
}

/* How much one p_queue_expire() may still do. */
struct p_queue_expiry {
	u64 now_ns;
	u64 (*most_ns)(const struct p_queue *queue);
	unsigned int flows;
	unsigned int looks;
	unsigned int drops;
};

/*
 * Return false if the flow, or the rest of it, is for another call. With nothing done yet a
 * call gets past a flow, however long, or drops as much as it may.
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
		/* those behind have come later */
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

/* Return the next queue that has packets in its own flow, or NULL: all have been looked at. */
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

	/* a walk that ended when its device was closed has left its mark */
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
