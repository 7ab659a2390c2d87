// SPDX-License-Identifier: GPL-2.0
/* From attributes of netlink to words, as the files have them, and to counters. */
#include "vif_info.h"

#include <linux/netnice_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link_layer.h"
#include "path.h"
#include "units.h"

const char *const direction_names[DIRECTIONS] = {
	[EGRESS] = "egress",
	[INGRESS] = "ingress",
};

/* --- settings: the words for numbers --- */

static char *print_number(units_t value)
{
	char *text;

	return asprintf(&text, "%llu", value) < 0 ? NULL : text;
}

/* Where none of its attributes is there, a setting is what it is in a new VIF. */
static const struct {
	enum param_id id;
	int attr;
	units_t factor;
	char *(*print)(units_t value);
} numbers[] = {
	{ PARAM_BANDWIDTH, NETNICE_A_SIDE_BANDWIDTH, 8, units_print_rate },
	{ PARAM_MINIMUM, NETNICE_A_SIDE_MINIMUM, 8, units_print_rate },
	{ PARAM_BURST, NETNICE_A_SIDE_BURST_BYTES, 1, units_print_size },
	{ PARAM_BURST, NETNICE_A_SIDE_BURST_NS, 1, units_print_time },
	{ PARAM_WEIGHT, NETNICE_A_SIDE_WEIGHT, 1, print_number },
	{ PARAM_PRIORITY, NETNICE_A_SIDE_PRIORITY, 1, print_number },
	{ PARAM_LOCAL_WEIGHT, NETNICE_A_SIDE_LOCAL_WEIGHT, 1, print_number },
	{ PARAM_LOCAL_PRIORITY, NETNICE_A_SIDE_LOCAL_PRIORITY, 1, print_number },
	{ PARAM_LIMIT, NETNICE_A_SIDE_LIMIT_BYTES, 1, units_print_size },
	{ PARAM_LIMIT, NETNICE_A_SIDE_LIMIT_PACKETS, 1, units_print_packets },
};

static char *print_aqm(const struct attrs *side)
{
	unsigned long long target = attrs_value(side, NETNICE_A_SIDE_AQM_TARGET_US);
	unsigned long long interval = attrs_value(side, NETNICE_A_SIDE_AQM_INTERVAL_US);
	char words[96] = "codel", *normal;
	int len = strlen(words);

	if (attrs_value(side, NETNICE_A_SIDE_AQM) == NETNICE_AQM_NONE)
		return strdup("none");
	if (target)
		len += snprintf(words + len, sizeof(words) - len, " target %lluus", target);
	if (interval)
		snprintf(words + len, sizeof(words) - len, " interval %lluus", interval);
	params[PARAM_AQM].value(words, &normal);
	return normal;
}

/* The kernel's overhead has a sign. */
static char *print_link_layer(const struct attrs *side)
{
	static const char *const framing[] = {
		[NETNICE_FRAMING_ATM] = "atm", [NETNICE_FRAMING_PTM] = "ptm",
	};
	const size_t framings = sizeof(framing) / sizeof(*framing);
	unsigned long long packed = attrs_value(side, NETNICE_A_SIDE_FRAMING);
	const struct link_layer layer = {
		.has_overhead = side->of[NETNICE_A_SIDE_OVERHEAD],
		.overhead = (int)attrs_value(side, NETNICE_A_SIDE_OVERHEAD),
		.mpu = attrs_value(side, NETNICE_A_SIDE_MPU),
		.framing = packed < framings ? framing[packed] : NULL,
	};

	return link_layer_print(&layer);
}

static char *print_param(const struct attrs *side, enum param_id id)
{
	unsigned long long value;

	if (id == PARAM_AQM)
		return print_aqm(side);
	if (id == PARAM_LINK_LAYER)
		return print_link_layer(side);
	if (id == PARAM_LIMIT && side->of[NETNICE_A_SIDE_LIMIT_MAX])
		return strdup("max");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (numbers[i].id == id &&
		    attrs_number(side, numbers[i].attr, &value))
			return numbers[i].print(value * numbers[i].factor);
	return strdup(params[id].initial);
}

