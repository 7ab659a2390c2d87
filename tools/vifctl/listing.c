// SPDX-License-Identifier: GPL-2.0
#include "listing.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netnice.h>
#include <linux/netnice_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "attrs.h"
#include "dump.h"
#include "link_layer.h"
#include "nnfs.h"
#include "units.h"
#include "words.h"

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

const char *const direction_names[DIRECTIONS] = {
	[EGRESS] = "egress",
	[INGRESS] = "ingress",
};

const char *counter_name(enum counter counter)
{
	return counters[counter].name;
}

static void take_counters(struct listed_side *side, const struct nlattr *nest)
{
	struct attrs stat;

	attrs_read_nest(&stat, nest);
	for (size_t i = 0; i < COUNTERS; i++)
		side->counter[i] = attrs_value(&stat, counters[i].attr);
}

static char *take_rate(const struct attrs *side, int attr, const char *otherwise)
{
	unsigned long long bytes_per_s;

	return attrs_number(side, attr, &bytes_per_s) ?
	       units_print_rate(bytes_per_s * 8) : strdup(otherwise);
}

/* The kernel's overhead has a sign. */
char *listing_link_layer(const struct attrs *side)
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

static int take_side(struct listed_side *side, const struct nlattr *nest)
{
	struct attrs attrs;

	attrs_read_nest(&attrs, nest);
	side->rate = take_rate(&attrs, NETNICE_A_SIDE_BANDWIDTH, "max");
	side->minimum = take_rate(&attrs, NETNICE_A_SIDE_MINIMUM, "none");
	side->weight = attrs_value(&attrs, NETNICE_A_SIDE_WEIGHT);
	side->priority = attrs_value(&attrs, NETNICE_A_SIDE_PRIORITY);
	side->link_layer = listing_link_layer(&attrs);
	take_counters(side, attrs.of[NETNICE_A_SIDE_STAT]);
	return side->rate && side->minimum && side->link_layer ? 0 : -1;
}

static void free_vif(struct listed *vif)
{
	free(vif->path);
	for (size_t i = 0; i < DIRECTIONS; i++) {
		free(vif->side[i].rate);
		free(vif->side[i].minimum);
		free(vif->side[i].link_layer);
	}
}

static int take_vif(struct listed *vif, const struct attrs *attrs)
{
	const struct nlattr *egress = attrs->of[NETNICE_A_VIF_EGRESS];
	const struct nlattr *ingress = attrs->of[NETNICE_A_VIF_INGRESS];
	char *slash;

	*vif = (struct listed) {
		.id = attrs_value(attrs, NETNICE_A_VIF_ID),
		.path = path_join(attrs_string(attrs, NETNICE_A_VIF_DEVICE),
				  attrs_string(attrs, NETNICE_A_VIF_PATH)),
		.is_readable = egress && ingress,
	};
	if (!vif->path)
		return -1;
	slash = strrchr(vif->path, '/');
	vif->name = slash ? slash + 1 : vif->path;
	for (const char *c = vif->path; *c; c++)
		vif->depth += *c == '/';
	if (!vif->is_readable)
		return 0;
	return take_side(&vif->side[EGRESS], egress) ||
	       take_side(&vif->side[INGRESS], ingress) ? -1 : 0;
}

/* A device whose name is reserved has no directory. */
static bool is_nameless(const char *device)
{
	return !device || nnfs_is_reserved(device);
}

static int take(const struct nlmsghdr *message, void *arg)
{
	struct listing *listing = arg;
	struct listed *more;
	struct attrs attrs;

	if (!attrs_read(&attrs, message, sizeof(struct genlmsghdr)) ||
	    is_nameless(attrs_string(&attrs, NETNICE_A_VIF_DEVICE)))
		return MNL_CB_OK;
	more = array_grow(listing->vif, listing->count, sizeof(*more));
	if (!more)
		return MNL_CB_ERROR;
	listing->vif = more;
	more += listing->count;
	if (!take_vif(more, &attrs)) {
		listing->count++;
		return MNL_CB_OK;
	}
	free_vif(more);
	errno = ENOMEM;
	return MNL_CB_ERROR;
}

