/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler: a tree of nodes, one for each VIF and direction.
 *
 * A node drains its contenders - the nodes below it and its own p_queue, the
 * packets attached to it directly - by priority, minimum and weight (fair.h), and
 * lets one packet after the other pass when its clock (clock.h) says so. A
 * node without a clock is work-conserving: it is drained whenever its parent
 * has time for it.
 *
 * A packet stays in the p_queue that it entered until every clock on its path
 * is ready; then it passes all of them at once. So the choice among packets
 * is made as late as possible, and what a slow parent holds back is held by
 * the fair queue, not in a line behind a faster child. A d_queue, what a VIF
 * has released and its parent has not yet drained, is therefore not a list of
 * its own: it is the node's place among its parent's contenders.
 *
 * A node is in one of three states:
 *
 *	idle		nothing is to leave
 *	held		something is, but the node's clock is not ready, or all
 *			below are held
 *	ready		a contender is active, and the clock is ready: the node
 *			is active in its parent
 *
 * A node that its clock holds stays active if it is its parent's only contender and no other is
 * held there: then the parent need not be updated. The parent is @deferred, and waits instead, for
 * its own clock or the child's; or its own parent does, if it is a lone contender too. So a lone
 * packet waits at one node, for any number of clocks. When another contender arrives, each node
 * waits for itself.
 *
 * The core knows no packets. The caller keeps the p_queues, notifies the core when a p_queue
 * becomes busy, and dequeues a packet on request:
 *
 *	vsched_backlog(tree, node, bytes, now_ns);	a packet queues
 *
 *	node = vsched_pick(tree, now_ns);	which node is next?
 *	(take a packet from its p_queue)
 *	vsched_sent(tree, node, bytes, more, now_ns);
 *
 * Costs: the depth, and at each level the logarithm of the number of busy
 * contenders. Nothing is allocated. The caller serializes and brings the
 * time, in nanoseconds, which must not run backwards.
 */
#ifndef NETNICE_SCHED_NODE_H
#define NETNICE_SCHED_NODE_H

#include <linux/rbtree.h>
#include <linux/types.h>

#include "clock.h"
#include "fair.h"

/* Nodes whose clock became ready or unready that one vsched_pick() handles. */
#define VSCHED_RELEASE_MAX	64

/**
 * struct vsched_node - a VIF in one direction
 * @parent: the node that drains this one, NULL in the root
 * @fair: active contenders; NULL: only the own p_queue can be
 * @clock: when it may be drained
 * @up: this node as a contender in @parent
 * @own: the p_queue as a contender in @fair
 * @wait: in struct vsched_tree.waiting
 * @until: the clock for which it waits there: its own, or one below that is @deferred
 * @waiting: it is there
 * @deferred: its only contender was not ready when it was last served, and is active all the
 *	same: this node waits for it, or one above
 * @backlogged: the p_queue has packets
 * @state: enum vsched_state, for @parent
 * @held: nodes directly below that are held
 */
struct vsched_node {
	struct vsched_node *parent;
	struct vsched_fair *fair;
	struct vsched_clock clock;
	struct vsched_share up;
	struct vsched_share own;
	struct rb_node wait;
	const struct vsched_clock *until;
	bool waiting;
	bool deferred;
	bool backlogged;
	u8 state;
	unsigned int held;
};

/**
 * struct vsched_tree - what all nodes of a direction share
 * @root: the node that drains to the wire
 * @waiting: nodes that wait for a clock, by the time when it will be ready
 * @arrears: bytes that a clock makes up for that has waited for others, see clock.h
 * @open: clocks do not hold anything back, nor count
 * @shut: @open has ended while packets waited: a node may be active whose clock is not ready
 * @recall: set when a node begins to wait whose clock has paid in advance; the caller
 *	clears it, and returns all that vsched_advance_recalled() names
 */
struct vsched_tree {
	struct vsched_node *root;
	struct rb_root_cached waiting;
	u32 arrears;
	bool open;
	bool shut;
	bool recall;
};

void vsched_tree_init(struct vsched_tree *tree, struct vsched_node *root);

