/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Search trees with the kernel's interface, as far as the core uses it.
 * Behind it is a treap: each node has a random rank, and none has a higher
 * one than its parent, which makes the depth logarithmic whatever comes.
 */
#ifndef LAB_LINUX_RBTREE_H
#define LAB_LINUX_RBTREE_H

#include <linux/container_of.h>
#include <linux/types.h>

struct rb_node {
	struct rb_node *rb_left;
	struct rb_node *rb_right;
	struct rb_node *up;
	u32 rank;
};

struct rb_root {
	struct rb_node *rb_node;
};

struct rb_root_cached {
	struct rb_root rb_root;
	struct rb_node *rb_leftmost;
};

#define RB_ROOT_CACHED (struct rb_root_cached) { }

#define rb_entry(ptr, type, member) container_of(ptr, type, member)

#define rb_entry_safe(ptr, type, member) \
	({ __auto_type ptr_ = (ptr); \
	   ptr_ ? rb_entry(ptr_, type, member) : NULL; })

#define rb_first_cached(root) ((root)->rb_leftmost)

/* How many times a node of any tree was linked, turned or taken out. */
extern u64 lab_tree_work;

struct rb_node *rb_next(const struct rb_node *node);
void rb_link_node(struct rb_node *node, struct rb_node *parent,
		  struct rb_node **link);
void rb_insert_color_cached(struct rb_node *node, struct rb_root_cached *root,
			    bool leftmost);
void rb_erase_cached(struct rb_node *node, struct rb_root_cached *root);

static inline void rb_add_cached(struct rb_node *node,
				 struct rb_root_cached *root,
				 bool (*less)(struct rb_node *,
					      const struct rb_node *))
{
	struct rb_node **link = &root->rb_root.rb_node, *parent = NULL;
	bool leftmost = true;

	while (*link) {
		parent = *link;
		if (less(node, parent)) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	rb_link_node(node, parent, link);
	rb_insert_color_cached(node, root, leftmost);
}

#endif
