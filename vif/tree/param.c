// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of a VIF (grammar/params.h) are set under the tree mutex, in both directions together.
 * They take effect at once, also for queued packets. Everything that can fail is checked first, so
 * that nothing must be undone.
 */
#include "param.h"

#include <linux/seq_file.h>
#include <linux/slab.h>

#include <linux/netnice_netlink.h>
#include "../queue/account.h"
#include "../queue/meter.h"
#include "../queue/shaper.h"
#include "access.h"
#include "class.h"
#include "clocks.h"
#include "dev.h"
#include "error.h"
#include "event.h"
#include "find.h"
#include "mark.h"
#include "net.h"
#include "windows.h"

/* The scheduler accepts every value that can be written. */
static_assert(VIF_RATE_MIN == VSCHED_RATE_MIN);
static_assert(VIF_RATE_LIMIT == VSCHED_RATE_LIMIT);
static_assert(VIF_RATE_MAX == VSCHED_RATE_MAX);
static_assert(VIF_WEIGHT_MAX == VSCHED_WEIGHT_MAX);
static_assert(VIF_PRIORITY_MAX == VSCHED_PRIORITIES - 1);

/* User space sees the shaper's numbers. */
static_assert((int)VIF_FRAMING_NONE == NETNICE_FRAMING_NONE);
static_assert((int)VIF_FRAMING_ATM == NETNICE_FRAMING_ATM);
static_assert((int)VIF_FRAMING_PTM == NETNICE_FRAMING_PTM);

int __vif_check_alive(const struct vif *vif)
{
	vif_assert_tree_lock(vif);
	if (!vif->dead)
		return 0;
	return vif_fail(vif_net_of_vif(vif), -ENOENT,
			"the VIF '%s' has been removed",
			vif->parent ? vif->name->text : "");
}

/* --- semantics --- */

static void __vif_param_apply_clock(struct vif *vif, enum vif_dir dir)
{
	__vif_clocks_set(vif, dir, NULL);
}

static void __vif_param_set_quota(struct vif *vif, enum vif_dir dir, const struct vif_params *want)
{
	__vif_clocks_set(vif, dir, &want->quota);
}

/* An idle VIF has saved up what a clock lets out by default. */
static void __vif_param_apply_minimum(struct vif *vif, enum vif_dir dir)
{
	u64 rate = vif->side[dir].set.minimum;

	vif_assert_tree_lock(vif);
	/* none, and it has never had one */
	if (!vif->side[dir].extra)
		return;
	vif_shaper_set_minimum(&vif->dev->shaper[dir], &vif->side[dir], rate,
			       2 * __vif_burst(vif, dir, rate));
}

void vif_refresh_frames(struct vif *root)
{
	struct vif *vif;
	enum vif_dir dir;

	vif_assert_tree_lock(root);
	for (dir = 0; dir < VIF_DIRS; dir++)
		vif_dev_set_frame(root->dev, dir);
	for (vif = root; vif; vif = __vif_walk(root, vif)) {
		for (dir = 0; dir < VIF_DIRS; dir++) {
			if (vif->side[dir].set.bandwidth != VIF_RATE_MAX ||
			    vif->side[dir].metered)
				__vif_param_apply_clock(vif, dir);
			if (vif->side[dir].set.minimum)
				__vif_param_apply_minimum(vif, dir);
		}
		/* users choose how many VIFs there are, and each visits all CPUs */
		cond_resched();
	}
}

static void __vif_param_apply_share(struct vif *vif, enum vif_dir dir)
{
	const struct vif_params_kept *set = &vif->side[dir].set;

	vif_shaper_set_share(&vif->dev->shaper[dir], &vif->side[dir], VIF_SHARE_VIF,
			     set->weight, set->priority);
}

static void __vif_param_apply_local_share(struct vif *vif, enum vif_dir dir)
{
	const struct vif_params_kept *set = &vif->side[dir].set;

	vif_shaper_set_share(&vif->dev->shaper[dir], &vif->side[dir], VIF_SHARE_LOCAL,
			     set->local_weight, set->local_priority);
}

/* For root VIFs only: other VIFs have no such parameter. */
static void __vif_param_apply_link_layer(struct vif *vif, enum vif_dir dir)
{
	const struct vif_link *link = &vif->side[dir].set.link_layer;
	const struct vif_link_layer layer = {
		.has_overhead = link->overhead != VIF_OVERHEAD_NONE,
		.overhead = link->overhead != VIF_OVERHEAD_NONE ? link->overhead : 0,
		.mpu = link->mpu,
		.framing = link->framing,
	};

	if (vif->parent)
		return;
	vif_shaper_set_link_layer(&vif->dev->shaper[dir], &layer);
	vif_refresh_frames(vif);
}