/**
 * vsched_tree_set_open() - let everything out, or end that
 * @tree: the tree
 * @open: clocks neither hold back nor count what leaves
 *
 * What still waits when that ends waits for its clocks from now on.
 */
void vsched_tree_set_open(struct vsched_tree *tree, bool open);

/**
 * vsched_node_init() - make a node
 * @node: the node; it is idle, without a clock, and of default shares
 * @parent: the node that drains it, which has a @fair; NULL for the root
 */
void vsched_node_init(struct vsched_node *node, struct vsched_node *parent);

/**
 * vsched_node_exit() - a node ends
 * @node: the node; it is idle, and no node is below it
 *
 * Its parent may still remember that it has had more than its share, and
 * does so no longer. Packets may pass it until it is freed, but not queue.
 */
void vsched_node_exit(struct vsched_node *node);

/**
 * vsched_node_set_fair() - make it possible to have nodes below a node
 * @node: the node, which has no @fair yet, in any state
 * @fair: memory for it, zeroed; the caller's to free when the node ends
 */
void vsched_node_set_fair(struct vsched_node *node, struct vsched_fair *fair);

/* Nothing waits in @node or below it? */
static inline bool vsched_node_idle(const struct vsched_node *node)
{
	return !node->backlogged &&
	       (!node->fair || vsched_fair_empty(node->fair)) &&
	       !node->waiting;
}

/* The node that waits if @node has to: itself, or the one above to which that is deferred. */
static inline const struct vsched_node *vsched_node_waiter(const struct vsched_node *node)
{
	while (node->parent && node->parent->deferred)
		node = node->parent;
	return node;
}

/**
 * vsched_node_released() - is the node's clock ready for its queued packets?
 * @node: the node
 *
 * Return: true if its parent could drain it; false if it is idle.
 */
static inline bool vsched_node_released(const struct vsched_node *node)
{
	return !vsched_node_waiter(node)->waiting && !vsched_node_idle(node);
}

/**
 * vsched_node_set_clock() - vsched_clock_set() for a node in a tree
 * @tree: the node's tree
 * @node: the node, in any state
 * @rate: see there
 * @burst: see there
 * @longest: see there
 * @now_ns: the present time
 */
void vsched_node_set_clock(struct vsched_tree *tree, struct vsched_node *node,
			   u64 rate, u64 burst, u32 longest, u64 now_ns);

/**
 * vsched_node_set_group() - vsched_clock_set_group() for a node in a tree
 * @tree: the node's tree
 * @node: the node, in any state
 * @group: see there
 * @now_ns: the present time
 */
void vsched_node_set_group(struct vsched_tree *tree, struct vsched_node *node,
			   struct vsched_group *group, u64 now_ns);

/**
 * vsched_node_set_share() - weight and priority of a node among its siblings
 * @tree: the node's tree
 * @node: the node, in any state
 * @weight: 1 to VSCHED_WEIGHT_MAX
 * @priority: below VSCHED_PRIORITIES
 * @now_ns: the present time
 */
void vsched_node_set_share(struct vsched_tree *tree, struct vsched_node *node,
			   unsigned int weight, unsigned int priority, u64 now_ns);

/**
 * vsched_node_set_minimum() - what a node gets before its siblings share
 * @tree: the node's tree
 * @node: the node, in any state, not the root
 * @floor: memory for it, which was given to vsched_floor_init() for its place
 *	among them (@up), and stays the node's until that ends
 * @rate: bytes per second, VSCHED_RATE_MIN..VSCHED_RATE_LIMIT; 0: none
 * @burst: bytes, of which half may be saved up while it is idle
 * @now_ns: the present time
 *
 * It is the caller who sees to it that there is so much, as far as that is to hold.
 */
void vsched_node_set_minimum(struct vsched_tree *tree, struct vsched_node *node,
			     struct vsched_floor *floor, u64 rate, u64 burst,
			     u64 now_ns);