static char *print_both(const char *egress, const char *ingress)
{
	char *text;

	if (!egress || !ingress)
		return NULL;
	if (!strcmp(egress, ingress))
		return strdup(egress);
	return asprintf(&text, "egress %s ingress %s", egress, ingress) < 0 ?
	       NULL : text;
}

/* Return: 0, or -1 without memory; so do those below. */
static int take_settings(struct vif_info *vif, const struct attrs *attrs,
			 const struct attrs side[DIRECTIONS])
{
	if (asprintf(&vif->param[PARAM_OWNER], "%llu:%llu",
		     attrs_value(attrs, NETNICE_A_VIF_UID),
		     attrs_value(attrs, NETNICE_A_VIF_GID)) < 0 ||
	    asprintf(&vif->param[PARAM_MODE], "%llo",
		     attrs_value(attrs, NETNICE_A_VIF_MODE) & 07777) < 0)
		return -1;
	if (!vif->is_readable)
		return 0;
	vif->param[PARAM_AUTOREMOVE] =
		print_number(attrs_value(attrs, NETNICE_A_VIF_AUTOREMOVE));
	for (size_t i = 0; i < PARAM_DIRECTED; i++) {
		for (int j = 0; j < DIRECTIONS; j++)
			vif->side[j].param[i] = print_param(&side[j], i);
		vif->param[i] = print_both(vif->side[EGRESS].param[i],
					   vif->side[INGRESS].param[i]);
		if (!vif->param[i])
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

	attrs_read_nest(&stat, attrs->of[NETNICE_A_SIDE_STAT]);
	for (size_t i = 0; i < COUNTERS; i++)
		counter[i] = attrs_value(&stat, counters[i].attr);
	counter[COUNTER_BACKLOG_PACKETS] = counter[COUNTER_P_QUEUE_PACKETS] +
					   counter[COUNTER_D_QUEUE_PACKETS];
	counter[COUNTER_BACKLOG_BYTES] = counter[COUNTER_P_QUEUE_BYTES] +
					 counter[COUNTER_D_QUEUE_BYTES];
	return take_waits(side, stat.of[NETNICE_A_STAT_SOJOURN_HISTOGRAM]);
}

/* --- all of it --- */

int vif_info_take(struct vif_info *vif, const struct attrs *attrs,
		  unsigned int what)
{
	static const int type[DIRECTIONS] = {
		NETNICE_A_VIF_EGRESS, NETNICE_A_VIF_INGRESS
	};
	struct attrs side[DIRECTIONS];
	const char *slash;

	*vif = (struct vif_info) {
		.id = attrs_value(attrs, NETNICE_A_VIF_ID),
		.path = path_join(attrs_string(attrs, NETNICE_A_VIF_DEVICE),
				  attrs_string(attrs, NETNICE_A_VIF_PATH)),
		.is_readable = attrs->of[type[EGRESS]] && attrs->of[type[INGRESS]],
	};
	if (!vif->path)
		return -1;
	slash = strrchr(vif->path, '/');
	vif->name = slash ? slash + 1 : vif->path;
	for (int i = 0; i < DIRECTIONS; i++) {
		attrs_read_nest(&side[i], attrs->of[type[i]]);
		vif->side[i].bandwidth = attrs_value(&side[i], NETNICE_A_SIDE_BANDWIDTH);
		if ((what & VIF_COUNTERS) && take_counters(&vif->side[i], &side[i]))
			return -1;
	}
	return what & VIF_SETTINGS ? take_settings(vif, attrs, side) : 0;
}

void vif_info_free(struct vif_info *vif)
{
	free(vif->path);
	for (size_t i = 0; i < PARAM_COUNT; i++)
		free(vif->param[i]);
	for (int i = 0; i < DIRECTIONS; i++) {
		for (size_t j = 0; j < PARAM_DIRECTED; j++)
			free(vif->side[i].param[j]);
		free(vif->side[i].waits);
	}
	for (size_t i = 0; i < vif->n_links; i++)
		free(vif->link[i].name);
	free(vif->link);
}
