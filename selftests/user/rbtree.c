// SPDX-License-Identifier: GPL-2.0
#include <linux/rbtree_augmented.h>

u64 lab_tree_work;

/* The same sequence in each run: nothing here is secret. */
static u32 random_rank(void)
{
	static u32 x = 2463534242U;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

static struct rb_node **link_of(struct rb_root_cached *root,
				const struct rb_node *node)
{
	if (!node->up)
		return &root->rb_root.rb_node;
	return node->up->rb_left == node ? &node->up->rb_left :
					   &node->up->rb_right;
}

static void set_up(struct rb_node *node, struct rb_node *up)
{
	if (node)
		node->up = up;
}

/* A node takes its parent's place. */
static void rise(struct rb_root_cached *root, struct rb_node *node,
		 const struct rb_augment_callbacks *augment)
{
	struct rb_node *down = node->up, **link = link_of(root, down);

	lab_tree_work++;
	if (down->rb_left == node) {
		down->rb_left = node->rb_right;
		set_up(down->rb_left, down);
		node->rb_right = down;
	} else {
		down->rb_right = node->rb_left;
		set_up(down->rb_right, down);
		node->rb_left = down;
	}
	*link = node;
	node->up = down->up;
	down->up = node;
	if (augment)
		augment->rotate(down, node);
}

struct rb_node *rb_next(const struct rb_node *node)
{
	struct rb_node *next = node->rb_right;

	if (next) {
		while (next->rb_left)
			next = next->rb_left;
		return next;
	}
	while (node->up && node->up->rb_right == node)
		node = node->up;
	return node->up;
}

void rb_link_node(struct rb_node *node, struct rb_node *parent,
		  struct rb_node **link)
{
	lab_tree_work++;
	*node = (struct rb_node) {
		.up = parent,
		.rank = random_rank(),
	};
	*link = node;
}

static void insert(struct rb_node *node, struct rb_root_cached *root,
		   bool leftmost, const struct rb_augment_callbacks *augment)
{
	if (leftmost)
		root->rb_leftmost = node;
	while (node->up && node->up->rank < node->rank)
		rise(root, node, augment);
}

static struct rb_node *higher_child(const struct rb_node *node)
{
	if (!node->rb_left || !node->rb_right)
		return node->rb_left ?: node->rb_right;
	return node->rb_left->rank > node->rb_right->rank ? node->rb_left :
							    node->rb_right;
}

static void erase(struct rb_node *node, struct rb_root_cached *root,
		  const struct rb_augment_callbacks *augment)
{
	struct rb_node *child;

	if (root->rb_leftmost == node)
		root->rb_leftmost = rb_next(node);
	while ((child = higher_child(node)))
		rise(root, child, augment);
	lab_tree_work++;
	*link_of(root, node) = NULL;
	if (augment)
		augment->propagate(node->up, NULL);
}

void rb_insert_color_cached(struct rb_node *node, struct rb_root_cached *root,
			    bool leftmost)
{
	insert(node, root, leftmost, NULL);
}

void rb_erase_cached(struct rb_node *node, struct rb_root_cached *root)
{
	erase(node, root, NULL);
}

void rb_insert_augmented_cached(struct rb_node *node,
				struct rb_root_cached *root, bool leftmost,
				const struct rb_augment_callbacks *augment)
{
	insert(node, root, leftmost, augment);
}

void rb_erase_augmented_cached(struct rb_node *node,
			       struct rb_root_cached *root,
			       const struct rb_augment_callbacks *augment)
{
	erase(node, root, augment);
}
