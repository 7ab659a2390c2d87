// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl stat --prometheus: the text format, with the names that node_exporter has for
 * qdiscs. Labels have to be UTF-8, and one file is read by many: names of VIFs are
 * escaped as everywhere, all bytes that are not plain ASCII.
 */
#include "stat.h"

#include <stdio.h>
#include <string.h>

#include "words.h"

/**
 * struct metric - what is exported
 * @name: behind "netnice_vif_"
 * @type: of Prometheus
 * @help: for people
 * @counter: what is exported
 * @is_time: nanoseconds there, seconds here
 */
struct metric {
	const char *name;
	const char *type;
	const char *help;
	enum counter counter;
	bool is_time;
};

static const struct metric metrics[] = {
	{ "bytes_total", "counter", "Bytes on the wire that have left the VIF.",
	  COUNTER_BYTES, false },
	{ "packets_total", "counter",
	  "Packets on the wire that have left the VIF.",
	  COUNTER_PACKETS, false },
	{ "drops_total", "counter", "Packets dropped in the VIF.",
	  COUNTER_DROPS, false },
	{ "marks_total", "counter", "Packets marked in the VIF (ECN).",
	  COUNTER_MARKS, false },
	{ "overlimits_total", "counter", "Packets that had to wait in the VIF.",
	  COUNTER_OVERLIMITS, false },
	{ "current_queue_length", "gauge", "Packets that wait.",
	  COUNTER_BACKLOG_PACKETS, false },
	{ "backlog", "gauge", "Bytes that wait.",
	  COUNTER_BACKLOG_BYTES, false },
	{ "sojourn_mean_seconds", "gauge", "How long packets have waited, mean.",
	  COUNTER_SOJOURN_MEAN, true },
	{ "sojourn_p99_seconds", "gauge",
	  "How long 99 of 100 packets have waited at most.",
	  COUNTER_SOJOURN_P99, true },
	{ "sojourn_max_seconds", "gauge", "How long packets have waited at most.",
	  COUNTER_SOJOURN_MAX, true },
};

/* The backslash of an escape is escaped again: that is the format's. */
static void put_label(const char *text)
{
	for (; *text; text++)
		if (*text >= ' ' && *text < 0x7f && *text != '\\' &&
		    *text != '"')
			putchar(*text);
		else
			printf("\\\\%03o", (unsigned char)*text);
}

static void put_labels(const struct metric *metric, const char *path,
		       int direction)
{
	char dev[IF_NAMESIZE];

	path_device(path, dev);
	printf("netnice_vif_%s{device=\"", metric->name);
	put_label(dev);
	fputs("\",vif=\"", stdout);
	put_label(path);
	printf("\",direction=\"%s\"} ", vif_dir_name[direction]);
}

static void put_sample(const struct metric *metric, const struct vif_info *vif,
		       int direction)
{
	const unsigned long long value = vif->side[direction].counter[metric->counter];

	put_labels(metric, vif->path, direction);
	if (metric->is_time)
		printf("%llu.%09llu\n", value / 1000000000, value % 1000000000);
	else
		printf("%llu\n", value);
}

static void put_metric(const struct vif_list *list, const struct metric *metric)
{
	printf("# HELP netnice_vif_%s %s\n", metric->name, metric->help);
	printf("# TYPE netnice_vif_%s %s\n", metric->name, metric->type);
	for (size_t i = 0; i < list->count; i++) {
		if (!list->vif[i].is_readable)
			continue;
		put_sample(metric, &list->vif[i], VIF_EGRESS);
		put_sample(metric, &list->vif[i], VIF_INGRESS);
	}
}

void stat_prometheus(const struct vif_list *list)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		put_metric(list, &metrics[i]);
}
