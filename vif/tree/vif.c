// SPDX-License-Identifier: GPL-2.0
#include "vif.h"

#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "../queue/account.h"
#include "../queue/shaper.h"
#include "class.h"
#include "clocks.h"
#include "dev.h"
#include "event.h"
#include "find.h"
#include "mark.h"
#include "net.h"
#include "param.h"

/* Return the levels of VIFs below, from the counts of their heights. */
static unsigned int vif_depth_highest(const struct vif_inner *inner)
{
	unsigned int levels = NETNICE_DEPTH_MAX;

	while (levels && !inner->with_levels[levels - 1])
		levels--;
	return levels;
}

/**
 * __vif_count_levels() - count a child that is added, removed, or changes its height
 * @vif: the parent, or NULL
 * @was: levels of the child before; 0: it was not there
 * @now: levels of the child now; 0: it is not there any more
 *
 * The update of VIFs above ends at a VIF of which another child has more levels.
 * Context: caller holds the tree mutex.
 */
static void __vif_count_levels(struct vif *vif, unsigned int was, unsigned int now)
{
	while (vif && was != now) {
		unsigned int height = vif->height;

		vif_assert_tree_lock(vif);
		if (was)
			vif->inner->with_levels[was - 1]--;
		if (now)
			vif->inner->with_levels[now - 1]++;
		vif->height = vif_depth_highest(vif->inner);
		was = height + 1;
		now = vif->height + 1;
		vif = vif->parent;
	}
}

static struct kmem_cache *vif_cache;

/* Inode numbers: never used again, so that walks can go by them. */
static atomic64_t vif_last_ino;

/* Find a VIF by @ino, while it exists. */
static DEFINE_XARRAY(vif_by_ino);

static void vif_free_vif(struct rcu_head *rcu)
{
	struct vif *vif = container_of(rcu, struct vif, rcu);
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++)
		kfree(vif->side[dir].extra);
	free_percpu(vif->programs ? vif->programs->stat : NULL);
	kfree(vif->programs);
	kfree(vif->inner);
	kfree(vif->name);
	kmem_cache_free(vif_cache, vif);
}

/* Two grace periods: see shaper.h. */
static void vif_free_vif_after_next(struct rcu_head *rcu)
{
	call_rcu(rcu, vif_free_vif);
}

void vif_put_weak(struct vif *vif)
{
	if (vif && refcount_dec_and_test(&vif->weak_refs))
		call_rcu(&vif->rcu, vif_free_vif_after_next);
}

/* Destroy the object: only RCU readers can still reach it. */
static void vif_reap(struct vif *vif)
{
	struct vif_dev *vdev = vif->dev;
	struct vif *parent = vif->parent;
	enum vif_dir dir;

	WARN_ON_ONCE(!vsched_node_idle(&vif->side[VIF_EGRESS].node) ||
		     !vsched_node_idle(&vif->side[VIF_INGRESS].node));
	for (dir = 0; dir < VIF_DIRS; dir++)
		vif_shaper_forget(&vdev->shaper[dir], &vif->side[dir]);
	mutex_lock(&vdev->net->lock);
	__vif_end_clocks(vif);
	if (parent) {
		__vif_count_levels(parent, 1, 0);
		vif_dev_unuse(vdev);
	}
	mutex_unlock(&vdev->net->lock);
	vif_account_uncharge(vif->account, parent ? VIF_CHARGE_VIF : VIF_CHARGE_DEVICE);
	xa_erase(&vif_by_ino, vif->ino);
	vif_genid_change(&vdev->genid);
	vif_put_weak(vif);
	vif_put(parent);
	vif_dev_put(vdev);
}

struct vif *vif_get_by_ino(u64 ino)
{
	struct vif *vif;

	rcu_read_lock();
	vif = xa_load(&vif_by_ino, ino);
	if (vif && !vif_get_again(vif))
		vif = NULL;
	rcu_read_unlock();
	return vif;
}

/*
 * Let a worker run vif_left() or vif_reap() in process context. The worker holds the namespace's
 * state: the last VIF may be its last holder.
 */
static void vif_remove_later(struct vif *vif)
{
	struct vif_net *vn = vif_net_get(vif_net_of_vif(vif));

	llist_add(&vif->removal, &vn->removals);
	if (!queue_work(vif_wq, &vn->remove))
		vif_net_put(vn);
}

