// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of a VIF: bandwidth, minimum, burst, weights, priorities, limit and aqm; and of
 * its device: the link layer. All are set under the tree mutex and take effect at once, packets waiting or not.
 */
#include "param.h"

#include <linux/math64.h>
#include <linux/slab.h>

#include "../queue/account.h"
#include "../queue/port_set.h"
#include "dev.h"
#include "error.h"
#include "event.h"
#include "find.h"
#include "net.h"

const char *const vif_dir_name[VIF_DIRS] = {
	[VIF_EGRESS] = "egress",
	[VIF_INGRESS] = "ingress",
};

/* Burst by default: time at the VIF's rate, and full frames at least. */
#define BURST_NS	NSEC_PER_MSEC
#define BURST_FRAMES	4

/* No larger packet passes whole, whatever the burst. */
#define WHOLE_MAX	(128 << 10)

int __vif_check_alive(const struct vif *vif)
{
	vif_assert_tree_lock(vif);
	if (!vif->dead)
		return 0;
	return vif_fail(vif_net_of_vif(vif), -ENOENT,
			"the VIF '%s' has been removed",
			vif->parent ? vif->name->text : "");
}

static bool share_is_default(const struct vsched_share *share)
{
	return share->weight == VSCHED_WEIGHT_DEFAULT &&
	       share->priority == VSCHED_PRIORITY_DEFAULT;
}

static bool config_is_default(const struct p_queue_config *config)
{
	return config->limit.unit == P_QUEUE_AUTO && !config->aqm.off &&
	       !config->aqm.target_us && !config->aqm.interval_us;
}

static bool side_is_default(const struct vif_side *side)
{
	return side->bandwidth == VSCHED_RATE_MAX &&
	       side->burst.value == VIF_BURST_AUTO &&
	       config_is_default(&side->config) &&
	       share_is_default(&side->node.up) &&
	       share_is_default(&side->node.own);
}

/* Of a root VIF. */
static bool is_default(const struct vif *vif)
{
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++)
		if (!side_is_default(&vif->side[dir]) ||
		    !vif_link_layer_is_none(&vif->dev->port[dir].layer))
			return false;
	return true;
}

/*
 * A VIF below the root keeps the hooks itself; the root does so by its
 * settings: one use for all of them together.
 */
static int __begin(struct vif *vif, bool *was_default)
{
	int err = __vif_check_alive(vif);

	*was_default = is_default(vif);
	if (!err && !vif->parent)
		err = vif_dev_use(vif->dev);
	return err;
}

static void __end(struct vif *vif, bool was_default)
{
	vif_event(vif, VIF_EVENT_SET);
	if (vif->parent)
		return;
	if (!was_default)
		vif_dev_unuse(vif->dev);
	if (is_default(vif))
		vif_dev_unuse(vif->dev);
}

static u64 auto_burst(const struct vif *vif, enum vif_dir dir, u64 rate)
{
	u64 least = BURST_FRAMES * vif_dev_frame_bytes(vif->dev, dir);

	return max(least, div_u64(rate * BURST_NS, NSEC_PER_SEC));
}

static u64 burst_bytes(const struct vif *vif, enum vif_dir dir)
{
	const struct vif_side *side = &vif->side[dir];
	u64 ns = side->burst.value;

	if (side->bandwidth == VSCHED_RATE_MAX)
		return 0;
	if (ns && side->burst.unit == VIF_BURST_BYTES)
		return side->burst.value;
	if (!ns)
		return auto_burst(vif, dir, side->bandwidth);
	return min(VSCHED_BURST_LIMIT,
		   mul_u64_u64_div_u64(side->bandwidth, ns, NSEC_PER_SEC));
}

/*
 * What may pass at once: full frames of a third of the burst, so that twice as much can be
 * saved up while siblings' packets leave; or one, which takes up to half of it.
 */
static u32 longest_bytes(const struct vif *vif, enum vif_dir dir, u64 burst)
{
	u32 frame = vif_dev_frame_bytes(vif->dev, dir);
	u32 frames = min_t(u64, div_u64(burst, 3), WHOLE_MAX) / frame;

	return min_t(u64, max(frames, 1U) * frame, burst / 2);
}

