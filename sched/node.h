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
 * A packet stays in its p_queue until every clock on its path is ready. Then it
 * passes all of them at once. So packets are chosen as late as possible, and
 * packets that a slow parent delays are in the fair queue, not in a line behind a
 * faster child. The d_queue (packets that a VIF has released and its parent has
 * not drained) is therefore not a list of its own: it is the node's place among
 * its parent's contenders.
 *
 * A node is in one of three states:
 *
 *	idle		no packet is queued in it or below it
 *	held		packets are queued, but the node's clock is not ready, or
 *			all nodes below are held
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
 * The cost is the depth, times the logarithm of the number of busy contenders at
 * each level. No memory is allocated. The caller serializes, and passes the time
 * in nanoseconds, which must not run backwards.
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
 * @waiting: it is in that tree
 * @deferred: its only contender was not ready when it was last served, and is active nevertheless:
 *	this node, or a node above, waits for it
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
 * struct vsched_tree - state that all nodes of a direction share
 * @root: the node that drains to the wire
 * @waiting: nodes that wait for a clock, by the time when it will be ready
 * @arrears: bytes that a clock makes up for that has waited for others, see clock.h
 * @open: clocks neither delay nor count packets
 * @shut: @open has ended while packets were queued: a node may be active although its clock is not
 *	ready
 * @recall: set when a node begins to wait although its clock has paid in advance; the caller clears
 *	it, and returns all advances for which vsched_advance_recalled() is true
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
 * vsched_tree_set_open() - let all packets leave, or end that
 * @tree: the tree
 * @open: clocks neither delay nor count packets that leave
 *
 * Packets that are still queued at the end wait for their clocks from then on.
 */
void vsched_tree_set_open(struct vsched_tree *tree, bool open);

/**
 * vsched_node_init() - initialize a node
 * @node: the node; it is idle, without a clock, and of default shares
 * @parent: the node that drains it, which has a @fair; NULL for the root
 */
void vsched_node_init(struct vsched_node *node, struct vsched_node *parent);

/**
 * vsched_node_exit() - end a node
 * @node: the node; it is idle, and no node is below it
 *
 * If its parent still knows that it has had more than its share, this is forgotten. Packets may
 * pass it until it is freed, but not queue.
 */
void vsched_node_exit(struct vsched_node *node);

/**
 * vsched_node_set_fair() - prepare a node for nodes below it
 * @node: the node, which has no @fair yet, in any state
 * @fair: memory for it, zeroed; the caller's to free when the node ends
 */
void vsched_node_set_fair(struct vsched_node *node, struct vsched_fair *fair);

/* Is no packet queued in @node or below it? */
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
 * vsched_node_set_share() - set weight and priority of a node among its siblings
 * @tree: the node's tree
 * @node: the node, in any state
 * @weight: 1 to VSCHED_WEIGHT_MAX
 * @priority: below VSCHED_PRIORITIES
 * @now_ns: the present time
 */
void vsched_node_set_share(struct vsched_tree *tree, struct vsched_node *node,
			   unsigned int weight, unsigned int priority, u64 now_ns);

/**
 * vsched_node_set_minimum() - set a node's minimum
 * @tree: the node's tree
 * @node: the node, in any state, not the root
 * @floor: memory for it, which was given to vsched_floor_init() for its place
 *	among them (@up), and stays the node's until that ends
 * @rate: bytes per second, VSCHED_RATE_MIN..VSCHED_RATE_LIMIT; 0: none
 * @burst: bytes, of which half may be saved up while it is idle
 * @now_ns: the present time
 *
 * The caller checks that the minima of siblings are backed.
 */
void vsched_node_set_minimum(struct vsched_tree *tree, struct vsched_node *node,
			     struct vsched_floor *floor, u64 rate, u64 burst,
			     u64 now_ns);

/**
 * vsched_node_set_own_share() - set weight and priority of a p_queue among the nodes below
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
 * struct vsched_path - the path from a node to the wire
 * @rate: the lowest rate, VSCHED_RATE_MAX if there is no clock
 * @longest: bytes of the longest packet that fits into every burst, U32_MAX if there is no clock
 */
struct vsched_path {
	u64 rate;
	u32 longest;
};

void vsched_path_get(const struct vsched_node *node, struct vsched_path *path);

/* Is a packet short enough for every burst on the path from @node to the wire? */
static inline bool vsched_keeps_bursts(const struct vsched_node *node, u32 bytes)
{
	for (; node; node = node->parent)
		if (node->clock.longest < bytes)
			return false;
	return true;
}

/* Is no clock on the path from @node to the wire? */
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
 * It charges nothing then, so the caller need not read the time.
 * Return: true if no clock is on the path, and no packet is queued in the tree.
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
 * Return: true if the packet may leave now; the path's clocks are charged.
 */
bool vsched_pass(struct vsched_tree *tree, struct vsched_node *node, u32 bytes,
		 u64 now_ns);

/**
 * vsched_advance() - charge clocks for future packets
 * @tree: the tree
 * @node: the packets' node; vsched_pass() has just let a packet pass
 * @least: bytes of a packet: a smaller advance is not made
 * @now_ns: the present time
 *
 * All clocks on the path pay from their credit, as if the packets left now. Then packets of this
 * size may leave at any time, without a call. The rest of advances on a path must be returned
 * before a clock there is set, or a node moves or ends.
 * Return: bytes of the advance; 0 if there is too little credit, or no clock is on the path.
 */
u32 vsched_advance(struct vsched_tree *tree, struct vsched_node *node,
		   u32 least, u64 now_ns);

/* Gets a node no advance of @least bytes because earlier advances have not been used yet? */
bool vsched_advance_is_out(const struct vsched_node *node, u32 least);

/* Report that @bytes of an advance have left: only then the clocks save them up again. */
void vsched_advance_use(struct vsched_node *node, u32 bytes, u64 now_ns);

/* Return @bytes of an advance, which will not leave. */
void vsched_advance_return(struct vsched_tree *tree, struct vsched_node *node,
			   u32 bytes, u64 now_ns);

/*
 * Must a node's advance be returned, because another packet waits? See struct vsched_tree.recall.
 */
bool vsched_advance_recalled(const struct vsched_node *node);

/* Charge @bytes that have left without a check. */
void vsched_overdraw(struct vsched_tree *tree, struct vsched_node *node,
		     u32 bytes, u64 now_ns);

/**
 * vsched_backlog() - note that a packet was queued in a node's p_queue
 * @tree: the tree
 * @node: the node
 * @bytes: bytes of the packet
 * @now_ns: the present time
 */
void vsched_backlog(struct vsched_tree *tree, struct vsched_node *node,
		    u32 bytes, u64 now_ns);

/**
 * vsched_pick() - find the p_queue whose packet may leave now
 * @tree: the tree
 * @now_ns: the present time
 *
 * The caller takes a packet and calls vsched_sent() before anything else. A call handles at most
 * VSCHED_RELEASE_MAX clocks that have become ready; the next calls handle the rest. The same bound
 * applies to nodes that wait again after vsched_tree_set_open().
 * Return: the node, or NULL if none may leave.
 */
struct vsched_node *vsched_pick(struct vsched_tree *tree, u64 now_ns);

/**
 * vsched_sent() - account for the packet that was taken out of the picked p_queue
 * @tree: the tree
 * @node: result of vsched_pick()
 * @bytes: bytes of the packet, 0 if there was none
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
 * The result of vsched_next_ns() if no packet is queued. If all queued packets wait for stopped
 * clocks, the result is VSCHED_STOPPED_NS or later.
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