static void __vif_param_apply_mark(struct vif *vif, enum vif_dir dir)
{
	__vif_mark_refresh(vif);
}

/* With that goes how long a packet may be that passes whole. */
static void __vif_param_apply_group(struct vif *vif, enum vif_dir dir)
{
	__vif_group_join(vif, dir);
	__vif_param_apply_clock(vif, dir);
}

/* --- what may be wrong with it --- */

static bool vif_param_is_same(enum vif_param_id id, const struct vif_params *a,
			      const struct vif_params *b)
{
	const struct vif_param *param = &vif_param[id];

	return !memcmp((const void *)a + param->offset, (const void *)b + param->offset,
		       param->size);
}

/* Return its guaranteed rate: VIF_RATE_MAX, or 0 if it is not known. */
static u64 vif_param_sure_rate(const struct vif *vif, enum vif_dir dir)
{
	return vif->parent ? vif->side[dir].set.minimum : vif->side[dir].set.bandwidth;
}

static u64 vif_param_promised_below(const struct vif *vif, enum vif_dir dir)
{
	return vif->inner ? vif->inner->promised[dir] : 0;
}

static const char *vif_param_name_of(const struct vif *vif)
{
	return vif->parent ? vif->name->text : "the device";
}

/* @others: other minima below @parent */
static int vif_param_check_room(const struct vif *parent, enum vif_dir dir, u64 minimum,
				u64 others)
{
	u64 sure = vif_param_sure_rate(parent, dir);

	if (!minimum || minimum + others <= sure)
		return 0;
	if (!sure)
		return vif_fail(vif_net_of_vif(parent), -ENOSPC,
				"minimum: %s: the parent VIF '%s' has no minimum to divide: set that first",
				vif_dir_name[dir], vif_param_name_of(parent));
	return vif_fail(vif_net_of_vif(parent), -ENOSPC,
			"minimum: %s: %llu bit/s are too much: '%s' above guarantees %llu (%s), of which %llu are promised to other VIFs",
			vif_dir_name[dir], minimum * 8, vif_param_name_of(parent),
			sure * 8, parent->parent ? "its minimum" : "its bandwidth",
			others * 8);
}

/* @rate: the new value of the parameter @name */
static int vif_param_check_promises(const struct vif *vif, enum vif_dir dir, u64 rate,
				    const char *name)
{
	u64 promised = vif_param_promised_below(vif, dir);

	if (rate >= promised)
		return 0;
	return vif_fail(vif_net_of_vif(vif), -ENOSPC,
			"%s: %s: %llu bit/s are promised to the VIFs below: lower their minima first",
			name, vif_dir_name[dir], promised * 8);
}

static int
vif_param_check_bandwidth(struct vif *vif, enum vif_dir dir, const struct vif_params *want)
{
	u64 minimum = vif->side[dir].set.minimum;
	int err = 0;

	if (dir == VIF_INGRESS && want->bandwidth != VIF_RATE_MAX)
		err = vif_dev_check_ingress(vif->dev);
	if (err)
		return err;
	if (!vif->parent)
		return vif_param_check_promises(vif, dir, want->bandwidth, "bandwidth");
	if (want->bandwidth >= minimum)
		return 0;
	return vif_fail(vif_net_of_vif(vif), -EINVAL,
			"bandwidth: %s: it is less than the VIF's minimum, %llu bit/s: lower that first",
			vif_dir_name[dir], minimum * 8);
}

static int vif_param_make_extra(struct vif_side *side)
{
	if (side->extra)
		return 0;
	side->extra = kzalloc(sizeof(*side->extra), VIF_GFP);
	if (!side->extra)
		return -ENOMEM;
	vsched_floor_init(&side->extra->floor, &side->node.up);
	return 0;
}

static int vif_param_check_quota(struct vif *vif, enum vif_dir dir, const struct vif_params *want)
{
	int err = 0;

	if (!want->quota.then)
		return 0;
	if (dir == VIF_INGRESS)
		err = vif_dev_check_ingress(vif->dev);
	return err ?: vif_param_make_extra(&vif->side[dir]);
}

