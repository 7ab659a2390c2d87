/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data of "vifctl top": the VIFs' latest counters, and their rates in the last intervals. It is
 * independent of terminals and of the source of samples.
 */
#ifndef VIFCTL_TOP_MODEL_H
#define VIFCTL_TOP_MODEL_H

#include "figure.h"
#include "vif_list.h"

#define TOP_HISTORY	64

/* Values with a history, by which the list can be sorted. */
enum top_metric {
	TOP_EGRESS,		/* bits per second */
	TOP_INGRESS,
	TOP_BACKLOG,		/* bytes, both directions */
	TOP_DROPS,		/* packets per second, both directions */
	TOP_DELAY,		/* ns: p99 of the slower direction */
	TOP_METRICS
};

/* There is no value, for example no delay without packets. */
#define TOP_NONE	-1.0f

/**
 * struct top_flow - a direction in the last interval
 * @bytes_per_s: bytes per second that left the VIF
 * @packets_per_s: packets per second that left the VIF
 * @drops: dropped packets
 * @marks: marked packets (ECN)
 * @delayed: packets whose queueing delay is known; 0: the next two are invalid
 * @delay_mean_ns: their mean queueing delay, with an error of at most 1/8
 * @delay_p99_ns: their 99th percentile, at most 1/4 too large
 */
struct top_flow {
	double bytes_per_s;
	double packets_per_s;
	unsigned long long drops, marks;
	unsigned long long delayed;
	double delay_mean_ns;
	double delay_p99_ns;
};

struct top_vif {
	struct vif_info now;
	bool is_known;			/* @flow is valid: there was a sample before */
	struct top_flow flow[VIF_DIRS];
	float history[TOP_METRICS][TOP_HISTORY];	/* see top_value() */
};

struct top_model {
	struct top_vif *vif;		/* in the order of the sample's list */
	size_t count;
	uint64_t time_ns;
	uint64_t interval_ns;		/* 0: there is only one sample */
	unsigned int head;		/* index of the latest value in histories */
};

void top_model_free(struct top_model *model);

/**
 * top_model_update - add a sample
 * @model: the model; empty before the first sample
 * @list: VIFs with counters, which are moved to @model
 * @time_ns: time of the sample, by CLOCK_MONOTONIC
 *
 * Return: 0, or -1 without memory: then @model is unchanged.
 */
int top_model_update(struct top_model *model, struct vif_list *list, uint64_t time_ns);

/* Return the value @age samples ago; 0: the latest. */
float top_value(const struct top_model *model, const struct top_vif *vif,
		enum top_metric metric, unsigned int age);

/* Print the latest value: "1.25M"; "-": there is none; "?": the caller may not read it. */
void top_figure(char text[FIGURE_BYTES], const struct top_model *model,
		const struct top_vif *vif, enum top_metric metric);

#endif