void vif_put(struct vif *vif)
{
	if (vif && refcount_dec_and_test(&vif->refs))
		vif_remove_later(vif);
}

bool vif_side_get(struct vif_side *side)
{
	return vif_get_again(vif_of_side(side));
}

void vif_side_put(struct vif_side *side)
{
	vif_put(vif_of_side(side));
}

struct vif_account *vif_side_payer(const struct vif_side *side)
{
	return vif_of_side(side)->account;
}

/* Only this VIF: VIFs below may keep it. */
static bool vif_is_idle(const struct vif *vif)
{
	return !vif->dead && vif->autoremove && !vif->pins &&
	       !atomic_read(&vif->attached);
}

static bool vif_is_unused(const struct vif *vif)
{
	return vif_is_idle(vif) && xa_empty(&vif->children);
}

static void __vif_leave(struct vif *vif)
{
	enum vif_dir dir;

	vif_assert_tree_lock(vif);
	WRITE_ONCE(vif->dead, true);
	vif->dev->hooks->leave(vif);
	/* a device has told of its end itself */
	if (vif->dev->dev)
		vif_event(vif, VIF_EVENT_DEL);
	__vif_drop_quota(vif);
	if (vif->parent) {
		__vif_drop_minima(vif);
		for (dir = 0; dir < VIF_DIRS; dir++)
			__vif_class_leave(vif, dir);
		xa_erase(&vif->parent->children, vif->ino);
		__vif_unname(vif, vif->name);
	}
	vif_put(vif);
}

/* VIFs that users have made, and do not use. */
static void __vif_leave_users(struct vif *vif)
{
	struct vif *child;
	unsigned long index;

	xa_for_each(&vif->children, index, child)
		if (child->users && vif_is_unused(child))
			__vif_leave(child);
}

/* A VIF may have been the last one below an autoremoved one. */
static void __vif_leave_if_unused(struct vif *vif)
{
	vif_assert_tree_lock(vif);
	if (vif->parent && vif_is_idle(vif))
		__vif_leave_users(vif);
	while (vif->parent && vif_is_unused(vif)) {
		struct vif *parent = vif->parent;

		__vif_leave(vif);
		vif = parent;
	}
}

/* Its last attachment has gone, unless there is another one by now. */
static void vif_left(struct vif *vif)
{
	mutex_lock(vif_tree_lock(vif));
	if (vif->parent)
		__vif_leave_if_unused(vif);
	else if (!atomic_read(&vif->attached))
		vif_dev_set_attached(vif->dev, false);
	mutex_unlock(vif_tree_lock(vif));
	vif_put(vif);
}

void vif_detached(struct vif *vif)
{
	if (!atomic_dec_and_test(&vif->attached) ||
	    test_and_set_bit(VIF_LEAVES, &vif->flags))
		return;
	vif_get(vif);
	vif_remove_later(vif);
}

/* A VIF listed to leave is held by the list; an unlisted one has no reference left. */
static void vif_remove_one(struct vif *vif)
{
	if (!refcount_read(&vif->refs)) {
		vif_reap(vif);
	} else {
		clear_bit(VIF_LEAVES, &vif->flags);
		smp_mb__after_atomic();
		vif_left(vif);
	}
}

/*
 * Runs struct vif_net.remove: each namespace has a worker of its own, as that waits for its
 * tree mutex.
 */
static void vif_remove_listed(struct work_struct *work)
{
	struct vif_net *vn = container_of(work, struct vif_net, remove);
	struct llist_node *list;
	struct vif *vif, *next;

	/* the removal of a VIF may remove its parent: the deepest tree goes in one run, too */
	while ((list = llist_del_all(&vn->removals))) {
		llist_for_each_entry_safe(vif, next, list, removal) {
			vif_remove_one(vif);
			cond_resched();
		}
	}
	vif_net_put(vn);
}

static struct vif *vif_alloc_vif(struct vif_dev *vdev, struct vif *parent)
{
	struct vif *vif = kmem_cache_zalloc(vif_cache, VIF_GFP);
	enum vif_dir dir;