static void __apply(struct vif *vif, enum vif_dir dir)
{
	u64 burst = burst_bytes(vif, dir);

	vif_assert_tree_lock(vif);
	vif_port_set_clock(&vif->dev->port[dir], &vif->side[dir],
			   vif->side[dir].bandwidth, burst,
			   longest_bytes(vif, dir, burst));
}

/* Who comes from idle has saved up what a clock lets out by default. */
static void __apply_minimum(struct vif *vif, enum vif_dir dir)
{
	u64 rate = vif->side[dir].minimum;

	vif_assert_tree_lock(vif);
	vif_port_set_minimum(&vif->dev->port[dir], &vif->side[dir], rate,
			     2 * auto_burst(vif, dir, rate));
}

void vif_refresh_frames(struct vif *root)
{
	struct vif *vif;
	enum vif_dir dir;

	vif_assert_tree_lock(root);
	for (dir = 0; dir < VIF_DIRS; dir++)
		vif_dev_set_frame(root->dev, dir);
	for (vif = root; vif; vif = __vif_walk(root, vif))
		for (dir = 0; dir < VIF_DIRS; dir++) {
			if (vif->side[dir].bandwidth != VSCHED_RATE_MAX)
				__apply(vif, dir);
			if (vif->side[dir].minimum)
				__apply_minimum(vif, dir);
		}
}

/* What it has, whatever its siblings do: VSCHED_RATE_MAX, or 0, if that is not known. */
static u64 sure_rate(const struct vif *vif, enum vif_dir dir)
{
	return vif->parent ? vif->side[dir].minimum : vif->side[dir].bandwidth;
}

static u64 promised_below(const struct vif *vif, enum vif_dir dir)
{
	return vif->inner ? vif->inner->promised[dir] : 0;
}

static const char *name_of(const struct vif *vif)
{
	return vif->parent ? vif->name->text : "the device";
}

/* @others: what is promised below @parent besides */
static int check_room(const struct vif *parent, enum vif_dir dir, u64 minimum,
		      u64 others)
{
	u64 sure = sure_rate(parent, dir);

	if (!minimum || minimum + others <= sure)
		return 0;
	if (!sure)
		return vif_fail(vif_net_of_vif(parent), -ENOSPC,
				"minimum: %s: the VIF above, '%s', has no minimum to give from: set that first",
				vif_dir_name[dir], name_of(parent));
	return vif_fail(vif_net_of_vif(parent), -ENOSPC,
			"minimum: %s: %llu bit/s are too much: '%s' above has %llu for sure (%s), of which %llu are promised to others",
			vif_dir_name[dir], minimum * 8, name_of(parent),
			sure * 8, parent->parent ? "its minimum" : "its bandwidth",
			others * 8);
}

int __vif_check_minima(const struct vif *vif, const struct vif *parent)
{
	enum vif_dir dir;
	int err = 0;

	vif_assert_tree_lock(vif);
	for (dir = 0; dir < VIF_DIRS && !err; dir++)
		err = check_room(parent, dir, vif->side[dir].minimum,
				 promised_below(parent, dir));
	return err;
}

/* @rate: what is to be the new value of the parameter @name */
static int check_promises(const struct vif *vif, enum vif_dir dir, u64 rate,
			  const char *name)
{
	u64 promised = promised_below(vif, dir);

	if (rate >= promised)
		return 0;
	return vif_fail(vif_net_of_vif(vif), -ENOSPC,
			"%s: %s: %llu bit/s are promised to the VIFs below: lower their minima first",
			name, vif_dir_name[dir], promised * 8);
}

static int check_bandwidth(const struct vif *vif, enum vif_dir dir, u64 rate)
{
	u64 minimum = vif->side[dir].minimum;

	if (!vif->parent)
		return check_promises(vif, dir, rate, "bandwidth");
	if (rate >= minimum)
		return 0;
	return vif_fail(vif_net_of_vif(vif), -EINVAL,
			"bandwidth: %s: it is less than the VIF's minimum, %llu bit/s: lower that first",
			vif_dir_name[dir], minimum * 8);
}