/**
 * vsched_node_set_own_share() - those of a p_queue among the nodes below
 * @node: the node, in any state
 * @weight: 1 to VSCHED_WEIGHT_MAX
 * @priority: below VSCHED_PRIORITIES
 */
void vsched_node_set_own_share(struct vsched_node *node, unsigned int weight,
			       unsigned int priority);

/**
 * vsched_node_move() - move a node with all below it
 * @tree: the tree of both parents
 * @node: the node, in any state, not the root
 * @parent: neither @node nor below it; it has a @fair
 * @now_ns: the present time
 */
void vsched_node_move(struct vsched_tree *tree, struct vsched_node *node,
		      struct vsched_node *parent, u64 now_ns);

/**
 * struct vsched_path - what the path from a node to the wire is like
 * @rate: the least rate, VSCHED_RATE_MAX if there is no clock
 * @longest: bytes of the longest packet that keeps every burst, U32_MAX likewise
 */
struct vsched_path {
	u64 rate;
	u32 longest;
};

void vsched_path_get(const struct vsched_node *node, struct vsched_path *path);

/* Is a packet short enough for every burst on the way from @node to the wire? */
static inline bool vsched_keeps_bursts(const struct vsched_node *node, u32 bytes)
{
	for (; node; node = node->parent)
		if (node->clock.longest < bytes)
			return false;
	return true;
}

/* Is no clock on the way from @node to the wire? */
static inline bool vsched_is_clockless(const struct vsched_node *node)
{
	while (node && node->clock.rate == VSCHED_RATE_MAX)
		node = node->parent;
	return !node;
}

/**
 * vsched_node_part() - what a node's clock lets out while others of its group want to send, too
 * @node: a node
 *
 * Return: bytes per second: the rate, divided by the clocks of the group that are waited for, this
 * one included. It may be 0.
 */
u64 vsched_node_part(const struct vsched_node *node);

/**
 * vsched_is_free() - would vsched_pass() let a packet pass at any time?
 * @tree: the tree
 * @node: the node it belongs to
 *
 * It charges nothing then: there is no need to ask what time it is.
 * Return: true if no clock is on the path, and nothing waits in the tree.
 */
static inline bool vsched_is_free(const struct vsched_tree *tree,
				  const struct vsched_node *node)
{
	return vsched_node_idle(tree->root) && !rb_first_cached(&tree->waiting) &&
	       vsched_is_clockless(node);
}

/**
 * vsched_pass() - let a packet pass without queueing, if that changes nothing
 * @tree: the tree
 * @node: the node it belongs to
 * @bytes: on the wire
 * @now_ns: the present time
 *
 * It does so only if all clocks on the path are ready and no packet in the
 * tree could leave now. Then no contender is active on the path, and the shares need
 * no update: a lone contender is neither ahead nor behind.
 * Return: true if the packet is to go now; the path's clocks are charged.
 */
bool vsched_pass(struct vsched_tree *tree, struct vsched_node *node, u32 bytes,
		 u64 now_ns);

/**
 * vsched_advance() - pay for packets that are yet to come
 * @tree: the tree
 * @node: the node they belong to; vsched_pass() has just let one pass
 * @least: bytes of a packet; less is not worth it
 * @now_ns: the present time
 *
 * All clocks on the path pay of what they have saved up, as if the packets left
 * now; they may leave without asking then, at any time. If a clock is set, or a node
 * moves or ends, what is left of advances on its path is returned before.
 * Return: how many bytes; 0 if too little is saved up, or no clock is on the path.
 */
u32 vsched_advance(struct vsched_tree *tree, struct vsched_node *node,
		   u32 least, u64 now_ns);

/* Does a node have no advance of @least bytes because too much is out? */
bool vsched_advance_is_out(const struct vsched_node *node, u32 least);

/* @bytes of an advance have left by now; until this is reported they are not saved up again. */
void vsched_advance_use(struct vsched_node *node, u32 bytes, u64 now_ns);

/* @bytes of an advance will not leave. */
void vsched_advance_return(struct vsched_tree *tree, struct vsched_node *node,
			   u32 bytes, u64 now_ns);

