// SPDX-License-Identifier: GPL-2.0
#include "find.h"

#include <linux/jhash.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>

#include "../queue/account.h"

/* VIFs of a device by parent and name. */
struct vif_find_key {
	const struct vif *parent;
	const char *name;
	size_t len;
};

static u32 vif_find_hash_name(const struct vif *parent, const char *name, size_t len,
			      u32 seed)
{
	return jhash(name, len, jhash(&parent, sizeof(parent), seed));
}

static u32 vif_find_hash_key(const void *data, u32 len, u32 seed)
{
	const struct vif_find_key *key = data;

	return vif_find_hash_name(key->parent, key->name, key->len, seed);
}

static u32 vif_find_hash_entry(const void *data, u32 len, u32 seed)
{
	const struct vif_name *name = data;

	return vif_find_hash_name(name->parent, name->text, strlen(name->text), seed);
}

static int vif_find_compare_name(struct rhashtable_compare_arg *arg, const void *obj)
{
	const struct vif_find_key *key = arg->key;
	const struct vif_name *name = obj;

	return name->parent != key->parent ||
	       strncmp(name->text, key->name, key->len) || name->text[key->len];
}

const struct rhashtable_params vif_names_params = {
	.head_offset = offsetof(struct vif_name, node),
	.hashfn = vif_find_hash_key,
	.obj_hashfn = vif_find_hash_entry,
	.obj_cmpfn = vif_find_compare_name,
	.automatic_shrinking = true,
};

struct vif *__vif_find_child(struct vif *parent, const char *name, size_t len)
{
	struct vif_find_key key = { parent, name, len };
	struct vif_name *found;

	vif_assert_tree_lock(parent);
	if (len > NETNICE_NAME_MAX)
		return NULL;
	found = rhashtable_lookup_fast(&parent->dev->names, &key,
				       vif_names_params);
	return found ? found->vif : NULL;
}

struct vif_name *__vif_enter(struct vif *vif, struct vif *parent,
			     const char *text, size_t len)
{
	struct vif_name *name;
	int err;

	vif_assert_tree_lock(parent);
	name = kzalloc(struct_size(name, text, len + 1), VIF_GFP);
	if (!name)
		return ERR_PTR(-ENOMEM);
	name->vif = vif;
	name->parent = parent;
	memcpy(name->text, text, len);
	err = xa_err(xa_store(&parent->children, vif->ino, vif,
			      VIF_GFP));
	if (err)
		goto free;
	err = rhashtable_insert_fast(&parent->dev->names, &name->node,
				     vif_names_params);
	if (!err)
		return name;
	if (vif->parent != parent || !vif->name)
		xa_erase(&parent->children, vif->ino);
free:
	kfree(name);
	return ERR_PTR(err);
}

void __vif_unname(struct vif *vif, struct vif_name *name)
{
	vif_assert_tree_lock(vif);
	rhashtable_remove_fast(&vif->dev->names, &name->node, vif_names_params);
}

/* The child that follows one, or, with none given, the first one. */
struct vif *__vif_child_after(struct vif *parent, u64 ino)
{
	unsigned long index = ino;

	return xa_find_after(&parent->children, &index, ULONG_MAX, XA_PRESENT);
}

struct vif *__vif_walk(const struct vif *root, struct vif *vif)
{
	struct vif *next = __vif_child_after(vif, 0);

	vif_assert_tree_lock(root);
	while (!next && vif != root) {
		next = __vif_child_after(vif->parent, vif->ino);
		vif = vif->parent;
	}
	return next;
}

bool vif_is_below(const struct vif *vif, const struct vif *top)
{
	while (vif && vif != top)
		vif = READ_ONCE(vif->parent);
	return vif;
}

struct vif *vif_lookup_child(struct vif *parent, const char *name, size_t len)
{
	struct vif *vif;

	mutex_lock(vif_tree_lock(parent));
	vif = __vif_find_child(parent, name, len);
	if (vif)
		vif_get(vif);
	mutex_unlock(vif_tree_lock(parent));
	return vif;
}

struct vif *vif_child_after(struct vif *parent, u64 ino)
{
	struct vif *vif;

	mutex_lock(vif_tree_lock(parent));
	vif = __vif_child_after(parent, ino);
	if (vif)
		vif_get(vif);
	mutex_unlock(vif_tree_lock(parent));
	return vif;
}
