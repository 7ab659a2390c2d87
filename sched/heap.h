/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A priority queue of 64-bit keys: a leftist heap, after C. A. Crane,
 * "Linear lists and priority queues as balanced binary trees", 1972.
 *
 * Insertion, removal of the least element and removal of any element cost
 * O(log n) in the worst case, need no memory beyond the element, and never
 * fail. Keys are compared modulo 2^64: all keys in a heap lie within 2^63.
 * The caller serializes.
 */
#ifndef NETNICE_SCHED_HEAP_H
#define NETNICE_SCHED_HEAP_H

#include <linux/types.h>

/**
 * struct vsched_heap_node - an element
 * @key: order; not to be changed while the element is in a heap
 * @left: subtree
 * @right: subtree, never of greater @dist than @left
 * @parent: NULL in the root
 * @heap: the heap the element is in, NULL in none
 * @dist: nodes on the way along @right to a free place
 */
struct vsched_heap_node {
	u64 key;
	struct vsched_heap_node *left;
	struct vsched_heap_node *right;
	struct vsched_heap_node *parent;
	struct vsched_heap *heap;
	unsigned int dist;
};

/**
 * struct vsched_heap - the queue; all zero is an empty one
 * @root: the least element
 */
struct vsched_heap {
	struct vsched_heap_node *root;
};

static inline bool vsched_heap_empty(const struct vsched_heap *heap)
{
	return !heap->root;
}

static inline struct vsched_heap_node *
vsched_heap_min(const struct vsched_heap *heap)
{
	return heap->root;
}

/* Is @node in a heap? */
static inline bool vsched_heap_queued(const struct vsched_heap_node *node)
{
	return node->heap;
}

/* Does key @a come before key @b? */
static inline bool vsched_key_before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

/**
 * vsched_heap_add() - insert an element
 * @heap: where; among equal keys the elder one comes first
 * @node: an element that is in no heap
 * @key: its key
 */
void vsched_heap_add(struct vsched_heap *heap, struct vsched_heap_node *node,
		     u64 key);

/**
 * vsched_heap_del() - remove an element from the heap it is in
 * @node: the element; nothing happens if it is in none
 */
void vsched_heap_del(struct vsched_heap_node *node);

#endif