static int vif_param_check_minimum(struct vif *vif, enum vif_dir dir, const struct vif_params *want)
{
	const struct vif_params_kept *set = &vif->side[dir].set;
	struct vif_net *vn = vif_net_of_vif(vif);
	u64 rate = want->minimum;
	int err;

	if (!vif->parent)
		return !rate ? 0 : vif_fail(vn, -EINVAL,
					    "minimum: a device's root VIF has no siblings: set the minimum of VIFs below it");
	if (rate > set->bandwidth)
		return vif_fail(vn, -EINVAL,
				"minimum: %s: %llu bit/s are more than the VIF's bandwidth, %llu bit/s",
				vif_dir_name[dir], rate * 8, set->bandwidth * 8);
	err = vif_param_check_promises(vif, dir, rate, "minimum") ?:
	      vif_param_check_room(vif->parent, dir, rate,
				   vif_param_promised_below(vif->parent, dir) - set->minimum);
	return err || !rate ? err : vif_param_make_extra(&vif->side[dir]);
}

/* A share is one among siblings, which a root VIF does not have. */
static int vif_param_check_share(struct vif *vif, enum vif_dir dir, const struct vif_params *want)
{
	if (vif->parent || (want->weight == vif_params_initial.weight &&
			    want->priority == vif_params_initial.priority))
		return 0;
	return vif_fail(vif_net_of_vif(vif), -EINVAL,
			"weight and priority: a device's root VIF has no siblings: set those of VIFs below it, or its local_weight and local_priority");
}

static int
vif_param_check_link_layer(struct vif *vif, enum vif_dir dir, const struct vif_params *want)
{
	if (!vif->parent || vif_param_is_same(VIF_PARAM_LINK_LAYER, want, &vif_params_initial))
		return 0;
	return vif_fail(vif_net_of_vif(vif), -EINVAL,
			"link_layer: it applies to all VIFs of a device: set it in the root VIF");
}

static int vif_param_check_class(struct vif *vif, enum vif_dir dir, const struct vif_params *want)
{
	if (vif->parent)
		return __vif_class_check(vif, vif->parent, dir, want->class);
	return !want->class ? 0 : vif_fail(vif_net_of_vif(vif), -EINVAL,
					   "class: a device's root VIF has no parent whose program could select it: set the class of VIFs below it");
}

static int vif_param_check_mark(struct vif *vif, enum vif_dir dir, const struct vif_params *want)
{
	return __vif_mark_check(vif, want);
}

static int vif_param_check_group(struct vif *vif, enum vif_dir dir, const struct vif_params *want)
{
	return __vif_group_check(vif, dir, want->group);
}

/* --- minima and groups, of a VIF that leaves or moves --- */

static void __vif_param_store(struct vif *vif, enum vif_dir dir, const struct vif_params_kept *want)
{
	vif_assert_tree_lock(vif);
	if (vif->parent)
		vif->parent->inner->promised[dir] += want->minimum - vif->side[dir].set.minimum;
	__vif_class_change(vif, dir, want->class);
	vif_shaper_set_params(&vif->dev->shaper[dir], &vif->side[dir], want);
}

int __vif_check_minima(const struct vif *vif, const struct vif *parent)
{
	enum vif_dir dir;
	int err = 0;

	vif_assert_tree_lock(vif);
	for (dir = 0; dir < VIF_DIRS && !err; dir++)
		err = vif_param_check_room(parent, dir, vif->side[dir].set.minimum,
					   vif_param_promised_below(parent, dir));
	return err;
}

/* Nothing can be wrong with none: it is what a VIF has that is not there any more. */
void __vif_drop_minima(struct vif *vif)
{
	struct vif_params_kept want;
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++) {
		if (!vif->side[dir].set.minimum)
			continue;
		want = vif->side[dir].set;
		want.minimum = 0;
		__vif_param_store(vif, dir, &want);
		__vif_param_apply_minimum(vif, dir);
	}
}

static void __vif_param_drop_group(struct vif *vif)
{
	struct vif_params_kept want;
	bool had_one = false;
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++) {
		if (!vif->side[dir].set.group)
			continue;
		want = vif->side[dir].set;
		want.group = 0;
		__vif_param_store(vif, dir, &want);
		__vif_param_apply_group(vif, dir);
		had_one = true;
	}
	if (had_one)
		vif_event(vif, VIF_EVENT_SET);
}

void __vif_drop_groups_below(struct vif *vif)
{
	struct vif *child;
	unsigned long index;

	xa_for_each(&vif->children, index, child)
		__vif_param_drop_group(child);
}

void __vif_move_group(struct vif *vif, const struct vif *from, const struct vif *to)
{
	if (!uid_eq(vif_uid(from), vif_uid(to)))
		__vif_param_drop_group(vif);
}

