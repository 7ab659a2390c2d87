// SPDX-License-Identifier: GPL-2.0
/* Differences between two lists of VIFs (vif_list.h), matched by number, and a ring of values. */
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

static unsigned long long waited(const struct vif_side *now,
				 const struct vif_side *before,
				 size_t bucket)
{
	unsigned long long was =
		bucket < before->n_waits ? before->waits[bucket] : 0;

	return now->waits[bucket] > was ? now->waits[bucket] - was : 0;
}

static void measure_delay(struct top_flow *flow,
			  const struct vif_side *now,
			  const struct vif_side *before)
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

static unsigned long long passed(const struct vif_side *now,
				 const struct vif_side *before,
				 enum counter counter)
{
	return more(now->counter[counter], before->counter[counter]);
}

static void measure_flow(struct top_flow *flow, const struct vif_side *now,
			 const struct vif_side *before, double seconds)
{
	*flow = (struct top_flow) {
		.bytes_per_s = passed(now, before, COUNTER_BYTES) / seconds,
		.packets_per_s = passed(now, before, COUNTER_PACKETS) / seconds,
		.drops = passed(now, before, COUNTER_DROPS),
		.marks = passed(now, before, COUNTER_MARKS),
	};
	measure_delay(flow, now, before);
}

static float delay_of(const struct top_flow flow[VIF_DIRS])
{
	float delay = TOP_NONE;

	for (int i = 0; i < VIF_DIRS; i++)
		if (flow[i].delayed && flow[i].delay_p99_ns > delay)
			delay = flow[i].delay_p99_ns;
	return delay;
}

static void remember(struct top_vif *vif, unsigned int head, double seconds)
{
	const struct top_flow *flow = vif->flow;
	const struct vif_side *side = vif->now.side;

	if (vif->now.is_readable)
		vif->history[TOP_BACKLOG][head] =
			side[VIF_EGRESS].counter[COUNTER_BACKLOG_BYTES] +
			side[VIF_INGRESS].counter[COUNTER_BACKLOG_BYTES];
	if (!vif->is_known)
		return;
	vif->history[TOP_EGRESS][head] = flow[VIF_EGRESS].bytes_per_s * 8;
	vif->history[TOP_INGRESS][head] = flow[VIF_INGRESS].bytes_per_s * 8;
	vif->history[TOP_DROPS][head] =
		(flow[VIF_EGRESS].drops + flow[VIF_INGRESS].drops) / seconds;
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
		for (int i = 0; i < VIF_DIRS; i++)
			measure_flow(&vif->flow[i], &vif->now.side[i],
				     &old->now.side[i], seconds);
	remember(vif, head, seconds);
}

static void free_vifs(struct top_vif *vif, size_t count)
{
	for (size_t i = 0; i < count; i++)
		vif_info_free(&vif[i].now);
	free(vif);
}

static int by_id(const void *a, const void *b)
{
	const struct top_vif *const *x = a, *const *y = b;

	return (*x)->now.id < (*y)->now.id ? -1 : (*x)->now.id > (*y)->now.id;
}

/* They may be elsewhere now. */
static void update_vifs(const struct top_model *model, const struct top_vif **old,
			struct top_vif *vif, size_t count, unsigned int head)
{
	const struct top_vif **found;

	for (size_t i = 0; i < model->count; i++)
		old[i] = &model->vif[i];
	qsort(old, model->count, sizeof(*old), by_id);
	for (size_t i = 0; i < count; i++) {
		const struct top_vif *key = &vif[i];

		found = bsearch(&key, old, model->count, sizeof(*old), by_id);
		update_vif(&vif[i], found ? *found : NULL, head,
			   model->interval_ns / 1e9);
	}
}

int top_model_update(struct top_model *model, struct vif_list *list, uint64_t time_ns)
{
	struct top_vif *vif = calloc(list->count + 1, sizeof(*vif));
	const struct top_vif **old = calloc(model->count + 1, sizeof(*old));
	const unsigned int head = (model->head + 1) % TOP_HISTORY;

	if (!vif || !old) {
		free(vif);
		free(old);
		return -1;
	}
	for (size_t i = 0; i < list->count; i++)
		vif[i].now = list->vif[i];
	model->interval_ns = model->time_ns ? more(time_ns, model->time_ns) : 0;
	update_vifs(model, old, vif, list->count, head);
	free_vifs(model->vif, model->count);
	free(old);
	model->vif = vif;
	model->count = list->count;
	model->time_ns = time_ns;
	model->head = head;
	list->count = 0;
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

void top_figure(char text[FIGURE_BYTES], const struct top_model *model,
		const struct top_vif *vif, enum top_metric metric)
{
	const float value = top_value(model, vif, metric, 0);

	if (!vif->now.is_readable)
		strcpy(text, "?");
	else if (value < 0)
		strcpy(text, "-");
	else if (metric == TOP_DELAY)
		figure_time(text, value);
	else
		figure_count(text, value);
}