	if (!vif)
		return NULL;
	vif->ino = atomic64_inc_return(&vif_last_ino);
	if (xa_reserve(&vif_by_ino, vif->ino, GFP_KERNEL)) {
		kmem_cache_free(vif_cache, vif);
		return NULL;
	}
	refcount_set(&vif->refs, 1);
	refcount_set(&vif->weak_refs, 1);
	refcount_inc(&vdev->refs);
	vif->dev = vdev;
	vif->parent = parent ? vif_get(parent) : NULL;
	for (dir = 0; dir < VIF_DIRS; dir++) {
		vif->side[dir].ino = vif->ino;
		vif->side[dir].dir = dir;
		vif->side[dir].set = vif_params_initial.kept;
		vsched_node_init(&vif->side[dir].node,
				 parent ? &parent->side[dir].node : NULL);
	}
	xa_init(&vif->children);
	vif->depth = parent ? parent->depth + 1 : 0;
	__vif_count_levels(parent, 0, 1);
	vif->uid = INVALID_UID;
	vif->gid = INVALID_GID;
	vif->mode = 0755;
	ktime_get_real_ts64(&vif->ctime);
	/* from now on, the VIF can be found by its number, from any namespace */
	xa_store(&vif_by_ino, vif->ino, vif, GFP_KERNEL);
	return vif;
}

struct vif *vif_create_root(struct vif_dev *vdev)
{
	struct vif_account *account = vif_account_charge_device(vdev->net->user_ns);
	struct vif *root;

	if (IS_ERR(account))
		return NULL;
	root = vif_alloc_vif(vdev, NULL);
	if (root)
		root->account = account;
	else
		vif_account_uncharge(account, VIF_CHARGE_DEVICE);
	return root;
}

/* A reader that finds it under rcu_read_lock() finds its text. */
static void vif_set_name(struct vif *vif, struct vif_name *name)
{
	smp_store_release(&vif->name, name);
}

/* @height: levels that come below the VIF itself */
static int vif_check_place(struct vif *parent, const char *name, size_t len, unsigned int height,
			   const char *op)
{
	struct vif_net *vn = vif_net_of_vif(parent);

	if (len > NETNICE_NAME_MAX)
		return vif_fail(vn, -ENAMETOOLONG,
				"%s: the name has %zu bytes: a VIF's name has up to %d",
				op, len, NETNICE_NAME_MAX);
	if (parent->dead)
		return vif_fail(vn, -ENOENT,
				"%s: the VIF above '%.*s' has been removed",
				op, (int)len, name);
	if (parent->depth + 1 + height > NETNICE_DEPTH_MAX)
		return vif_fail(vn, -ELOOP,
				"%s: '%.*s' would %s level %u: VIFs nest up to %d levels",
				op, (int)len, name,
				height ? "reach down to" : "be on",
				parent->depth + 1 + height,
				NETNICE_DEPTH_MAX);
	if (__vif_find_child(parent, name, len))
		return vif_fail(vn, -EEXIST,
				"%s: there is a VIF named '%.*s' already",
				op, (int)len, name);
	return 0;
}

/* Create a VIF's state for children, with the first one. */
static int __vif_adopt(struct vif *parent)
{
	struct vif_inner *inner;
	enum vif_dir dir;

	vif_assert_tree_lock(parent);
	if (parent->inner)
		return 0;
	inner = kzalloc(sizeof(*inner), VIF_GFP);
	if (!inner)
		return -ENOMEM;
	/* pairs with vif_class_find() */
	smp_store_release(&parent->inner, inner);
	for (dir = 0; dir < VIF_DIRS; dir++)
		vif_shaper_set_fair(&parent->dev->shaper[dir], &parent->side[dir],
				    &inner->fair[dir]);
	return 0;
}

static struct vif *__vif_create(struct vif *parent, const char *text, size_t len)
{
	struct vif_name *name;
	struct vif *vif;
	int err = vif_check_place(parent, text, len, 0, "mkdir");

