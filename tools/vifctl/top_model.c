// SPDX-License-Identifier: GPL-2.0
#include "top_model.h"

#include <stdlib.h>
#include <string.h>

#define TICK_NS		1024.0

/* --- how long packets waited: netnice_netlink.h says which bucket is what --- */

static double bucket_begin(size_t bucket)
{
	if (bucket < 4)
		return bucket;
	return (double)((4ULL + bucket % 4) << (bucket / 4 - 1));
}

/* The longest time that belongs to it */
static double bucket_end(size_t bucket)
{
	return bucket < 4 ? bucket : bucket_begin(bucket + 1) - 1;
}

/* Beyond these, times do not fit into the arithmetics above; the kernel has 124. */
#define BUCKETS_MAX	240

static unsigned long long waited(const struct vif_counters *now,
				 const struct vif_counters *before,
				 size_t bucket)
{
	unsigned long long was =
		bucket < before->n_waits ? before->waits[bucket] : 0;

	return now->waits[bucket] > was ? now->waits[bucket] - was : 0;
}

static void measure_delay(struct top_flow *flow,
			  const struct vif_counters *now,
			  const struct vif_counters *before)
{
	size_t n = now->n_waits < BUCKETS_MAX ? now->n_waits : BUCKETS_MAX;
	unsigned long long packets, above = 0;
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		packets = waited(now, before, i);
		flow->delayed += packets;
		sum += packets * (bucket_begin(i) + bucket_end(i)) / 2;
	}
	if (!flow->delayed)
		return;
	flow->delay_mean_ns = sum / flow->delayed * TICK_NS;
	while (n--) {
		above += waited(now, before, n);
		if (above > flow->delayed / 100)
			break;
	}
	flow->delay_p99_ns = bucket_end(n) * TICK_NS;
}

/* --- intervals --- */

static unsigned long long more(unsigned long long now,
			       unsigned long long before)
{
	return now > before ? now - before : 0;
}

static void measure_flow(struct top_flow *flow, const struct vif_counters *now,
			 const struct vif_counters *before, double seconds)
{
	*flow = (struct top_flow) {
		.bytes_per_s = more(now->bytes, before->bytes) / seconds,
		.packets_per_s = more(now->packets, before->packets) / seconds,
		.drops = more(now->drops, before->drops),
		.marks = more(now->marks, before->marks),
	};
	measure_delay(flow, now, before);
}

static float delay_of(const struct top_flow flow[DIRECTIONS])
{
	float delay = TOP_NONE;

	for (int i = 0; i < DIRECTIONS; i++)
		if (flow[i].delayed && flow[i].delay_p99_ns > delay)
			delay = flow[i].delay_p99_ns;
	return delay;
}

static void remember(struct top_vif *vif, unsigned int head, double seconds)
{
	const struct top_flow *flow = vif->flow;
	const struct vif_counters *side = vif->now.side;

	if (vif->now.is_readable)
		vif->history[TOP_BACKLOG][head] = side[EGRESS].backlog_bytes +
						  side[INGRESS].backlog_bytes;
	if (!vif->is_known)
		return;
	vif->history[TOP_EGRESS][head] = flow[EGRESS].bytes_per_s * 8;
	vif->history[TOP_INGRESS][head] = flow[INGRESS].bytes_per_s * 8;
	vif->history[TOP_DROPS][head] =
		(flow[EGRESS].drops + flow[INGRESS].drops) / seconds;
	vif->history[TOP_DELAY][head] = delay_of(flow);
}

static void begin_history(struct top_vif *vif)
{
	for (int i = 0; i < TOP_METRICS; i++)
		for (int j = 0; j < TOP_HISTORY; j++)
			vif->history[i][j] = TOP_NONE;
}

static void update_vif(struct top_vif *vif, const struct top_vif *old,
		       unsigned int head, double seconds)
{
	if (old)
		memcpy(vif->history, old->history, sizeof(vif->history));
	else
		begin_history(vif);
	for (int i = 0; i < TOP_METRICS; i++)
		vif->history[i][head] = TOP_NONE;
	vif->is_known = old && seconds > 0 && vif->now.is_readable &&
			old->now.is_readable;
	if (vif->is_known)
		for (int i = 0; i < DIRECTIONS; i++)
			measure_flow(&vif->flow[i], &vif->now.side[i],
				     &old->now.side[i], seconds);
	remember(vif, head, seconds);
}

static void free_vifs(struct top_vif *vif, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(vif[i].now.path);
		for (int j = 0; j < DIRECTIONS; j++)
			vif_counters_free(&vif[i].now.side[j]);
	}
	free(vif);
}

int top_model_update(struct top_model *model, struct sample *sample)
{
	struct top_vif *vif = calloc(sample->count + 1, sizeof(*vif));
	unsigned int head = (model->head + 1) % TOP_HISTORY;
	const struct top_vif *old;
	double seconds;
	size_t at = 0;

	if (!vif)
		return -1;
	model->interval_ns = model->time_ns ?
			     more(sample->time_ns, model->time_ns) : 0;
	seconds = model->interval_ns / 1e9;
	for (size_t i = 0; i < sample->count; i++) {
		vif[i].now = sample->vif[i];
		while (at < model->count &&
		       model->vif[at].now.id < vif[i].now.id)
			at++;
		old = at < model->count ? &model->vif[at] : NULL;
		update_vif(&vif[i], old && old->now.id == vif[i].now.id ?
			   old : NULL, head, seconds);
	}
	free_vifs(model->vif, model->count);
	model->vif = vif;
	model->count = sample->count;
	model->time_ns = sample->time_ns;
	model->head = head;
	sample->count = 0;
	return 0;
}

void top_model_free(struct top_model *model)
{
	free_vifs(model->vif, model->count);
	*model = (struct top_model) { 0 };
}

float top_value(const struct top_model *model, const struct top_vif *vif,
		enum top_metric metric, unsigned int age)
{
	if (age >= TOP_HISTORY)
		return TOP_NONE;
	return vif->history[metric][(model->head + TOP_HISTORY - age) %
				    TOP_HISTORY];
}

static int by_id(const void *a, const void *b)
{
	const struct top_vif *x = a, *y = b;

	return x->now.id < y->now.id ? -1 : x->now.id > y->now.id;
}

struct top_vif *top_model_find(const struct top_model *model, uint64_t id)
{
	struct top_vif key = { .now.id = id };

	return model->count ? bsearch(&key, model->vif, model->count,
				      sizeof(key), by_id) : NULL;
}

const char *top_vif_name(const struct top_vif *vif)
{
	const char *slash = strrchr(vif->now.path, '/');

	return slash ? slash + 1 : vif->now.path;
}
