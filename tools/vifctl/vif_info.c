// SPDX-License-Identifier: GPL-2.0
/* Convert attributes of netlink to words, as in the files, and to counters. */
#include "vif_info.h"

#include <linux/netnice_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"

/* --- settings --- */

static char *print_one(enum vif_param_id id, const struct vif_params *params)
{
	char text[VIF_PRINT_MAX];

	vif_param_print(id, params, text);
	return strdup(text);
}

/* Return: 0, or -1 without memory; so do those below. */
static int take_settings(struct vif_info *vif, const struct attrs *attrs,
			 const struct attrs side[VIF_DIRS])
{
	const char *stack = attrs_string(attrs, NETNICE_A_VIF_STACK);
	struct vif_params set[VIF_DIRS];

	if (asprintf(&vif->param[PARAM_OWNER], "%llu:%llu",
		     attrs_value(attrs, NETNICE_A_VIF_UID),
		     attrs_value(attrs, NETNICE_A_VIF_GID)) < 0 ||
	    asprintf(&vif->param[PARAM_MODE], "%llo",
		     attrs_value(attrs, NETNICE_A_VIF_MODE) & 07777) < 0)
		return -1;
	if (!vif->is_readable)
		return 0;
	vif->stack = stack ? strdup(stack) : NULL;
	if (!stack != !vif->stack)
		return -1;
	vif->param[PARAM_AUTOREMOVE] =
		strdup(attrs_value(attrs, NETNICE_A_VIF_AUTOREMOVE) ? "1" : "0");
	for (int dir = 0; dir < VIF_DIRS; dir++)
		attrs_params(&side[dir], &set[dir]);
	for (size_t i = 0; i < PARAM_DIRECTED; i++) {
		vif->param[i] = param_print(i, set);
		for (int dir = 0; dir < VIF_DIRS; dir++)
			vif->side[dir].param[i] = print_one(i, &set[dir]);
		if (!vif->param[i] || !vif->side[VIF_EGRESS].param[i] ||
		    !vif->side[VIF_INGRESS].param[i])
			return -1;
	}
	return vif->param[PARAM_AUTOREMOVE] ? 0 : -1;
}

/* --- counters --- */

static const struct {
	const char *name;
	int attr;
} counters[COUNTERS] = {
	[COUNTER_PACKETS] = { "packets", NETNICE_A_STAT_PACKETS },
	[COUNTER_BYTES] = { "bytes", NETNICE_A_STAT_BYTES },
	[COUNTER_DROPS] = { "drops", NETNICE_A_STAT_DROPS },
	[COUNTER_MARKS] = { "marks", NETNICE_A_STAT_MARKS },
	[COUNTER_ACK_DROPS] = { "ack_drops", NETNICE_A_STAT_ACK_DROPS },
	[COUNTER_OVERLIMITS] = { "overlimits", NETNICE_A_STAT_OVERLIMITS },
	[COUNTER_P_QUEUE_PACKETS] = { "p_queue_packets", NETNICE_A_STAT_P_QUEUE_PACKETS },
	[COUNTER_P_QUEUE_BYTES] = { "p_queue_bytes", NETNICE_A_STAT_P_QUEUE_BYTES },
	[COUNTER_D_QUEUE_PACKETS] = { "d_queue_packets", NETNICE_A_STAT_D_QUEUE_PACKETS },
	[COUNTER_D_QUEUE_BYTES] = { "d_queue_bytes", NETNICE_A_STAT_D_QUEUE_BYTES },
	[COUNTER_SOJOURN_MIN] = { "sojourn_min", NETNICE_A_STAT_SOJOURN_MIN },
	[COUNTER_SOJOURN_MEAN] = { "sojourn_mean", NETNICE_A_STAT_SOJOURN_MEAN },
	[COUNTER_SOJOURN_P99] = { "sojourn_p99", NETNICE_A_STAT_SOJOURN_P99 },
	[COUNTER_SOJOURN_MAX] = { "sojourn_max", NETNICE_A_STAT_SOJOURN_MAX },
};

const char *counter_name(enum counter counter)
{
	return counters[counter].name;
}

static void take_program(struct vif_side *side, const struct attrs *attrs)
{
	unsigned long long uid;

	side->program = attrs_value(attrs, NETNICE_A_DIR_PROGRAM);
	side->program_uid = attrs_number(attrs, NETNICE_A_DIR_PROGRAM_UID, &uid) ? (long long)uid : -1;
}

