// SPDX-License-Identifier: GPL-2.0
#include "sample.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netnice_netlink.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attrs.h"
#include "dump.h"
#include "words.h"

static int take_waits(struct vif_counters *counters, const struct nlattr *attr)
{
	size_t bytes = attr ? mnl_attr_get_payload_len(attr) : 0;

	counters->n_waits = bytes / sizeof(*counters->waits);
	if (!counters->n_waits)
		return 0;
	counters->waits = malloc(bytes);
	if (!counters->waits)
		return -1;
	memcpy(counters->waits, mnl_attr_get_payload(attr), bytes);
	return 0;
}

static int take_side(struct vif_counters *counters, const struct nlattr *nest,
		     bool *is_readable)
{
	struct attrs side, stat;

	attrs_read_nest(&side, nest);
	attrs_read_nest(&stat, side.of[NETNICE_A_SIDE_STAT]);
	if (side.of[NETNICE_A_SIDE_STAT])
		*is_readable = true;
	*counters = (struct vif_counters) {
		.bandwidth = attrs_value(&side, NETNICE_A_SIDE_BANDWIDTH),
		.packets = attrs_value(&stat, NETNICE_A_STAT_PACKETS),
		.bytes = attrs_value(&stat, NETNICE_A_STAT_BYTES),
		.drops = attrs_value(&stat, NETNICE_A_STAT_DROPS),
		.marks = attrs_value(&stat, NETNICE_A_STAT_MARKS),
		.overlimits = attrs_value(&stat, NETNICE_A_STAT_OVERLIMITS),
		.backlog_bytes = attrs_value(&stat, NETNICE_A_STAT_P_QUEUE_BYTES) +
				 attrs_value(&stat, NETNICE_A_STAT_D_QUEUE_BYTES),
		.backlog_packets = attrs_value(&stat, NETNICE_A_STAT_P_QUEUE_PACKETS) +
				   attrs_value(&stat, NETNICE_A_STAT_D_QUEUE_PACKETS),
	};
	return take_waits(counters, stat.of[NETNICE_A_STAT_SOJOURN_HISTOGRAM]);
}

static void free_vif(struct vif_sample *vif)
{
	free(vif->path);
	for (int i = 0; i < DIRECTIONS; i++)
		vif_counters_free(&vif->side[i]);
}

static struct vif_sample *make_room(struct sample *sample)
{
	size_t room = sample->room ? 2 * sample->room : 64;
	struct vif_sample *more;

	if (sample->count < sample->room)
		return &sample->vif[sample->count];
	more = realloc(sample->vif, room * sizeof(*more));
	if (!more)
		return NULL;
	sample->vif = more;
	sample->room = room;
	return &sample->vif[sample->count];
}

static int take_vif(const struct nlmsghdr *message, void *arg)
{
	struct sample *sample = arg;
	struct vif_sample *vif = make_room(sample);
	struct attrs attrs;

	if (!vif)
		return MNL_CB_ERROR;
	if (!attrs_read(&attrs, message, sizeof(struct genlmsghdr)))
		return MNL_CB_OK;
	*vif = (struct vif_sample) {
		.id = attrs_value(&attrs, NETNICE_A_VIF_ID),
		.parent_id = attrs_value(&attrs, NETNICE_A_VIF_PARENT_ID),
		.path = path_join(attrs_string(&attrs, NETNICE_A_VIF_DEVICE),
				  attrs_string(&attrs, NETNICE_A_VIF_PATH)),
	};
	if (vif->path &&
	    !take_side(&vif->side[EGRESS], attrs.of[NETNICE_A_VIF_EGRESS],
		       &vif->is_readable) &&
	    !take_side(&vif->side[INGRESS], attrs.of[NETNICE_A_VIF_INGRESS],
		       &vif->is_readable)) {
		sample->count++;
		return MNL_CB_OK;
	}
	free_vif(vif);
	errno = ENOMEM;
	return MNL_CB_ERROR;
}

int sample_read(struct sample *sample, const struct genl *genl,
		const char *path)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request;
	struct timespec now;

	request = genl_request_vifs(genl, buf, path, true);
	if (!request)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &now);
	sample->time_ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	return dump_run(genl->sock, request, take_vif, sample);
}

static int by_id(const void *a, const void *b)
{
	const struct vif_sample *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* One that was moved while they were read may be there twice. */
void sample_sort(struct sample *sample)
{
	size_t kept = 0;

	if (sample->count)
		qsort(sample->vif, sample->count, sizeof(*sample->vif), by_id);
	for (size_t i = 0; i < sample->count; i++)
		if (kept && sample->vif[kept - 1].id == sample->vif[i].id)
			free_vif(&sample->vif[i]);
		else
			sample->vif[kept++] = sample->vif[i];
	sample->count = kept;
}

void sample_free(struct sample *sample)
{
	for (size_t i = 0; i < sample->count; i++)
		free_vif(&sample->vif[i]);
	free(sample->vif);
	*sample = (struct sample) { 0 };
}
