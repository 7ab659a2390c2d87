// SPDX-License-Identifier: GPL-2.0
#include <linux/container_of.h>

#include "node.h"

void vsched_node_init(struct vsched_node *node, struct vsched_node *parent)
{
	*node = (struct vsched_node) {
		.parent = parent,
		.up.node = node,
	};
	vsched_clock_init(&node->clock);
}

void vsched_tree_init(struct vsched_tree *tree, struct vsched_node *root)
{
	*tree = (struct vsched_tree) {
		.root = root,
	};
}

static bool node_may_send(const struct vsched_tree *tree,
			  const struct vsched_node *node, u64 now_ns)
{
	return tree->open || vsched_clock_ready(&node->clock, now_ns);
}

/*
 * A contender that was away starts at the present virtual time: it can not
 * save up what it did not use, nor is what it has sent forgotten.
 */
static void contend(struct vsched_node *node, struct vsched_contender *c)
{
	u64 start = c->finish;

	if (vsched_key_before(start, node->vtime))
		start = node->vtime;
	vsched_heap_add(&node->ready, &c->ready, start);
}

/*
 * Bring a node, and those above it, into the state that its contenders and
 * its clock call for. Stops where nothing changes any more.
 */
static void settle(struct vsched_tree *tree, struct vsched_node *node,
		   u64 now_ns)
{
	for (; node; node = node->parent) {
		bool busy = !vsched_heap_empty(&node->ready);
		bool ready = busy && node_may_send(tree, node, now_ns);
		bool was_ready = vsched_heap_queued(&node->up.ready);

		vsched_heap_del(&node->wait);
		if (busy && !ready)
			vsched_heap_add(&tree->waiting, &node->wait,
					node->clock.paid_ns);
		if (!node->parent || ready == was_ready)
			return;
		if (ready)
			contend(node->parent, &node->up);
		else
			vsched_heap_del(&node->up.ready);
	}
}

/* Wake up the nodes whose clock has become ready. */
static void release(struct vsched_tree *tree, u64 now_ns)
{
	struct vsched_heap_node *min;

	while ((min = vsched_heap_min(&tree->waiting)) &&
	       (tree->open || min->key <= now_ns))
		settle(tree, container_of(min, struct vsched_node, wait),
		       now_ns);
}

static bool root_ready(const struct vsched_tree *tree)
{
	const struct vsched_node *root = tree->root;

	return !vsched_heap_empty(&root->ready) &&
	       !vsched_heap_queued(&root->wait);
}

void vsched_tree_set_open(struct vsched_tree *tree, bool open)
{
	tree->open = open;
}

void vsched_node_set_clock(struct vsched_tree *tree, struct vsched_node *node,
			   u64 rate, u64 burst, u64 now_ns)
{
	vsched_clock_set(&node->clock, rate, burst, now_ns);
	settle(tree, node, now_ns);
}

void vsched_path_get(const struct vsched_node *node, struct vsched_path *path)
{
	path->rate = VSCHED_RATE_MAX;
	path->longest = ~0ULL;
	for (; node; node = node->parent) {
		if (node->clock.rate == VSCHED_RATE_MAX)
			continue;
		if (node->clock.rate < path->rate)
			path->rate = node->clock.rate;
		if (node->clock.slack_bytes < path->longest)
			path->longest = node->clock.slack_bytes;
	}
}

bool vsched_pass(struct vsched_tree *tree, struct vsched_node *node, u32 bytes,
		 u64 now_ns)
{
	struct vsched_heap_node *min = vsched_heap_min(&tree->waiting);
	struct vsched_node *n;

	if (root_ready(tree) || (min && min->key <= now_ns))
		return false;
	for (n = node; n; n = n->parent)
		if (!node_may_send(tree, n, now_ns))
			return false;
	for (n = node; n; n = n->parent)
		vsched_clock_charge(&n->clock, bytes, now_ns);
	return true;
}

void vsched_enqueue(struct vsched_tree *tree, struct vsched_node *node,
		    struct vsched_packet *packet, u64 now_ns)
{
	vsched_queue_add(&node->queue, packet);
	if (vsched_heap_queued(&node->own.ready))
		return;
	contend(node, &node->own);
	settle(tree, node, now_ns);
}

/* The contender has been served: account for it, and let it go on if it may. */
static void served(struct vsched_node *node, struct vsched_contender *c,
		   u32 bytes, bool more)
{
	node->vtime = c->ready.key;
	c->finish = c->ready.key + bytes;
	vsched_heap_del(&c->ready);
	if (more)
		contend(node, c);
}

struct vsched_packet *vsched_dequeue(struct vsched_tree *tree, u64 now_ns,
				     struct vsched_node **from)
{
	struct vsched_node *node = tree->root;
	struct vsched_contender *c;
	struct vsched_packet *packet;

	release(tree, now_ns);
	if (!root_ready(tree))
		return NULL;
	for (;;) {
		c = container_of(vsched_heap_min(&node->ready),
				 struct vsched_contender, ready);
		if (!c->node)
			break;
		node = c->node;
	}
	*from = node;
	packet = vsched_queue_del(&node->queue);
	served(node, c, packet->bytes, node->queue.head);
	for (; node; node = node->parent) {
		bool busy = !vsched_heap_empty(&node->ready);
		bool ready;

		if (!tree->open)
			vsched_clock_charge(&node->clock, packet->bytes,
					    now_ns);
		ready = busy && node_may_send(tree, node, now_ns);
		if (busy && !ready)
			vsched_heap_add(&tree->waiting, &node->wait,
					node->clock.paid_ns);
		if (node->parent)
			served(node->parent, &node->up, packet->bytes, ready);
	}
	return packet;
}

u64 vsched_next_ns(const struct vsched_tree *tree)
{
	if (root_ready(tree))
		return 0;
	if (vsched_heap_empty(&tree->waiting))
		return VSCHED_NEVER;
	return vsched_heap_min(&tree->waiting)->key;
}