static int take_waits(struct vif_side *side, const struct nlattr *attr)
{
	const size_t bytes = attr ? mnl_attr_get_payload_len(attr) : 0;

	side->n_waits = bytes / sizeof(*side->waits);
	if (!side->n_waits)
		return 0;
	side->waits = malloc(bytes);
	if (!side->waits)
		return -1;
	memcpy(side->waits, mnl_attr_get_payload(attr), bytes);
	return 0;
}

static int take_counters(struct vif_side *side, const struct attrs *attrs)
{
	unsigned long long *counter = side->counter;
	struct attrs stat;

	attrs_read_nest(&stat, attrs->of[NETNICE_A_DIR_STAT]);
	for (size_t i = 0; i < COUNTERS; i++)
		counter[i] = attrs_value(&stat, counters[i].attr);
	counter[COUNTER_BACKLOG_PACKETS] = counter[COUNTER_P_QUEUE_PACKETS] +
					   counter[COUNTER_D_QUEUE_PACKETS];
	counter[COUNTER_BACKLOG_BYTES] = counter[COUNTER_P_QUEUE_BYTES] +
					 counter[COUNTER_D_QUEUE_BYTES];
	return take_waits(side, stat.of[NETNICE_A_STAT_SOJOURN_HISTOGRAM]);
}

/* --- quotas --- */

static void take_quota(struct vif_side *side, const struct attrs *attrs)
{
	const unsigned long long then = attrs_value(attrs, NETNICE_A_DIR_QUOTA_THEN);

	side->has_quota = attrs->of[NETNICE_A_DIR_QUOTA_THEN];
	side->quota = attrs_value(attrs, NETNICE_A_DIR_QUOTA_BYTES);
	side->quota_left = attrs_value(attrs, NETNICE_A_DIR_QUOTA_LEFT);
	side->limit = side->bandwidth;
	if (!side->has_quota || side->quota_left)
		return;
	side->is_stopped = then == UINT64_MAX;
	if (!side->is_stopped && (!side->limit || then < side->limit))
		side->limit = then;
}

/* --- all of it --- */

int vif_info_take(struct vif_info *vif, const struct attrs *attrs,
		  unsigned int what)
{
	static const int type[VIF_DIRS] = {
		NETNICE_A_VIF_EGRESS, NETNICE_A_VIF_INGRESS
	};
	struct attrs side[VIF_DIRS];
	const char *slash;

	*vif = (struct vif_info) {
		.id = attrs_value(attrs, NETNICE_A_VIF_ID),
		.path = path_join(attrs_string(attrs, NETNICE_A_VIF_DEVICE),
				  attrs_string(attrs, NETNICE_A_VIF_PATH)),
		.is_readable = attrs->of[type[VIF_EGRESS]] && attrs->of[type[VIF_INGRESS]],
	};
	if (!vif->path)
		return -1;
	slash = strrchr(vif->path, '/');
	vif->name = slash ? slash + 1 : vif->path;
	for (int i = 0; i < VIF_DIRS; i++) {
		attrs_read_nest(&side[i], attrs->of[type[i]]);
		vif->side[i].bandwidth = attrs_value(&side[i], NETNICE_A_DIR_BANDWIDTH);
		vif->side[i].minimum = attrs_value(&side[i], NETNICE_A_DIR_MINIMUM);
		take_quota(&vif->side[i], &side[i]);
		take_program(&vif->side[i], &side[i]);
		if ((what & VIF_COUNTERS) && take_counters(&vif->side[i], &side[i]))
			return -1;
	}
	return what & VIF_SETTINGS ? take_settings(vif, attrs, side) : 0;
}

void vif_info_free(struct vif_info *vif)
{
	free(vif->path);
	free(vif->stack);
	for (size_t i = 0; i < PARAM_COUNT; i++)
		free(vif->param[i]);
	for (int i = 0; i < VIF_DIRS; i++) {
		for (size_t j = 0; j < PARAM_DIRECTED; j++)
			free(vif->side[i].param[j]);
		free(vif->side[i].waits);
	}
	for (size_t i = 0; i < vif->n_links; i++)
		free(vif->link[i].name);
	free(vif->link);
}
