// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of a VIF: bandwidth, burst, weights, priorities, limit and aqm. All
 * are set under the tree mutex and take effect at once, packets waiting or not.
 */
#include <linux/math64.h>

#include "dev.h"
#include "error.h"
#include "event.h"
#include "net.h"
#include "vif.h"

/* Burst by default: time at the VIF's rate, and full frames at least. */
#define BURST_NS	NSEC_PER_MSEC
#define BURST_FRAMES	3

/* No larger packet passes whole, whatever the burst. */
#define WHOLE_MAX	(128 << 10)

static void assert_tree_lock(const struct vif *vif)
{
	lockdep_assert_held(vif_tree_lock(vif));
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

static bool is_default(const struct vif *vif)
{
	return side_is_default(&vif->side[VIF_EGRESS]) &&
	       side_is_default(&vif->side[VIF_INGRESS]);
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

static u64 burst_bytes(const struct vif *vif, enum vif_dir dir)
{
	const struct vif_side *side = &vif->side[dir];
	u64 least = BURST_FRAMES * vif_dev_frame_bytes(vif->dev);
	u64 ns = side->burst.value;

	if (side->bandwidth == VSCHED_RATE_MAX)
		return 0;
	if (ns && side->burst.unit == VIF_BURST_BYTES)
		return side->burst.value;
	if (!ns)
		return max(least, div_u64(side->bandwidth * BURST_NS,
					  NSEC_PER_SEC));
	return min(VSCHED_BURST_LIMIT,
		   mul_u64_u64_div_u64(side->bandwidth, ns, NSEC_PER_SEC));
}

/*
 * What may pass at once: full frames of a third of the burst, so that twice as much can be
 * saved up while siblings' packets leave; or one, which takes up to half of it.
 */
static u64 longest_bytes(const struct vif *vif, u64 burst)
{
	u32 frame = vif_dev_frame_bytes(vif->dev);
	u32 frames = min_t(u64, div_u64(burst, 3), WHOLE_MAX) / frame;

	return min_t(u64, max(frames, 1U) * frame, burst / 2);
}

static void __apply(struct vif *vif, enum vif_dir dir)
{
	u64 burst = burst_bytes(vif, dir);

	assert_tree_lock(vif);
	vif_port_set_clock(&vif->dev->port[dir], vif, vif->side[dir].bandwidth, burst,
			   longest_bytes(vif, burst));
}

void vif_refresh_clocks(struct vif *root)
{
	struct vif *vif;
	enum vif_dir dir;

	assert_tree_lock(root);
	for (vif = root; vif; vif = __vif_walk(root, vif))
		for (dir = 0; dir < VIF_DIRS; dir++)
			if (vif->side[dir].bandwidth != VSCHED_RATE_MAX)
				__apply(vif, dir);
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
		err = __set_clock(vif, dir, bytes_per_s, vif->side[dir].burst);
	mutex_unlock(vif_tree_lock(vif));
	return err;
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
	vif_port_set_share(&vif->dev->port[dir], vif, which, weight, priority);
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
	vif_port_set_config(&vif->dev->port[dir], vif, config);
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
