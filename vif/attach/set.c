// SPDX-License-Identifier: GPL-2.0
#include "set.h"

#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "../queue/account.h"
#include "../tree/dev.h"
#include "../tree/net.h"
#include "../tree/vif.h"

/* An entry's VIF, unless its device has gone. Caller holds rcu_read_lock(). */
static struct vif *vif_of(const struct vif_set_entry *entry)
{
	struct vif *vif = rcu_dereference(entry->vif);

	return vif && !vif_dev_is_gone(vif->dev) ? vif : NULL;
}

static void vif_set_count_vif(const struct vif_set *set, const struct vif *vif, int n)
{
	atomic_add(n, &vif->dev->in_sets);
	if (set->level == VIF_LEVEL_NONE)
		return;
	atomic_add(n, &vif->dev->net->grouped);
	vif_levels_count(&vif->dev->levels, set->level, n);
}

/* The last moment at which its device is known. */
static void vif_set_drop_vif(const struct vif_set *set, struct vif *vif)
{
	if (!vif)
		return;
	vif_set_count_vif(set, vif, -1);
	vif_put(vif);
}

void vif_set_put(struct vif_set *set)
{
	unsigned int i;

	if (!set || !refcount_dec_and_test(&set->refs))
		return;
	for (i = 0; i < set->count; i++)
		vif_set_drop_vif(set, rcu_dereference_protected(set->entry[i].vif, true));
	kfree_rcu(set, rcu);
}

void vif_set_find(const struct vif_set *set, const struct vif_dev *vdev,
		  struct vif *found[VIF_ORIGINS])
{
	unsigned int i;

	found[VIF_BY_ADMIN] = NULL;
	found[VIF_BY_USER] = NULL;
	for (i = 0; set && i < set->count; i++) {
		struct vif *vif = rcu_dereference(set->entry[i].vif);

		if (vif && vif->dev == vdev)
			found[set->entry[i].origin] = vif;
	}
}

/* Return the user's choice, or else the administrator's. */
static struct vif *vif_set_find_shown(const struct vif_set *set, const struct vif_dev *vdev)
{
	struct vif *found[VIF_ORIGINS];

	vif_set_find(set, vdev, found);
	return found[VIF_BY_USER] ?: found[VIF_BY_ADMIN];
}

unsigned int vif_set_count(const struct vif_set *set, const struct vif_net *vn)
{
	unsigned int i, count = 0;

	for (i = 0; set && i < set->count; i++) {
		struct vif *vif = vif_of(&set->entry[i]);

		if (vif && (!vn || vif->dev->net == vn))
			count++;
	}
	return count;
}

bool vif_set_has(const struct vif_set *set, const struct vif *vif)
{
	unsigned int i;

	for (i = 0; set && i < set->count; i++)
		if (rcu_dereference(set->entry[i].vif) == vif)
			return true;
	return false;
}

struct vif *vif_set_next(const struct vif_set *set, const struct vif_net *vn,
			 unsigned int *index)
{
	for (; set && *index < set->count; ++*index) {
		struct vif *vif = vif_of(&set->entry[*index]);

		if (vif && vif->dev->net == vn && vif_set_find_shown(set, vif->dev) == vif)
			return vif;
	}
	return NULL;
}

struct vif *vif_set_shown_on(const struct vif_set *set, const struct vif_net *vn,
			     u64 root_ino)
{
	unsigned int i;

	for (i = 0; set && i < set->count; i++) {
		struct vif *vif = vif_of(&set->entry[i]);

		if (vif && vif->dev->net == vn && vif->dev->root->ino == root_ino)
			return vif_set_find_shown(set, vif->dev);
	}
	return NULL;
}

/* Does a change by @origin remove an entry? */
static bool vif_set_is_replaced(const struct vif_set_entry *entry, const struct vif *vif,
				const struct vif_dev *vdev, enum vif_origin origin)
{
	return vif->dev == vdev && (origin == VIF_BY_ADMIN || entry->origin == origin);
}

static void vif_set_append(struct vif_set *set, struct vif *vif, enum vif_origin origin)
{
	struct vif_set_entry *entry = &set->entry[set->count++];

	vif_set_count_vif(set, vif, 1);
	RCU_INIT_POINTER(entry->vif, vif_get(vif));
	entry->origin = origin;
}

void vif_set_forget(struct vif_set *set)
{
	unsigned int i;

	for (i = 0; set && i < set->count; i++) {
		struct vif *vif = rcu_dereference(set->entry[i].vif);

		if (vif && !vif_of(&set->entry[i])) {
			rcu_assign_pointer(set->entry[i].vif, NULL);
			vif_set_drop_vif(set, vif);
		}
	}
}

