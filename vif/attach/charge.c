// SPDX-License-Identifier: GPL-2.0
/*
 * Each VIF of a set is charged once, to the user who attached it first. Attachments that are gone
 * cost nothing. But the entry does, until it ends: the last charge stays for it.
 */
#include "charge.h"

#include <linux/err.h>
#include <linux/slab.h>

#include "../queue/account.h"

/**
 * struct charge - the charge for one VIF of a subject's set
 * @node: among the subject's
 * @account: the charged account
 * @vdev: the VIF's device, an address to compare; NULL: for the entry itself, which has no
 *	other charge left
 * @origin: the VIF's
 */
struct charge {
	struct hlist_node node;
	struct vif_account *account;
	const struct vif_dev *vdev;
	enum vif_origin origin;
};

static void vif_free_charge(struct charge *charge)
{
	hlist_del(&charge->node);
	vif_account_uncharge(charge->account, VIF_CHARGE_ATTACHMENT);
	kfree(charge);
}

static struct charge *vif_find_charge(struct hlist_head *charges,
				      const struct vif_dev *vdev, enum vif_origin origin)
{
	struct charge *charge;

	hlist_for_each_entry(charge, charges, node)
		if (!charge->vdev || (charge->vdev == vdev && charge->origin == origin))
			return charge;
	return NULL;
}

int vif_charge_attachment(struct hlist_head *charges, const struct vif_dev *vdev,
			  enum vif_origin origin)
{
	struct charge *charge = vif_find_charge(charges, vdev, origin);
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

static bool vif_charge_is_for(const struct charge *charge, const struct vif_set *set)
{
	struct vif *vif[VIF_ORIGINS];

	vif_set_find(set, charge->vdev, vif);
	return vif[charge->origin];
}

void vif_charge_settle(struct hlist_head *charges, const struct vif_set *set)
{
	struct charge *charge;
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
	struct charge *charge;
	struct hlist_node *next;

	hlist_for_each_entry_safe(charge, next, charges, node)
		vif_free_charge(charge);
}
