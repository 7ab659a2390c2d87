// SPDX-License-Identifier: GPL-2.0
/* vifctl stat: the counters of VIFs, a line each direction. */
#include "stat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "escape.h"
#include "figure.h"
#include "json.h"
#include "words.h"

void stat_help(void)
{
	puts("Usage: vifctl stat [-j] [-p] [--prometheus] [dev DEV | PATH]\n"
	     "\n"
	     "DEV := a network device: its VIF and all below it\n"
	     "PATH := a VIF, as eth0/web\n"
	     "--prometheus: for a textfile collector\n"
	     "\n"
	     "BACKLOG and QUEUED are bytes and packets that wait, MEAN and P99 how long they\n"
	     "have waited.");
}

static const char *const directions[] = { "egress", "ingress" };

struct row {
	unsigned long long packets, bytes, drops, marks, overlimits;
	unsigned long long backlog, queued;
	unsigned long long mean_ns, p99_ns;
};

static void read_row(struct row *row, const char *stat, const char *dir)
{
	*row = (struct row) {
		.packets = stat_value(stat, dir, "packets"),
		.bytes = stat_value(stat, dir, "bytes"),
		.drops = stat_value(stat, dir, "drops"),
		.marks = stat_value(stat, dir, "marks"),
		.overlimits = stat_value(stat, dir, "overlimits"),
		.backlog = stat_value(stat, dir, "p_queue_bytes") +
			   stat_value(stat, dir, "d_queue_bytes"),
		.queued = stat_value(stat, dir, "p_queue_packets") +
			  stat_value(stat, dir, "d_queue_packets"),
		.mean_ns = stat_value(stat, dir, "sojourn_mean"),
		.p99_ns = stat_value(stat, dir, "sojourn_p99"),
	};
}

/* --- text --- */

static void put_time(unsigned long long ns)
{
	char text[FIGURE_BYTES];

	figure_time(text, ns);
	printf(" %8s", text);
}

static void put_row(const struct row *row)
{
	printf(" %12llu %15llu %9llu %9llu %10llu %10llu %7llu", row->packets,
	       row->bytes, row->drops, row->marks, row->overlimits,
	       row->backlog, row->queued);
	put_time(row->mean_ns);
	put_time(row->p99_ns);
	putchar('\n');
}

static void put_name(const char *name, int width)
{
	printf("%*s", width - escape_put(stdout, name), "");
}

static void put_vif(const struct vif_info *vif, int width)
{
	struct row row;

	for (size_t i = 0; i < 2; i++) {
		put_name(vif->path, width);
		if (!vif->stat) {
			printf("  %-7s ?\n", directions[i]);
			continue;
		}
		read_row(&row, vif->stat, directions[i]);
		printf("  %-7s", directions[i]);
		put_row(&row);
	}
}

void stat_text(const struct tree *tree)
{
	int width = strlen("VIF"), columns;

	for (size_t i = 0; i < tree->count; i++) {
		columns = escape_put(NULL, tree->vif[i].path);
		width = columns > width ? columns : width;
	}
	put_name("VIF", width);
	printf("  %-7s %12s %15s %9s %9s %10s %10s %7s %8s %8s\n", "", "PACKETS",
	       "BYTES", "DROPS", "MARKS", "OVERLIMITS", "BACKLOG", "QUEUED",
	       "MEAN", "P99");
	for (size_t i = 0; i < tree->count; i++)
		put_vif(&tree->vif[i], width);
}

/* --- JSON: the keys of the file --- */

static void put_direction(struct json *json, const char *stat,
			  const char *direction)
{
	char *text = strdup(stat), *rest = text;
	struct stat_line line;

	json_open(json, direction, '{');
	while (stat_next(&rest, &line))
		if (line.direction && !strcmp(line.direction, direction))
			json_value(json, line.key, line.value);
	json_close(json, '}');
	free(text);
}

static void put_object(struct json *json, const struct vif_info *vif)
{
	char dev[IF_NAMESIZE];

	path_device(vif->path, dev);
	json_open(json, NULL, '{');
	json_string(json, "dev", dev);
	json_string(json, "path", vif->path);
	for (size_t i = 0; i < 2; i++)
		if (vif->stat)
			put_direction(json, vif->stat, directions[i]);
		else
			json_string(json, directions[i], NULL);
	json_close(json, '}');
}

void stat_json(const struct tree *tree, bool pretty)
{
	struct json json = { .pretty = pretty };

	json_open(&json, NULL, '[');
	for (size_t i = 0; i < tree->count; i++)
		put_object(&json, &tree->vif[i]);
	json_close(&json, ']');
}

/* --- the verb --- */

int stat_run(struct options *options, char **words)
{
	bool is_prometheus = false;
	const struct flag flags[] = {
		{ "--prometheus", .value = &is_prometheus }, { .name = NULL }
	};
	struct scope scope;
	struct tree tree;
	int status;

	status = words_take_options("stat", options, words, flags);
	if (!status && options->json && is_prometheus)
		status = usage_error("stat", "-j and --prometheus exclude each other");
	if (!status)
		status = scope_take("stat", &scope, words);
	if (!status)
		status = options_open(options);
	if (status)
		return status;
	tree_init(&tree, TREE_STAT);
	if (tree_read(&tree, &options->fs, scope.path))
		status = scope_failed("stat", &scope, &options->fs);
	else if (is_prometheus)
		stat_prometheus(&tree);
	else if (options->json)
		stat_json(&tree, options->pretty);
	else
		stat_text(&tree);
	tree_free(&tree);
	return status;
}