	if (!err)
		err = __vif_adopt(parent);
	if (err)
		return ERR_PTR(err);
	err = vif_dev_use(parent->dev);
	if (err)
		return ERR_PTR(err);
	vif = vif_alloc_vif(parent->dev, parent);
	if (!vif) {
		vif_dev_unuse(parent->dev);
		return ERR_PTR(-ENOMEM);
	}
	name = __vif_enter(vif, parent, text, len);
	if (IS_ERR(name)) {
		vif_put(vif);
		return ERR_CAST(name);
	}
	vif_set_name(vif, name);
	__vif_mark_refresh(vif);
	return vif_get(vif);
}

/* Return the charged account, or an error. */
static struct vif_account *vif_charge_owner(struct vif_net *vn)
{
	struct vif_account *account = vif_account_charge(VIF_CHARGE_VIF, 1);

	if (account != ERR_PTR(-EDQUOT))
		return account;
	return ERR_PTR(vif_fail(vn, -EDQUOT,
				"mkdir: a user may have %u VIFs, including removed VIFs that are still in use (module parameter user_vifs)",
				vif_account_most(VIF_CHARGE_VIF)));
}

struct vif *vif_create(struct vif *parent, const char *name, size_t len,
		       const struct vif_owner *owner)
{
	struct vif_account *account = vif_charge_owner(vif_net_of_vif(parent));
	struct vif *vif;

	if (IS_ERR(account))
		return ERR_CAST(account);
	mutex_lock(vif_tree_lock(parent));
	vif = __vif_create(parent, name, len);
	if (!IS_ERR(vif)) {
		vif->uid = owner->uid;
		vif->gid = owner->gid;
		vif->mode = owner->mode & 07777;
		vif->account = account;
		vif_event(vif, VIF_EVENT_NEW);
	}
	mutex_unlock(vif_tree_lock(parent));
	if (IS_ERR(vif))
		vif_account_uncharge(account, VIF_CHARGE_VIF);
	return vif;
}

static int vif_check_removal(const struct vif *vif)
{
	struct vif_net *vn = vif_net_of_vif(vif);
	int attached = atomic_read(&vif->attached) - vif->ports;

	if (vif->dead)
		return vif_fail(vn, -ENOENT, "rmdir: the VIF was already removed");
	if (!vif->parent)
		return vif_fail(vn, -EPERM,
				"rmdir: a device's root VIF is removed only with its device");
	if (!xa_empty(&vif->children))
		return vif_fail(vn, -ENOTEMPTY,
				"rmdir: '%s' has VIFs below it: remove these first",
				vif->name->text);
	if (attached > 0)
		return vif_fail(vn, -EBUSY,
				"rmdir: '%s' still has %d attached: see its tasks and sockets, cgroups and devices; detach them or wait for their end",
				vif->name->text, attached);
	return 0;
}

int vif_remove(struct vif *vif)
{
	int err;

	mutex_lock(vif_tree_lock(vif));
	err = vif_check_removal(vif);
	if (!err) {
		__vif_leave(vif);
		__vif_leave_if_unused(vif->parent);
	}
	mutex_unlock(vif_tree_lock(vif));
	return err;
}

static int vif_check_move(const struct vif *vif, struct vif *parent, const char *name, size_t len)
{
	struct vif_net *vn = vif_net_of_vif(vif);
	enum vif_dir dir;
	int err;

	if (vif->dead)
		return vif_fail(vn, -ENOENT, "mv: the VIF was already removed");
	if (vif_is_below(parent, vif))
		return vif_fail(vn, -EINVAL, "mv: '%s' cannot be below itself",
				vif->name->text);
	err = vif_check_place(parent, name, len, vif->height, "mv");
	if (err || parent == vif->parent)
		return err;
	for (dir = 0; dir < VIF_DIRS && !err; dir++)
		err = __vif_class_check(vif, parent, dir, vif->side[dir].set.class);
	return err ?: __vif_check_minima(vif, parent);
}

