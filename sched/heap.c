// SPDX-License-Identifier: GPL-2.0
#include "heap.h"

static unsigned int dist(const struct vsched_heap_node *node)
{
	return node ? node->dist : 0;
}

/* Put the longer way on the left; true if the distance has changed. */
static bool lean(struct vsched_heap_node *node)
{
	struct vsched_heap_node *right = node->right;
	unsigned int old = node->dist;

	if (dist(node->left) < dist(right)) {
		node->right = node->left;
		node->left = right;
	}
	node->dist = dist(node->right) + 1;
	return node->dist != old;
}

/*
 * Merge along the right spines, which are short, then restore the leaning on
 * the way back. Of equal keys the one in @a comes first.
 */
static struct vsched_heap_node *merge(struct vsched_heap_node *a,
				      struct vsched_heap_node *b)
{
	struct vsched_heap_node *root = NULL, *tail = NULL, *node;

	while (a && b) {
		bool from_b = vsched_key_before(b->key, a->key);

		node = from_b ? b : a;
		node->parent = tail;
		if (tail)
			tail->right = node;
		else
			root = node;
		tail = node;
		if (from_b)
			b = b->right;
		else
			a = a->right;
	}
	node = a ? a : b;
	if (!tail) {
		if (node)
			node->parent = NULL;
		return node;
	}
	tail->right = node;
	if (node)
		node->parent = tail;
	for (node = tail; node; node = node->parent)
		lean(node);
	return root;
}

void vsched_heap_add(struct vsched_heap *heap, struct vsched_heap_node *node,
		     u64 key)
{
	node->key = key;
	node->left = NULL;
	node->right = NULL;
	node->dist = 1;
	node->heap = heap;
	heap->root = merge(heap->root, node);
}

void vsched_heap_del(struct vsched_heap_node *node)
{
	struct vsched_heap_node *parent = node->parent, *below;

	if (!node->heap)
		return;
	below = merge(node->left, node->right);
	if (below)
		below->parent = parent;
	if (!parent)
		node->heap->root = below;
	else if (parent->left == node)
		parent->left = below;
	else
		parent->right = below;
	/* above the first unchanged distance nothing changes */
	while (parent && lean(parent))
		parent = parent->parent;
	node->heap = NULL;
	node->parent = NULL;
}