struct vif_set *vif_set_change(struct vif_set *set,
			       const struct vif_dev *vdev, enum vif_origin origin,
			       struct vif *new, int level)
{
	unsigned int i, had = set ? set->count : 0;
	struct vif_set *copy;

	copy = kzalloc(struct_size(copy, entry, had + 1), VIF_GFP);
	if (!copy)
		return NULL;
	refcount_set(&copy->refs, 1);
	copy->level = level;
	rcu_read_lock();
	/* a walk may miss children that share the set: they may be entered behind the walk */
	vif_set_forget(set);
	for (i = 0; i < had; i++) {
		struct vif *vif = rcu_dereference(set->entry[i].vif);

		if (vif && !vif_set_is_replaced(&set->entry[i], vif, vdev, origin))
			vif_set_append(copy, vif, set->entry[i].origin);
	}
	rcu_read_unlock();
	if (new)
		vif_set_append(copy, new, origin);
	return copy;
}

void vif_set_count_in(const struct vif_set *set)
{
	unsigned int i;

	for (i = 0; set && i < set->count; i++) {
		struct vif *vif = rcu_dereference(set->entry[i].vif);

		if (vif)
			atomic_inc(&vif->attached);
	}
}

void vif_set_count_out(const struct vif_set *set)
{
	unsigned int i;

	for (i = 0; set && i < set->count; i++) {
		struct vif *vif = rcu_dereference(set->entry[i].vif);

		if (vif)
			vif_detached(vif);
	}
}

/*
 * Each VIF of a set is charged once, to the user who attached it first. An attachment that is gone
 * is not charged. But the entry itself is, until it ends: the last charge stays for it.
 */

/**
 * struct vif_set_charge - the charge for one VIF of a subject's set
 * @node: among the subject's
 * @account: the charged account
 * @vdev: the VIF's device, an address to compare; NULL: for the entry itself, which has no
 *	other charge left
 * @origin: the VIF's
 */
struct vif_set_charge {
	struct hlist_node node;
	struct vif_account *account;
	const struct vif_dev *vdev;
	enum vif_origin origin;
};

static void vif_free_charge(struct vif_set_charge *charge)
{
	hlist_del(&charge->node);
	vif_account_uncharge(charge->account, VIF_CHARGE_ATTACHMENT);
	kfree(charge);
}

static struct vif_set_charge *vif_find_charge(struct hlist_head *charges,
					      const struct vif_dev *vdev, enum vif_origin origin)
{
	struct vif_set_charge *charge;

	hlist_for_each_entry(charge, charges, node)
		if (!charge->vdev || (charge->vdev == vdev && charge->origin == origin))
			return charge;
	return NULL;
}

int vif_charge_attachment(struct hlist_head *charges, const struct vif_dev *vdev,
			  enum vif_origin origin)
{
	struct vif_set_charge *charge = vif_find_charge(charges, vdev, origin);
	struct vif_account *account;

	if (!charge) {
		account = vif_account_charge(VIF_CHARGE_ATTACHMENT, 1);
		if (IS_ERR_OR_NULL(account))
			return PTR_ERR_OR_ZERO(account);
		charge = kzalloc(sizeof(*charge), VIF_GFP);
		if (!charge) {
			vif_account_uncharge(account, VIF_CHARGE_ATTACHMENT);
			return -ENOMEM;
		}
		charge->account = account;
		hlist_add_head(&charge->node, charges);
	}
	charge->vdev = vdev;
	charge->origin = origin;
	return 0;
}

static bool vif_charge_is_for(const struct vif_set_charge *charge, const struct vif_set *set)
{
	struct vif *vif[VIF_ORIGINS];

	vif_set_find(set, charge->vdev, vif);
	return vif[charge->origin];
}

void vif_charge_settle(struct hlist_head *charges, const struct vif_set *set)
{
	struct vif_set_charge *charge;
	struct hlist_node *next;

	hlist_for_each_entry_safe(charge, next, charges, node) {
		if (!charge->vdev || vif_charge_is_for(charge, set))
			continue;
		if (hlist_is_singular_node(&charge->node, charges))
			charge->vdev = NULL;
		else
			vif_free_charge(charge);
	}
}

void vif_charge_free(struct hlist_head *charges)
{
	struct vif_set_charge *charge;
	struct hlist_node *next;

	hlist_for_each_entry_safe(charge, next, charges, node)
		vif_free_charge(charge);
}