static int check_minimum(const struct vif *vif, enum vif_dir dir, u64 rate)
{
	const struct vif_side *side = &vif->side[dir];
	struct vif_net *vn = vif_net_of_vif(vif);
	int err;

	if (!vif->parent)
		return !rate ? 0 : vif_fail(vn, -EINVAL,
					    "minimum: a device's root VIF has no siblings to come before: set those of the VIFs below it");
	if (rate > side->bandwidth)
		return vif_fail(vn, -EINVAL,
				"minimum: %s: %llu bit/s are more than the VIF's bandwidth, %llu bit/s",
				vif_dir_name[dir], rate * 8,
				side->bandwidth * 8);
	err = check_promises(vif, dir, rate, "minimum");
	if (err)
		return err;
	return check_room(vif->parent, dir, rate,
			  promised_below(vif->parent, dir) - side->minimum);
}

static int __set_clock(struct vif *vif, enum vif_dir dir, u64 bandwidth,
		       struct vif_burst burst)
{
	bool was_default;
	int err = __begin(vif, &was_default);

	if (err)
		return err;
	vif->side[dir].bandwidth = bandwidth;
	vif->side[dir].burst = burst;
	__apply(vif, dir);
	__end(vif, was_default);
	return 0;
}

int vif_set_bandwidth(struct vif *vif, enum vif_dir dir, u64 bytes_per_s)
{
	int err = 0;

	mutex_lock(vif_tree_lock(vif));
	if (dir == VIF_INGRESS && bytes_per_s != VSCHED_RATE_MAX)
		err = vif_dev_check_ingress(vif->dev);
	if (!err)
		err = check_bandwidth(vif, dir, bytes_per_s);
	if (!err)
		err = __set_clock(vif, dir, bytes_per_s, vif->side[dir].burst);
	mutex_unlock(vif_tree_lock(vif));
	return err;
}

static int __make_floor(struct vif_side *side)
{
	if (side->floor)
		return 0;
	side->floor = kmalloc(sizeof(*side->floor), VIF_GFP);
	if (!side->floor)
		return -ENOMEM;
	vsched_floor_init(side->floor, &side->node.up);
	return 0;
}

/* Nothing can be wrong with none: it is what a VIF has that is not there any more. */
static void __promise(struct vif *vif, enum vif_dir dir, u64 rate)
{
	struct vif_side *side = &vif->side[dir];

	vif->parent->inner->promised[dir] += rate - side->minimum;
	side->minimum = rate;
	__apply_minimum(vif, dir);
}

static int __set_minimum(struct vif *vif, enum vif_dir dir, u64 rate)
{
	int err = __vif_check_alive(vif) ?: check_minimum(vif, dir, rate);

	if (!err && rate)
		err = __make_floor(&vif->side[dir]);
	if (err)
		return err;
	if (rate != vif->side[dir].minimum)
		__promise(vif, dir, rate);
	vif_event(vif, VIF_EVENT_SET);
	return 0;
}

int vif_set_minimum(struct vif *vif, enum vif_dir dir, u64 bytes_per_s)
{
	int err;

	mutex_lock(vif_tree_lock(vif));
	err = __set_minimum(vif, dir, bytes_per_s);
	mutex_unlock(vif_tree_lock(vif));
	return err;
}

void __vif_drop_minima(struct vif *vif)
{
	enum vif_dir dir;

	for (dir = 0; dir < VIF_DIRS; dir++)
		if (vif->side[dir].minimum)
			__promise(vif, dir, 0);
}

void __vif_move_minima(struct vif *vif, struct vif *from, struct vif *to)
{
	enum vif_dir dir;

	vif_assert_tree_lock(vif);
	for (dir = 0; dir < VIF_DIRS; dir++) {
		from->inner->promised[dir] -= vif->side[dir].minimum;
		to->inner->promised[dir] += vif->side[dir].minimum;
	}
}

int vif_set_burst(struct vif *vif, enum vif_dir dir, struct vif_burst burst)
{
	int err;

	mutex_lock(vif_tree_lock(vif));
	err = __set_clock(vif, dir, vif->side[dir].bandwidth, burst);
	mutex_unlock(vif_tree_lock(vif));
	return err;
}

/* A share is one among siblings, which a root VIF does not have. */
static int check_root_share(const struct vif *vif, unsigned int weight,
			    unsigned int priority)
{
	if (weight == VSCHED_WEIGHT_DEFAULT &&
	    priority == VSCHED_PRIORITY_DEFAULT)
		return 0;
	return vif_fail(vif_net_of_vif(vif), -EINVAL,
			"weight and priority: a device's root VIF has no siblings to share with: set those of the VIFs below it, or its local_weight and local_priority");
}