/* Return an advance if another packet waits for it? See struct vsched_tree.recall. */
bool vsched_advance_recalled(const struct vsched_node *node);

/* @bytes have left without a reservation: charge them now. */
void vsched_overdraw(struct vsched_tree *tree, struct vsched_node *node,
		     u32 bytes, u64 now_ns);

/**
 * vsched_backlog() - a packet was queued in a node's p_queue
 * @tree: the tree
 * @node: the node
 * @bytes: of the packet, for the nodes that drain it
 * @now_ns: the present time
 */
void vsched_backlog(struct vsched_tree *tree, struct vsched_node *node,
		    u32 bytes, u64 now_ns);

/**
 * vsched_pick() - find the p_queue whose packet may leave now
 * @tree: the tree
 * @now_ns: the present time
 *
 * The caller takes a packet and calls vsched_sent() before anything else.
 * If more than VSCHED_RELEASE_MAX clocks have become ready since the last
 * call, the rest is seen by the next ones. So is the rest if more nodes than that are to wait
 * again, after vsched_tree_set_open().
 * Return: the node, or NULL if none may leave.
 */
struct vsched_node *vsched_pick(struct vsched_tree *tree, u64 now_ns);

/**
 * vsched_sent() - account for what the picked p_queue gave
 * @tree: the tree
 * @node: what vsched_pick() returned
 * @bytes: of the packet, 0 if there was none
 * @more: the p_queue has more
 * @now_ns: as for vsched_pick()
 */
void vsched_sent(struct vsched_tree *tree, struct vsched_node *node,
		 u32 bytes, bool more, u64 now_ns);

static inline struct vsched_node *vsched_node_of_wait(struct rb_node *rb)
{
	return rb_entry(rb, struct vsched_node, wait);
}

/* Return the waiting node whose clock is ready first; NULL if none waits. */
static inline struct vsched_node *vsched_first_waiting(const struct vsched_tree *tree)
{
	struct rb_node *rb = rb_first_cached(&tree->waiting);

	return rb ? vsched_node_of_wait(rb) : NULL;
}

/* Does a node have an active contender? */
static inline bool vsched_has_contenders(const struct vsched_node *node)
{
	return node->fair ? !vsched_fair_empty(node->fair) : node->backlogged;
}

/* May a packet leave, as far as is known without the time? */
static inline bool vsched_root_ready(const struct vsched_tree *tree)
{
	return vsched_has_contenders(tree->root) && !tree->root->waiting;
}

/*
 * vsched_next_ns() of a tree in which nothing waits. Where all that waits does so for clocks
 * that stand still it is VSCHED_STOPPED_NS or later.
 */
#define VSCHED_NEVER	(~0ULL)

/**
 * vsched_next_ns() - when vsched_pick() will have something to do
 * @tree: the tree
 *
 * Return: a time, 0 for at once, VSCHED_NEVER if nothing waits.
 */
static inline u64 vsched_next_ns(const struct vsched_tree *tree)
{
	const struct vsched_node *first = vsched_first_waiting(tree);

	if (vsched_root_ready(tree) || (first && tree->open))
		return 0;
	return first ? first->until->paid_ns : VSCHED_NEVER;
}

/**
 * vsched_is_next() - is a node's packet the next one to leave?
 * @tree: the tree
 * @node: a node with queued packets
 *
 * That is, unless others are queued before any clock is ready. In doubt it is.
 */
bool vsched_is_next(const struct vsched_tree *tree, const struct vsched_node *node);

/**
 * vsched_late_ns() - how much later vsched_pick() may be called, to find more
 * @tree: the tree
 * @most: at most so much
 *
 * At most half of what each clock on the path of packets due by then can save up, so no clock
 * loses credit: the other half is for the delay of the call itself. Packets that are due later, or
 * do not wait, do not count. There is more if the clock that is ready first can send the longest
 * of its recent packets twice, or another clock is ready by then.
 * Return: nanoseconds after vsched_next_ns(); 0 if there would not be more.
 */
u64 vsched_late_ns(const struct vsched_tree *tree, u64 most);

#endif
