// SPDX-License-Identifier: GPL-2.0
/*
 * A subject's attachments change by a new set (set.h) in the place of the old one, under
 * the attach mutex; what packets see changes at once. Who has none yet gets an entry. What
 * is given (VIF_BY_ADMIN) by an administrator its user can divide, but not get rid of.
 */
#include "subject_change.h"

#include <linux/capability.h>
#include <linux/pid.h>
#include <linux/slab.h>

#include "../queue/account.h"
#include "../tree/dev.h"
#include "../tree/find.h"
#include "../tree/genid.h"
#include "../tree/net.h"
#include "charge.h"
#include "subject_end.h"
#include "subject_inherit.h"
#include "subject_priv.h"

/*
 * Bounds, and the part of each that is reserved to repair a table that users have filled: in a
 * namespace for its administrators; for bounds on work that affects all users, such as forks, for
 * CAP_SYS_RESOURCE.
 *
 * ATTACHED: subjects of a kind, by the namespace in which they were attached first; inherited
 * attachments do not count. DEVICES: of a namespace, that one subject may be attached on. SET: of
 * all namespaces together.
 */
#define ATTACHED_MAX		65536
#define ATTACHED_RESERVE	8192
#define DEVICES_MAX		256
#define DEVICES_RESERVE		64
#define SET_MAX			320
#define SET_RESERVE		64

/* Enter it unless it has gone, or has been entered meanwhile. */
static int vif_subject_publish(struct vif_subject *subject, const struct vif_subject_id *id)
{
	struct vif_subject *up = NULL;
	unsigned long flags;
	const void *key;
	int err = -ESRCH;
	void *what;

	rcu_read_lock();
	raw_spin_lock_irqsave(&vif_subject_table_lock, flags);
	what = id->find(id);
	key = vif_subject_key(id->kind, what);
	if (key && !vif_subject_find(key)) {
		if (id->up)
			up = vif_subject_find_live(id->up);
		if (!id->up || up)
			err = 0;
	}
	if (!err) {
		if (up)
			vif_subject_use(subject, up);
		__vif_subject_hold(subject, what);
		__vif_subject_add(subject, key);
	}
	raw_spin_unlock_irqrestore(&vif_subject_table_lock, flags);
	/* pairs with vif_subject_retire(): a group that goes now finds it, or is found gone */
	smp_mb();
	if (!err && id->kind == VIF_CGROUP && !id->find(id))
		vif_subject_retire(VIF_CGROUP, key);
	rcu_read_unlock();
	return err;
}

static struct vif_subject *vif_alloc_subject(const struct vif_dev *vdev,
					     enum vif_origin origin)
{
	struct vif_subject *subject;
	int err;

	subject = kzalloc(sizeof(*subject), VIF_GFP);
	if (!subject)
		return ERR_PTR(-ENOMEM);
	err = vif_charge_attachment(&subject->charges, vdev, origin);
	if (!err)
		return subject;
	kfree(subject);
	return ERR_PTR(err);
}

static bool vif_subject_has_room(const struct vif_net *vn, enum vif_kind kind,
				 enum vif_origin origin)
{
	int most = ATTACHED_MAX - (origin == VIF_BY_ADMIN ? 0 : ATTACHED_RESERVE);

	return atomic_read(&vn->attached[kind]) < most;
}

/*
 * Make an entry, with a VIF of @vdev, or none, in @set; takes over the reference to that.
 */
static int vif_subject_insert(const struct vif_subject_id *id, struct vif_net *vn,
			      const struct vif_dev *vdev, enum vif_origin origin,
			      struct vif_set *set)
{
	struct vif_subject *subject;
	int err;

	subject = vif_subject_has_room(vn, id->kind, origin) ? vif_alloc_subject(vdev, origin) :
					       ERR_PTR(-ENOSPC);
	if (IS_ERR(subject)) {
		vif_set_put(set);
		return PTR_ERR(subject);
	}
	vif_subject_init(subject, id->kind, set);
	subject->number = id->number;
	subject->net = vif_net_get(vn);
	atomic_inc(&vn->attached[id->kind]);
	if (id->kind == VIF_PROCESS)
		subject->pid = get_pid(id->pid);
	err = vif_subject_publish(subject, id);
	if (err)
		vif_subject_put(subject);
	return err;
}

/* Threads have a process with an entry, if only an empty one. */
static int vif_subject_insert_process(const struct vif_subject_id *id, struct vif_net *vn,
				      enum vif_origin origin)
{
	struct vif_subject *up;

	if (!id->up)
		return 0;
	rcu_read_lock();
	up = vif_subject_find_live(id->up);
	rcu_read_unlock();
	return up ? 0 : vif_subject_insert(id->up, vn, NULL, origin, NULL);
}

