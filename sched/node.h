/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler: a tree of nodes, one for each VIF and direction.
 *
 * A node drains its contenders - the nodes below it and its own p_queue, the
 * packets attached to it directly - by start-time fair queueing (P. Goyal,
 * H. Vin, H. Cheng, SIGCOMM 1996), and lets one packet after the other pass
 * when its clock says so. The set of contenders that have released a packet
 * which their parent has not yet drained is the parent's heap @ready: their
 * d_queues. A packet stays in the p_queue that it entered until every clock
 * on its path is ready; then it passes all of them at once. So the choice
 * among packets is made as late as possible, and what a slow parent holds
 * back is held by the fair queue, not in a line behind a faster child.
 *
 * A node is in one of three states:
 *
 *	idle		no contender is ready
 *	waiting		one is, but the node's clock is not: in tree->waiting
 *	ready		one is, and the clock is ready: in parent->ready
 *
 * Costs: the depth, and at each level the logarithm of the number of busy
 * contenders. Nothing is allocated. The caller serializes and brings the
 * time, in nanoseconds, which must not run backwards.
 */
#ifndef NETNICE_SCHED_NODE_H
#define NETNICE_SCHED_NODE_H

#include "clock.h"
#include "heap.h"
#include "queue.h"

/**
 * struct vsched_contender - something that a node drains
 * @ready: in the draining node's heap; the key is the virtual start time
 * @finish: virtual finish time of what it sent last
 * @node: the node below, NULL for the node's own p_queue
 */
struct vsched_contender {
	struct vsched_heap_node ready;
	u64 finish;
	struct vsched_node *node;
};

/**
 * struct vsched_node - a VIF in one direction
 * @parent: the node that drains this one, NULL in the root
 * @clock: when it may be drained
 * @ready: contenders with a packet that waits for this node
 * @vtime: virtual time: start time of the contender served last
 * @own: the p_queue as a contender
 * @up: this node as a contender of @parent
 * @wait: in the tree's heap of nodes whose clock is not ready
 * @queue: the p_queue
 */
struct vsched_node {
	struct vsched_node *parent;
	struct vsched_clock clock;
	struct vsched_heap ready;
	u64 vtime;
	struct vsched_contender own;
	struct vsched_contender up;
	struct vsched_heap_node wait;
	struct vsched_queue queue;
};

/**
 * struct vsched_tree - what all nodes of a direction share
 * @root: the node that drains to the wire
 * @waiting: nodes whose clock is not ready, by the time when it will be
 * @open: clocks do not hold anything back, nor count
 */
struct vsched_tree {
	struct vsched_node *root;
	struct vsched_heap waiting;
	bool open;
};

void vsched_tree_init(struct vsched_tree *tree, struct vsched_node *root);

/**
 * vsched_tree_set_open() - let everything out, or end that
 * @tree: the tree
 * @open: clocks neither hold back nor count what leaves
 */
void vsched_tree_set_open(struct vsched_tree *tree, bool open);

/**
 * vsched_node_init() - make a node
 * @node: the node; it is idle and without a clock
 * @parent: the node that drains it, NULL for the root
 *
 * An idle node leaves no trace in its parent: there is no opposite.
 */
void vsched_node_init(struct vsched_node *node, struct vsched_node *parent);

/* Nothing waits in @node or below it? */
static inline bool vsched_node_idle(const struct vsched_node *node)
{
	return vsched_heap_empty(&node->ready) && !node->queue.head &&
	       !vsched_heap_queued(&node->wait);
}

/**
 * vsched_node_set_clock() - vsched_clock_set() for a node in a tree
 * @tree: the node's tree
 * @node: the node, in any state
 * @rate: see there
 * @burst: see there
 * @now_ns: the present time
 */
void vsched_node_set_clock(struct vsched_tree *tree, struct vsched_node *node,
			   u64 rate, u64 burst, u64 now_ns);

/**
 * struct vsched_path - what the path from a node to the wire is like
 * @rate: the least rate, VSCHED_RATE_MAX if there is no clock
 * @longest: bytes of the longest packet that keeps every burst
 */
struct vsched_path {
	u64 rate;
	u64 longest;
};

void vsched_path_get(const struct vsched_node *node, struct vsched_path *path);

/**
 * vsched_pass() - let a packet pass without queueing, if that changes nothing
 * @tree: the tree
 * @node: the node it belongs to
 * @bytes: on the wire
 * @now_ns: the present time
 *
 * It does so only if all clocks on the path are ready and no packet in the
 * tree could leave now.
 * Return: true if the packet is to go now; the path's clocks are charged.
 */
bool vsched_pass(struct vsched_tree *tree, struct vsched_node *node, u32 bytes,
		 u64 now_ns);

/**
 * vsched_enqueue() - add a packet to a node's p_queue
 * @tree: the tree
 * @node: the node
 * @packet: owned by the scheduler until vsched_dequeue() returns it
 * @now_ns: the present time
 */
void vsched_enqueue(struct vsched_tree *tree, struct vsched_node *node,
		    struct vsched_packet *packet, u64 now_ns);

/**
 * vsched_dequeue() - take the next packet that may leave now
 * @tree: the tree
 * @now_ns: the present time
 * @from: set to the node in whose p_queue it was
 *
 * Return: the packet, or NULL if none may leave.
 */
struct vsched_packet *vsched_dequeue(struct vsched_tree *tree, u64 now_ns,
				     struct vsched_node **from);

/* vsched_next_ns() of a tree in which nothing waits. */
#define VSCHED_NEVER	(~0ULL)

/**
 * vsched_next_ns() - when vsched_dequeue() will have something to do
 * @tree: the tree
 *
 * Return: a time, 0 for at once, VSCHED_NEVER if nothing waits.
 */
u64 vsched_next_ns(const struct vsched_tree *tree);

#endif