void __vif_move_minima(struct vif *vif, struct vif *from, struct vif *to)
{
	enum vif_dir dir;

	vif_assert_tree_lock(vif);
	for (dir = 0; dir < VIF_DIRS; dir++) {
		from->inner->promised[dir] -= vif->side[dir].set.minimum;
		to->inner->promised[dir] += vif->side[dir].set.minimum;
	}
}

/* --- setting --- */

/**
 * struct vif_param_setter - check and effect of a parameter
 * @check: validates and prepares the change; sets last_error if it fails
 * @apply: applies the stored value, or
 * @take: applies a value that is stored outside of struct vif_side
 */
struct vif_param_setter {
	int (*check)(struct vif *vif, enum vif_dir dir, const struct vif_params *want);
	void (*apply)(struct vif *vif, enum vif_dir dir);
	void (*take)(struct vif *vif, enum vif_dir dir, const struct vif_params *want);
};

static const struct vif_param_setter setters[VIF_PARAMS] = {
	[VIF_PARAM_BANDWIDTH]	   = { vif_param_check_bandwidth, __vif_param_apply_clock },
	[VIF_PARAM_MINIMUM]	   = { vif_param_check_minimum, __vif_param_apply_minimum },
	[VIF_PARAM_BURST]	   = { NULL, __vif_param_apply_clock },
	[VIF_PARAM_WEIGHT]	   = { vif_param_check_share, __vif_param_apply_share },
	[VIF_PARAM_PRIORITY]	   = { vif_param_check_share, __vif_param_apply_share },
	[VIF_PARAM_LOCAL_WEIGHT]   = { NULL, __vif_param_apply_local_share },
	[VIF_PARAM_LOCAL_PRIORITY] = { NULL, __vif_param_apply_local_share },
	[VIF_PARAM_LIMIT]	   = {},
	[VIF_PARAM_AQM]		   = {},
	[VIF_PARAM_FAIR]	   = {},
	[VIF_PARAM_LINK_LAYER]	   = { vif_param_check_link_layer, __vif_param_apply_link_layer },
	[VIF_PARAM_GROUP]	   = { vif_param_check_group, __vif_param_apply_group },
	[VIF_PARAM_CLASS]	   = { vif_param_check_class, NULL },
	[VIF_PARAM_DSCP]	   = { NULL, __vif_param_apply_mark },
	[VIF_PARAM_MARK]	   = { vif_param_check_mark, __vif_param_apply_mark },
	[VIF_PARAM_SKB_PRIORITY]   = { vif_param_check_mark, __vif_param_apply_mark },
	[VIF_PARAM_QUOTA]	   = { vif_param_check_quota, NULL, __vif_param_set_quota },
};

void __vif_params_get(struct vif *vif, enum vif_dir dir, struct vif_params *params)
{
	vif_assert_tree_lock(vif);
	params->kept = vif->side[dir].set;
	vif_shaper_read_quota(&vif->dev->shaper[dir], &vif->side[dir], &params->quota);
}

static void
vif_param_copy(enum vif_param_id id, struct vif_params *to, const struct vif_params *from)
{
	const struct vif_param *param = &vif_param[id];

	memcpy((void *)to + param->offset, (const void *)from + param->offset, param->size);
}

/* For a root VIF: does it need no hooks? */
static bool vif_param_is_default(struct vif *vif)
{
	struct vif_params params;
	enum vif_param_id id;
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++) {
		__vif_params_get(vif, dir, &params);
		for (id = 0; id < VIF_PARAMS; id++)
			if (!vif_param_is_same(id, &params, &vif_params_initial))
				return false;
	}
	return true;
}

/* Compute the new values @want from the present ones and @params. */
static int __vif_param_prepare(struct vif *vif, enum vif_param_id id,
			       const struct vif_params *params, unsigned int dirs,
			       struct vif_params *want)
{
	int err = __vif_check_alive(vif);
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS && !err; dir++) {
		__vif_params_get(vif, dir, &want[dir]);
		if (!(dirs & BIT(dir)))
			continue;
		vif_param_copy(id, &want[dir], &params[dir]);
		if (setters[id].check)
			err = setters[id].check(vif, dir, &want[dir]);
	}
	return err;
}

/* Also for an unchanged value: resources that failed before are requested again. */
static void __vif_param_apply(struct vif *vif, enum vif_param_id id, const struct vif_params *want,
			      unsigned int dirs)
{
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++) {
		if (!(dirs & BIT(dir)))
			continue;
		__vif_param_store(vif, dir, &want[dir].kept);
		if (setters[id].apply)
			setters[id].apply(vif, dir);
		if (setters[id].take)
			setters[id].take(vif, dir, &want[dir]);
	}
	vif_event(vif, VIF_EVENT_SET);
}