/* Put a changed set in the place of the old one, against forks and ends. */
static int vif_subject_replace_set(struct vif_subject *subject, struct vif_dev *vdev,
				   struct vif_set *set)
{
	struct vif_set *was = NULL;
	unsigned long flags;
	bool there;

	rcu_read_lock();
	raw_spin_lock_irqsave(&vif_subject_table_lock, flags);
	there = hash_hashed(&subject->node) && !READ_ONCE(subject->retired);
	if (there) {
		was = rcu_dereference_protected(subject->set, true);
		vif_set_count_in(set);
		rcu_assign_pointer(subject->set, set);
		vif_genid_change(&vdev->genid);
	}
	raw_spin_unlock_irqrestore(&vif_subject_table_lock, flags);
	if (there)
		vif_set_count_out(was);
	vif_charge_settle(&subject->charges, rcu_dereference(subject->set));
	rcu_read_unlock();
	vif_set_put(there ? was : set);
	return there ? 0 : -ESRCH;
}

/* An administrator's attachment can be divided, but not removed. 1: nothing changes. */
static int vif_subject_check_change(struct vif *const was[VIF_ORIGINS], enum vif_origin origin,
				    const struct vif *old, const struct vif *new)
{
	const struct vif *shown = was[VIF_BY_USER] ?: was[VIF_BY_ADMIN];

	if ((old && shown != old) || (!new && !shown))
		return -ENOENT;
	if (origin == VIF_BY_ADMIN)
		return shown == new && shown == was[VIF_BY_ADMIN];
	if (new ? was[VIF_BY_ADMIN] && !vif_is_below(new, was[VIF_BY_ADMIN]) :
		  !was[VIF_BY_USER])
		return -EPERM;
	return new && new == shown;
}

/* May it be attached on so many devices? What has less than before may have too much. */
static bool vif_subject_fits(const struct vif_set *set, const struct vif_set *present,
			     const struct vif_net *vn, enum vif_origin origin)
{
	unsigned int here, all;
	bool fits;

	rcu_read_lock();
	here = vif_set_count(set, vn);
	all = vif_set_count(set, NULL);
	fits = all <= vif_set_count(present, NULL);
	rcu_read_unlock();
	return fits ||
	       (here <= DEVICES_MAX - (origin == VIF_BY_ADMIN ? 0 : DEVICES_RESERVE) &&
		all <= SET_MAX - (capable(CAP_SYS_RESOURCE) ? 0 : SET_RESERVE));
}

static int __vif_subject_replace(const struct vif_subject_id *id,
				 struct vif_dev *vdev, enum vif_origin origin,
				 const struct vif *old, struct vif *new,
				 struct vif *was[VIF_ORIGINS])
{
	int err, level = id->kind == VIF_CGROUP ? id->level : VIF_LEVEL_NONE;
	struct vif_subject *subject;
	struct vif_set *present, *set;

	lockdep_assert_held(&vif_subject_mutex);
	rcu_read_lock();
	subject = vif_subject_find_live(id);
	vif_subject_vifs(subject, vdev, was);
	err = vif_subject_check_change(was, origin, old, new);
	rcu_read_unlock();
	if (err)
		return err;
	/* bury() takes the attach mutex: the entry stays, ended or not */
	present = subject ? rcu_dereference_protected(subject->set,
				lockdep_is_held(&vif_subject_mutex)) : NULL;
	/* what one has been given one need not choose */
	if (origin == VIF_BY_USER && new == was[VIF_BY_ADMIN])
		new = NULL;
	if (new && level != VIF_LEVEL_NONE &&
	    !vif_levels_have_room(&new->dev->levels, level))
		return -ENOSPC;
	set = vif_set_change(present, vdev, origin, new, level);
	if (!set)
		return -ENOMEM;
	err = vif_subject_fits(set, present, vdev->net, origin) ? 0 : -ENOSPC;
	if (!err && subject && new)
		err = vif_charge_attachment(&subject->charges, vdev, origin);
	if (!err && subject)
		return vif_subject_replace_set(subject, vdev, set);
	if (!err)
		err = vif_subject_insert_process(id, vdev->net, origin);
	if (err) {
		vif_set_put(set);
		return err;
	}
	err = vif_subject_insert(id, vdev->net, vdev, origin, set);
	vif_genid_change(&vdev->genid);
	return err;
}

int vif_subject_replace(const struct vif_subject_id *id,
			struct vif_dev *vdev, enum vif_origin origin,
			const struct vif *old, struct vif *new,
			struct vif *was[VIF_ORIGINS])
{
	int err;

	vif_subject_refill();
	vif_subject_lock();
	err = __vif_subject_replace(id, vdev, origin, old, new, was);
	vif_subject_unlock();
	return err;
}
