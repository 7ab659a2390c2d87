// SPDX-License-Identifier: GPL-2.0
/* vifctl stat: the counters of VIFs, a line each direction. */
#include "stat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "figure.h"
#include "words.h"

const char stat_help[] =
	"Usage: vifctl stat [-j] [-p] [--prometheus] [dev DEV | PATH]\n"
	"\n"
	"DEV := a network device: its VIF and all below it\n"
	"PATH := a VIF, as eth0/web\n"
	"--prometheus: for a textfile collector\n"
	"\n"
	"BACKLOG and QUEUED are bytes and packets that wait, MEAN and P99 how long they\n"
	"have waited.";

/* --- text --- */

static void put_time(unsigned long long ns)
{
	char text[FIGURE_BYTES];

	figure_time(text, ns);
	printf(" %8s", text);
}

static void put_row(const unsigned long long *counter)
{
	printf(" %12llu %15llu %9llu %9llu %10llu %10llu %7llu",
	       counter[COUNTER_PACKETS], counter[COUNTER_BYTES],
	       counter[COUNTER_DROPS], counter[COUNTER_MARKS],
	       counter[COUNTER_OVERLIMITS],
	       counter[COUNTER_BACKLOG_BYTES], counter[COUNTER_BACKLOG_PACKETS]);
	put_time(counter[COUNTER_SOJOURN_MEAN]);
	put_time(counter[COUNTER_SOJOURN_P99]);
	putchar('\n');
}

static void put_name(const char *name, int width)
{
	printf("%*s", width - escape_put(stdout, name), "");
}

static void put_vif(const struct vif_info *vif, int width)
{
	for (size_t i = 0; i < VIF_DIRS; i++) {
		put_name(vif->path, width);
		printf("  %-7s", vif_dir_name[i]);
		if (vif->is_readable)
			put_row(vif->side[i].counter);
		else
			puts(" ?");
	}
}

void stat_text(const struct vif_list *list)
{
	int width = strlen("VIF"), columns;

	for (size_t i = 0; i < list->count; i++) {
		columns = escape_put(NULL, list->vif[i].path);
		width = columns > width ? columns : width;
	}
	put_name("VIF", width);
	printf("  %-7s %12s %15s %9s %9s %10s %10s %7s %8s %8s\n", "", "PACKETS",
	       "BYTES", "DROPS", "MARKS", "OVERLIMITS", "BACKLOG", "QUEUED",
	       "MEAN", "P99");
	for (size_t i = 0; i < list->count; i++)
		put_vif(&list->vif[i], width);
}

/* --- JSON: the keys of the file --- */

void stat_json_side(struct json *json, const struct vif_info *vif, int direction)
{
	if (!vif->is_readable) {
		json_null(json, vif_dir_name[direction]);
		return;
	}
	json_open(json, vif_dir_name[direction], '{');
	for (size_t i = 0; i < COUNTERS; i++)
		json_number(json, counter_name(i), vif->side[direction].counter[i]);
	json_close(json, '}');
}

void stat_json(const struct vif_list *list, bool pretty)
{
	struct json json = { .pretty = pretty };

	json_open(&json, NULL, '[');
	for (size_t i = 0; i < list->count; i++) {
		json_open(&json, NULL, '{');
		json_path(&json, list->vif[i].path);
		for (int j = 0; j < VIF_DIRS; j++)
			stat_json_side(&json, &list->vif[i], j);
		json_close(&json, '}');
	}
	json_close(&json, ']');
}

/* --- the verb --- */

int stat_run(struct options *options, char **words)
{
	bool is_prometheus = false;
	const struct flag flags[] = {
		{ "--prometheus", .value = &is_prometheus }, { .name = NULL }
	};
	struct vif_list list;
	struct scope scope;
	int status;

	status = words_take_options("stat", options, words, flags);
	if (!status && options->json && is_prometheus)
		status = usage_error("stat", "-j and --prometheus exclude each other");
	status = status ?: scope_take("stat", &scope, words) ?:
		 options_open(options) ?: options_open_genl(options);
	if (status)
		return status;
	if (vif_list_get(&list, &options->genl, scope.path, VIF_COUNTERS))
		return scope_failed("stat", &scope, &options->fs);
	if (is_prometheus)
		stat_prometheus(&list);
	else if (options->json)
		stat_json(&list, options->pretty);
	else
		stat_text(&list);
	vif_list_free(&list);
	return EXIT_OK;
}