/* A packet that looks meanwhile finds one way up or the other, and both exist. */
static void __vif_set_parent(struct vif *vif, struct vif *parent)
{
	unsigned int depth = parent->depth + 1 - vif->depth;
	struct vif *was = vif->parent, *below;
	enum vif_dir dir;

	vif_assert_tree_lock(vif);
	vif_get(parent);
	for (dir = 0; dir < VIF_DIRS; dir++) {
		vif_shaper_set_parent(&vif->dev->shaper[dir], &vif->side[dir], &parent->side[dir]);
		__vif_class_move(vif, parent, dir);
	}
	__vif_move_minima(vif, was, parent);
	xa_erase(&was->children, vif->ino);
	__vif_count_levels(was, vif->height + 1, 0);
	__vif_count_levels(parent, 0, vif->height + 1);
	WRITE_ONCE(vif->parent, parent);
	__vif_move_group(vif, was, parent);
	vif_genid_change(&vif->dev->genid);
	vif_put(was);
	for (below = vif; below; below = __vif_walk(vif, below))
		below->depth += depth;
	__vif_mark_refresh(vif);
}

static int __vif_move(struct vif *vif, struct vif *parent, const char *text, size_t len)
{
	struct vif *was = vif->parent;
	struct vif_name *name, *old = vif->name;
	int err = __vif_adopt(parent);

	if (err)
		return err;
	name = __vif_enter(vif, parent, text, len);
	if (IS_ERR(name))
		return PTR_ERR(name);
	vif_event_move(vif, &(const struct vif_place){ parent, text, len });
	__vif_unname(vif, old);
	vif_set_name(vif, name);
	kfree_rcu(old, rcu);
	if (parent == was)
		return 0;
	__vif_set_parent(vif, parent);
	__vif_leave_if_unused(was);
	return 0;
}

int vif_move(struct vif *vif, struct vif *parent, const char *name, size_t len,
	     int (*may)(const struct vif *vif, const struct vif *parent))
{
	int err;

	mutex_lock(vif_tree_lock(vif));
	err = vif_check_move(vif, parent, name, len);
	if (!err)
		err = may(vif, parent);
	if (!err)
		err = __vif_move(vif, parent, name, len);
	mutex_unlock(vif_tree_lock(vif));
	return err;
}

/* Children first: one VIF after the other without children of its own. */
void vif_leave_tree(struct vif *root)
{
	struct vif *vif = root, *child, *parent;

	vif_assert_tree_lock(root);
	for (;;) {
		while ((child = __vif_child_after(vif, 0)))
			vif = child;
		if (vif == root)
			break;
		parent = vif->parent;
		__vif_leave(vif);
		vif = parent;
	}
	__vif_leave(root);
}

void vif_set_users(struct vif *vif)
{
	mutex_lock(vif_tree_lock(vif));
	vif->autoremove = true;
	WRITE_ONCE(vif->users, true);
	vif_genid_change(&vif->dev->genid);
	if (!vif->dead)
		vif_event(vif, VIF_EVENT_SET);
	mutex_unlock(vif_tree_lock(vif));
}

void vif_pin(struct vif *vif)
{
	mutex_lock(vif_tree_lock(vif));
	vif->pins++;
	mutex_unlock(vif_tree_lock(vif));
}

void __vif_unpin(struct vif *vif)
{
	vif->pins--;
	__vif_leave_if_unused(vif);
}

void vif_unpin(struct vif *vif)
{
	mutex_lock(vif_tree_lock(vif));
	__vif_unpin(vif);
	mutex_unlock(vif_tree_lock(vif));
}

void vif_read_stat(struct vif *vif, enum vif_dir dir, struct vif_stat *stat)
{
	vif_shaper_read_stat(&vif->dev->shaper[dir], &vif->side[dir], stat);
}

unsigned int vif_read_sojourn(struct vif *vif, enum vif_dir dir,
			      u64 bucket[SOJOURN_BUCKETS])
{
	unsigned int n = SOJOURN_BUCKETS;

	vif_shaper_read_sojourn(&vif->dev->shaper[dir], &vif->side[dir], bucket);
	while (n && !bucket[n - 1])
		n--;
	return n;
}

int vif_init(void)
{
	int err;

	vif_cache = KMEM_CACHE(vif, SLAB_ACCOUNT);
	if (!vif_cache)
		return -ENOMEM;
	err = vif_net_init(vif_dev_linger, vif_remove_listed, vif_event_tell);
	if (err)
		kmem_cache_destroy(vif_cache);
	return err;
}

void vif_exit(void)
{
	vif_net_exit();
	/* of vif_free_vif_after_next(), and of what that calls */
	rcu_barrier();
	rcu_barrier();
	kmem_cache_destroy(vif_cache);
}
