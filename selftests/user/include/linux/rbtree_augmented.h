/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_LINUX_RBTREE_AUGMENTED_H
#define LAB_LINUX_RBTREE_AUGMENTED_H

#include <linux/rbtree.h>

/**
 * struct rb_augment_callbacks - keep what nodes know of their subtrees
 * @propagate: from a node up, to a node that is not looked at any more
 * @rotate: the second one takes the first one's place, and that is now
 *	below it
 */
struct rb_augment_callbacks {
	void (*propagate)(struct rb_node *from, struct rb_node *to);
	void (*rotate)(struct rb_node *down, struct rb_node *up);
};

void rb_insert_augmented_cached(struct rb_node *node,
				struct rb_root_cached *root, bool leftmost,
				const struct rb_augment_callbacks *augment);
void rb_erase_augmented_cached(struct rb_node *node,
			       struct rb_root_cached *root,
			       const struct rb_augment_callbacks *augment);

/* @compute(node, stop): true if @stop and nothing has changed */
#define RB_DECLARE_CALLBACKS(scope, name, type, member, known, compute) \
static void name##_propagate(struct rb_node *from, struct rb_node *to) \
{ \
	for (; from != to; from = from->up) \
		if (compute(rb_entry(from, type, member), true)) \
			return; \
} \
\
static void name##_rotate(struct rb_node *down, struct rb_node *up) \
{ \
	rb_entry(up, type, member)->known = \
		rb_entry(down, type, member)->known; \
	compute(rb_entry(down, type, member), false); \
} \
\
scope const struct rb_augment_callbacks name = { \
	.propagate = name##_propagate, \
	.rotate = name##_rotate, \
};

#endif