static int __set_share(struct vif *vif, enum vif_dir dir, enum vif_share which,
		       unsigned int weight, unsigned int priority)
{
	bool was_default;
	int err = 0;

	if (!vif->parent && which == VIF_SHARE_VIF)
		err = check_root_share(vif, weight, priority);
	if (!err)
		err = __begin(vif, &was_default);
	if (err)
		return err;
	vif_port_set_share(&vif->dev->port[dir], &vif->side[dir], which, weight,
			   priority);
	__end(vif, was_default);
	return 0;
}

int vif_set_weight(struct vif *vif, enum vif_dir dir, enum vif_share which,
		   unsigned int weight)
{
	int err;

	mutex_lock(vif_tree_lock(vif));
	err = __set_share(vif, dir, which, weight,
			  vif_share(&vif->side[dir], which)->priority);
	mutex_unlock(vif_tree_lock(vif));
	return err;
}

int vif_set_priority(struct vif *vif, enum vif_dir dir, enum vif_share which,
		     unsigned int priority)
{
	int err;

	mutex_lock(vif_tree_lock(vif));
	err = __set_share(vif, dir, which,
			  vif_share(&vif->side[dir], which)->weight, priority);
	mutex_unlock(vif_tree_lock(vif));
	return err;
}

static int __set_config(struct vif *vif, enum vif_dir dir,
			const struct p_queue_config *config)
{
	bool was_default;
	int err = __begin(vif, &was_default);

	if (err)
		return err;
	vif_port_set_config(&vif->dev->port[dir], &vif->side[dir], config);
	__end(vif, was_default);
	return 0;
}

int vif_set_limit(struct vif *vif, enum vif_dir dir,
		  struct p_queue_limit limit)
{
	struct p_queue_config config;
	int err;

	mutex_lock(vif_tree_lock(vif));
	config = vif->side[dir].config;
	config.limit = limit;
	err = __set_config(vif, dir, &config);
	mutex_unlock(vif_tree_lock(vif));
	return err;
}

int vif_set_aqm(struct vif *vif, enum vif_dir dir, struct p_queue_aqm aqm)
{
	struct p_queue_config config;
	int err;

	mutex_lock(vif_tree_lock(vif));
	config = vif->side[dir].config;
	config.aqm = aqm;
	err = __set_config(vif, dir, &config);
	mutex_unlock(vif_tree_lock(vif));
	return err;
}

int vif_set_autoremove(struct vif *vif, bool on)
{
	int err;

	mutex_lock(vif_tree_lock(vif));
	err = __vif_check_alive(vif);
	if (!err && !vif->parent)
		err = vif_fail(vif_net_of_vif(vif), -EINVAL,
			       "autoremove: a device's root VIF goes with the device only");
	if (!err) {
		vif->autoremove = on;
		vif_event(vif, VIF_EVENT_SET);
	}
	mutex_unlock(vif_tree_lock(vif));
	return err;
}

static int check_link_layer(const struct vif *vif, const struct vif_link_layer *layer)
{
	if (!vif->parent || vif_link_layer_is_none(layer))
		return 0;
	return vif_fail(vif_net_of_vif(vif), -EINVAL,
			"link_layer: what packets cost is the same for all VIFs of a device: set that of its root VIF");
}

static int __set_link_layer(struct vif *vif, enum vif_dir dir,
			    const struct vif_link_layer *layer)
{
	bool was_default;
	int err = check_link_layer(vif, layer) ?: __begin(vif, &was_default);

	if (err)
		return err;
	if (!vif->parent) {
		vif_port_set_link_layer(&vif->dev->port[dir], layer);
		vif_refresh_frames(vif);
	}
	__end(vif, was_default);
	return 0;
}

int vif_set_link_layer(struct vif *vif, enum vif_dir dir,
		       const struct vif_link_layer *layer)
{
	int err;

	mutex_lock(vif_tree_lock(vif));
	err = __set_link_layer(vif, dir, layer);
	mutex_unlock(vif_tree_lock(vif));
	return err;
}

struct vif_link_layer __vif_link_layer(const struct vif *vif, enum vif_dir dir)
{
	vif_assert_tree_lock(vif);
	return vif->parent ? (struct vif_link_layer) { } : vif->dev->port[dir].layer;
}
