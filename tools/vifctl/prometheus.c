// SPDX-License-Identifier: GPL-2.0
/*
 * Counters in Prometheus' text format, with the names that node_exporter uses for qdiscs. Labels
 * must be UTF-8, and one file has many readers: so all bytes of a name that are not plain ASCII are
 * escaped.
 */
#include "prometheus.h"

#include <net/if.h>
#include <string.h>

#include "path.h"

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

static bool is_plain(char byte)
{
	return byte >= ' ' && byte < 0x7f && byte != '\\' && byte != '"';
}

size_t prometheus_label_bytes(const char *value)
{
	size_t bytes = 0;

	for (; *value; value++)
		bytes += is_plain(*value) ? 1 : strlen("\\\\033");
	return bytes;
}

/* The backslash of an escape is escaped again: that is the format's. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		if (is_plain(*text))
			putc(*text, out);
		else
			fprintf(out, "\\\\%03o", (unsigned char)*text);
}

void prometheus_label(FILE *out, const char *name, const char *value)
{
	fprintf(out, ",%s=\"", name);
	put_text(out, value);
	putc('"', out);
}

void prometheus_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP netnice_vif_%s %s\n", name, help);
	fprintf(out, "# TYPE netnice_vif_%s %s\n", name, type);
}

void prometheus_sample(FILE *out, const char *name, const char *path)
{
	char dev[IF_NAMESIZE];

	path_device(path, dev);
	fprintf(out, "netnice_vif_%s{device=\"", name);
	put_text(out, dev);
	putc('"', out);
	prometheus_label(out, "vif", path);
}

static void put_sample(FILE *out, const struct metric *metric, const struct vif_info *vif,
		       int direction)
{
	const unsigned long long value = vif->side[direction].counter[metric->counter];

	prometheus_sample(out, metric->name, vif->path);
	prometheus_label(out, "direction", vif_dir_name[direction]);
	if (metric->is_time)
		fprintf(out, "} %llu.%09llu\n", value / 1000000000, value % 1000000000);
	else
		fprintf(out, "} %llu\n", value);
}

static void put_metric(FILE *out, const struct vif_list *list, const struct metric *metric)
{
	prometheus_head(out, metric->name, metric->type, metric->help);
	for (size_t i = 0; i < list->count; i++) {
		if (!list->vif[i].is_readable)
			continue;
		put_sample(out, metric, &list->vif[i], VIF_EGRESS);
		put_sample(out, metric, &list->vif[i], VIF_INGRESS);
	}
}

void prometheus_counters(FILE *out, const struct vif_list *list)
{
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		put_metric(out, list, &metrics[i]);
}