static int by_id(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Takes the first part off a path. */
static void first_part(const char **path, char *part)
{
	size_t len = strcspn(*path, "/");
	size_t kept = len < NETNICE_NAME_MAX ? len : NETNICE_NAME_MAX;

	memcpy(part, *path, kept);
	part[kept] = '\0';
	*path += len + ((*path)[len] == '/');
}

static int by_path(const void *a, const void *b)
{
	const char *x = ((const struct listed *)a)->path;
	const char *y = ((const struct listed *)b)->path;
	char first[NETNICE_NAME_MAX + 1], second[NETNICE_NAME_MAX + 1];
	int ret = 0;

	while (!ret && *x && *y) {
		first_part(&x, first);
		first_part(&y, second);
		ret = strverscmp(first, second);
	}
	if (!ret)
		ret = (*x != '\0') - (*y != '\0');
	return ret ? ret : by_id(b, a);
}

/* Once each, though it was moved meanwhile; and none that has left the VIF asked for. */
static void sort_by_id(struct listing *listing, const char *top)
{
	struct listed *vif = listing->vif;
	size_t kept = 0;

	if (listing->count)
		qsort(vif, listing->count, sizeof(*vif), by_id);
	for (size_t i = 0; i < listing->count; i++)
		if ((kept && vif[kept - 1].id == vif[i].id) ||
		    (top && !path_is_below(vif[i].path, top)))
			free_vif(&vif[i]);
		else
			vif[kept++] = vif[i];
	listing->count = kept;
}

static void set_depths(struct listing *listing, const char *top)
{
	unsigned int above = 0;

	for (; top && *top; top++)
		above += *top == '/';
	for (size_t i = 0; i < listing->count; i++)
		listing->vif[i].depth -= above;
}

/*
 * Of one name the newer one, where one was made anew meanwhile; and none whose parent is
 * not there, as that has got another name.
 */
static void sort_by_path(struct listing *listing)
{
	size_t at[NETNICE_DEPTH_MAX + 1];	/* the last one of each depth */
	struct listed *vif = listing->vif;
	size_t kept = 0;

	if (listing->count)
		qsort(vif, listing->count, sizeof(*vif), by_path);
	for (size_t i = 0; i < listing->count; i++) {
		unsigned int depth = vif[i].depth;
		bool is_new = !kept || strcmp(vif[kept - 1].path, vif[i].path);

		if (is_new && depth <= NETNICE_DEPTH_MAX &&
		    (!depth || (kept && depth <= vif[kept - 1].depth + 1 &&
				path_is_below(vif[i].path,
					      vif[at[depth - 1]].path)))) {
			at[depth] = kept;
			vif[kept++] = vif[i];
		} else {
			free_vif(&vif[i]);
		}
	}
	listing->count = kept;
}

/* Not known before all are read: a sibling may vanish meanwhile. */
static void mark_last(struct listing *listing)
{
	bool followed[NETNICE_DEPTH_MAX + 2] = { false };

	for (size_t i = listing->count; i-- > 0;) {
		struct listed *vif = &listing->vif[i];

		vif->last = !followed[vif->depth];
		followed[vif->depth] = true;
		followed[vif->depth + 1] = false;
	}
}

int listing_read(struct listing *listing, const struct genl *genl,
		 const char *path, bool with_counters)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request;

	*listing = (struct listing) { .has_counters = with_counters };
	request = genl_request_vifs(genl, buf, path, with_counters);
	if (!request || dump_run(genl->sock, request, take, listing)) {
		listing_free(listing);
		errno = errno == ENODEV ? ENOENT : errno;
		return -1;
	}
	sort_by_id(listing, path);
	set_depths(listing, path);
	sort_by_path(listing);
	mark_last(listing);
	if (!path || listing->count)
		return 0;
	/* it has gone, or got another name, just now */
	listing_free(listing);
	errno = ENOENT;
	return -1;
}

void listing_free(struct listing *listing)
{
	int err = errno;

	for (size_t i = 0; i < listing->count; i++)
		free_vif(&listing->vif[i]);
	free(listing->vif);
	*listing = (struct listing) { 0 };
	errno = err;
}