/*
 * A VIF below the root keeps the hooks itself; the root does so by its
 * settings: one use for all of them together.
 */
static int __vif_param_apply_root(struct vif *vif, enum vif_param_id id,
				  const struct vif_params *want, unsigned int dirs)
{
	bool was_default = vif_param_is_default(vif);
	int err = vif_dev_use(vif->dev);

	if (err)
		return err;
	__vif_param_apply(vif, id, want, dirs);
	if (!was_default)
		vif_dev_unuse(vif->dev);
	if (vif_param_is_default(vif))
		vif_dev_unuse(vif->dev);
	return 0;
}

static int vif_param_apply(struct vif *vif, enum vif_param_id id, const struct vif_params *params,
			   unsigned int dirs)
{
	struct vif_params want[VIF_DIRS];
	int err;

	mutex_lock(vif_tree_lock(vif));
	err = __vif_param_prepare(vif, id, params, dirs, want);
	if (!err && vif->parent)
		__vif_param_apply(vif, id, want, dirs);
	else if (!err)
		err = __vif_param_apply_root(vif, id, want, dirs);
	if (err && id == VIF_PARAM_GROUP)
		__vif_group_forget(vif, dirs, params);
	mutex_unlock(vif_tree_lock(vif));
	return err;
}

/* Describe an invalid word, and what is valid. */
static int
vif_param_refuse(struct vif *vif, enum vif_param_id id, const struct vif_word *word, int err)
{
	const struct vif_param_kind *kind = vif_param[id].kind;
	struct vif_net *net = vif_net_of_vif(vif);
	const char *name = vif_param[id].name;

	if (err == -ENODATA)
		return vif_fail(net, -EINVAL,
				"%s: a value is missing%s%.*s: use %s",
				name, word->len ? " after " : "",
				(int)word->len, word->text, kind->accepted);
	if (err == -EEXIST)
		return vif_fail(net, -EINVAL,
				"%s: '%.*s' is unexpected: use VALUE, egress VALUE%s",
				name, (int)word->len, word->text,
				kind->sent_only ? "" : ", or ingress VALUE");
	return vif_fail(net, -EINVAL, "%s: '%.*s' is %s %s: use %s", name,
			(int)word->len, word->text,
			err == -ERANGE ? "out of range for a" : "not a",
			kind->what, kind->accepted);
}

static bool vif_param_is_limit(enum vif_param_id id, const struct vif_params *params)
{
	return (id == VIF_PARAM_BANDWIDTH && params->bandwidth != VIF_RATE_MAX) ||
	       (id == VIF_PARAM_QUOTA && params->quota.then);
}

int vif_param_write(struct vif *vif, enum vif_param_id id, const char *text)
{
	struct vif_params params[VIF_DIRS];
	struct vif_word bad;
	unsigned int dirs;
	int err = vif_param_parse(id, text, params, &dirs, &bad);

	if (err)
		return vif_param_refuse(vif, id, &bad, err);
	if (dirs & BIT(VIF_INGRESS) && vif_param_is_limit(id, &params[VIF_INGRESS]))
		vif_windows_load(vif_net_of_vif(vif));
	return vif_param_apply(vif, id, params, dirs);
}

void vif_param_show(struct vif *vif, enum vif_param_id id, struct seq_file *seq)
{
	char text[VIF_DIRS][VIF_PRINT_MAX];
	struct vif_params params;
	enum vif_dir dir;

	mutex_lock(vif_tree_lock(vif));
	for (dir = 0; dir < vif_param_dirs(id); dir++) {
		__vif_params_get(vif, dir, &params);
		vif_param_print(id, &params, text[dir]);
	}
	mutex_unlock(vif_tree_lock(vif));
	/* seq_printf() would take most of the time of a read */
	for (dir = 0; dir < vif_param_dirs(id); dir++) {
		seq_puts(seq, vif_dir_name[dir]);
		seq_putc(seq, ' ');
		seq_puts(seq, text[dir]);
		seq_putc(seq, '\n');
	}
}

int vif_set_autoremove(struct vif *vif, bool on)
{
	int err;

	mutex_lock(vif_tree_lock(vif));
	err = __vif_check_alive(vif);
	if (!err && !vif->parent)
		err = vif_fail(vif_net_of_vif(vif), -EINVAL,
			       "autoremove: a device's root VIF is removed only with its device");
	if (!err) {
		vif->autoremove = on;
		vif_event(vif, VIF_EVENT_SET);
	}
	mutex_unlock(vif_tree_lock(vif));
	return err;
}
