// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl stat --prometheus: the text format, with the names that node_exporter has for
 * qdiscs. Labels have to be UTF-8, and one file is read by many: names of VIFs are
 * escaped as everywhere, all bytes that are not plain ASCII.
 */
#include "stat.h"

#include <stdio.h>
#include <string.h>

#include "counters.h"
#include "words.h"

/**
 * struct metric - what is exported
 * @name: behind "netnice_vif_"
 * @type: of Prometheus
 * @help: for people
 * @keys: of the stat file; their sum
 * @is_time: nanoseconds there, seconds here
 */
struct metric {
	const char *name;
	const char *type;
	const char *help;
	const char *keys[2];
	bool is_time;
};

static const struct metric metrics[] = {
	{ "bytes_total", "counter", "Bytes on the wire that have left the VIF.",
	  { "bytes", NULL }, false },
	{ "packets_total", "counter",
	  "Packets on the wire that have left the VIF.",
	  { "packets", NULL }, false },
	{ "drops_total", "counter", "Packets dropped in the VIF.",
	  { "drops", NULL }, false },
	{ "marks_total", "counter", "Packets marked in the VIF (ECN).",
	  { "marks", NULL }, false },
	{ "overlimits_total", "counter", "Packets that had to wait in the VIF.",
	  { "overlimits", NULL }, false },
	{ "current_queue_length", "gauge", "Packets that wait.",
	  { "p_queue_packets", "d_queue_packets" }, false },
	{ "backlog", "gauge", "Bytes that wait.",
	  { "p_queue_bytes", "d_queue_bytes" }, false },
	{ "sojourn_mean_seconds", "gauge", "How long packets have waited, mean.",
	  { "sojourn_mean", NULL }, true },
	{ "sojourn_p99_seconds", "gauge",
	  "How long 99 of 100 packets have waited at most.",
	  { "sojourn_p99", NULL }, true },
	{ "sojourn_max_seconds", "gauge", "How long packets have waited at most.",
	  { "sojourn_max", NULL }, true },
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
		       const char *direction)
{
	char dev[IF_NAMESIZE];

	path_device(path, dev);
	printf("netnice_vif_%s{device=\"", metric->name);
	put_label(dev);
	fputs("\",vif=\"", stdout);
	put_label(path);
	printf("\",direction=\"%s\"} ", direction);
}

static void put_sample(const struct metric *metric, const struct vif_info *vif,
		       const char *direction)
{
	unsigned long long value = 0;

	for (size_t i = 0; i < 2 && metric->keys[i]; i++)
		value += stat_value(vif->stat, direction, metric->keys[i]);
	put_labels(metric, vif->path, direction);
	if (metric->is_time)
		printf("%llu.%09llu\n", value / 1000000000, value % 1000000000);
	else
		printf("%llu\n", value);
}

static void put_metric(const struct tree *tree, const struct metric *metric)
{
	printf("# HELP netnice_vif_%s %s\n", metric->name, metric->help);
	printf("# TYPE netnice_vif_%s %s\n", metric->name, metric->type);
	for (size_t i = 0; i < tree->count; i++) {
		if (!tree->vif[i].stat)
			continue;
		put_sample(metric, &tree->vif[i], "egress");
		put_sample(metric, &tree->vif[i], "ingress");
	}
}

void stat_prometheus(const struct tree *tree)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		put_metric(tree, &metrics[i]);
}
