/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What "vifctl top" knows of VIFs: their latest counters, and what has become of these
 * in the last intervals. Knows nothing of terminals, nor where samples come from.
 */
#ifndef VIFCTL_TOP_MODEL_H
#define VIFCTL_TOP_MODEL_H

#include "figure.h"
#include "vif_list.h"

#define TOP_HISTORY	64

/* What is drawn over time, and sorted by. */
enum top_metric {
	TOP_EGRESS,		/* bits per second */
	TOP_INGRESS,
	TOP_BACKLOG,		/* bytes, both directions */
	TOP_DROPS,		/* packets per second, both directions */
	TOP_DELAY,		/* ns: p99 of the slower direction */
	TOP_METRICS
};

/* There is none, as of the delay of no packets. */
#define TOP_NONE	-1.0f

/**
 * struct top_flow - a direction in the last interval
 * @bytes_per_s: that have left the VIF
 * @packets_per_s: theirs
 * @drops: packets
 * @marks: packets
 * @delayed: packets of which times are known; 0: the next two say nothing
 * @delay_mean_ns: how long they waited; at most an eighth wrong
 * @delay_p99_ns: 99 of 100 waited so long at most; up to a quarter too much
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
	bool is_known;			/* @flow is of an interval */
	struct top_flow flow[VIF_DIRS];
	float history[TOP_METRICS][TOP_HISTORY];	/* see top_value() */
};

struct top_model {
	struct top_vif *vif;		/* in the order of the list */
	size_t count;
	uint64_t time_ns;
	uint64_t interval_ns;		/* 0: there was one sample only */
	unsigned int head;		/* place of the latest in histories */
};

void top_model_free(struct top_model *model);

/**
 * top_model_update - take a new sample
 * @model: empty at first
 * @list: with counters; what it has is taken from it
 * @time_ns: of CLOCK_MONOTONIC
 *
 * Return: 0, or -1 without memory, and all is as it was.
 */
int top_model_update(struct top_model *model, struct vif_list *list, uint64_t time_ns);

/* The value @age samples ago, 0: the latest. */
float top_value(const struct top_model *model, const struct top_vif *vif,
		enum top_metric metric, unsigned int age);

/* The latest one for people: "1.25M", "-": there is none, "?": it may not be read. */
void top_figure(char text[FIGURE_BYTES], const struct top_model *model,
		const struct top_vif *vif, enum top_metric metric);

#endif
