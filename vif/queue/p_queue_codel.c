// SPDX-License-Identifier: GPL-2.0
/*
 * CoDel (net/codel_impl.h) drops, or marks, packets of flows whose packets wait for too
 * long. It leaves alone: packets of TCP's small queues, packets requested by
 * a window (window.h), and packets that others delay.
 */
#include "p_queue_codel.h"

#include <net/inet_ecn.h>
#include <net/sock.h>
#include <net/tcp.h>

/* The library is made of static functions, not all of which are of use. */
__diag_push();
__diag_ignore_all("-Wunused-function", "parts of the kernel's libraries");
#include <net/codel_impl.h>
__diag_pop();

#include "p_queue_count.h"
#include "p_queue_priv.h"
#include "p_queue_slot.h"

/*
 * Packets of TCP on this host by its small queues, at any rate: three packets of two
 * segments, and at first its initial window of ten. Dropping them is useless, because the
 * sender waits for them to leave before it sends more.
 */
#define SMALL_QUEUE_FRAMES	12

/* Drops of CoDel in a row, however long nothing has left a flow: the lock is held. */
#define DROPS_MOST	256

void p_queue_codel_init(struct p_queue *queue)
{
	struct codel_params *params = &queue->params.codel;

	codel_vars_init(&queue->vars);
	codel_stats_init(&queue->codel);
	codel_params_init(params);
	params->ce_threshold_selector = INET_ECN_ECT_1;
	params->ce_threshold_mask = INET_ECN_MASK;
}

/* If there are windows, a connection's hash is its key. */
static struct vif_window *p_queue_window_of(struct p_queue_pool *pool,
					    const struct p_queue *queue,
					    const struct fq_flow *flow)
{
	if (!pool->windows || flow == &queue->tin.default_flow)
		return NULL;
	return vif_window_find(pool->windows,
			       pool->slot[flow - pool->fq.flows].hash);
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
static void p_queue_set_marking(struct taking *taking, const struct sk_buff *skb)
{
	struct codel_params *params = &taking->queue->params.codel;
	bool early = taking->flow->backlog >= taking->pool->frame_len;

	params->ecn = !eth_type_vlan(skb->protocol);
	params->ce_threshold = params->ecn && early ? taking->queue->params.shallow :
						      CODEL_DISABLED_THRESHOLD;
}

/* codel_skb_dequeue_t */
static struct sk_buff *p_queue_codel_pull(struct codel_vars *vars, void *ctx)
{
	struct taking *taking = ctx;
	struct sk_buff *skb = p_queue_next(taking->pool, taking->queue, taking->flow);

	if (skb)
		p_queue_set_marking(taking, skb);
	return skb;
}

static void p_queue_codel_drop(struct sk_buff *skb, void *ctx)
{
	struct taking *taking = ctx;

	p_queue_count_drop(taking->pool, taking->queue, skb, VIF_DROP_CODEL);
	/* the next one is none of a bad queue: CoDel begins anew */
	if (++taking->drops == DROPS_MOST)
		taking->queue->params.codel.mtu = U32_MAX;
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
 * Is it kept by TCP small queues from having much more than this here? Pure acknowledgements
 * are not: a receiver sends one for each two packets, however many wait.
 */
static bool p_queue_held_back(const struct sk_buff *skb)
{
	return skb->sk && sk_fullsock(skb->sk) && sk_is_tcp(skb->sk) &&
	       !skb_is_tcp_pure_ack(skb);
}

static struct codel_vars *p_queue_vars_of(struct p_queue_pool *pool,
					  struct p_queue *queue, struct fq_flow *flow)
{
	if (flow == &queue->tin.default_flow)
		return &queue->vars;
	return &pool->slot[flow - pool->fq.flows].vars;
}

/* Requested data is not dropped: the window is already smaller since it was too large. */
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

/* Drop by CoDel's law and by the threshold, but no packet by both. */
static u32 p_queue_marks(const struct p_queue *queue)
{
	return queue->codel.ecn_mark + queue->codel.ce_mark;
}

/* A backlog of up to params->mtu is never a bad one. */
struct sk_buff *p_queue_codel_next(struct p_queue_pool *pool, struct p_queue *queue,
				   struct fq_flow *flow)
{
	struct taking taking = { pool, queue, flow, 0 };
	struct vif_window *window = p_queue_window_of(pool, queue, flow);
	struct codel_vars *vars = p_queue_vars_of(pool, queue, flow);
	struct codel_params *params = &queue->params.codel;
	u32 marked = p_queue_marks(queue);
	struct sk_buff *skb;

	params->mtu = p_queue_allowance(pool, flow, window);
	skb = codel_dequeue(&taking, &flow->backlog, params, vars, &queue->codel,
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
