// SPDX-License-Identifier: GPL-2.0
/* vifctl stat: the counters of VIFs, a line for each direction. */
#include "stat.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "exported.h"
#include "figure.h"
#include "prometheus.h"
#include "words.h"

const char stat_help[] =
	"Usage: vifctl stat [-j] [-p] [-c] [--human] [--prometheus] [dev DEV | PATH]\n"
	"\n"
	"DEV := a network device: its VIF and all below it\n"
	"PATH := a VIF, for example eth0/web\n"
	"--human: print units; also -s -h\n"
	"--prometheus: print the format of a textfile collector\n"
	"\n"
	"BACKLOG and QUEUED are queued bytes and packets, MEAN and P99 the queueing delay.\n"
	"LEFT, if a VIF has a quota: bytes that may still pass.";

/* --- text --- */

static bool is_bytes(enum counter counter)
{
	return counter == COUNTER_BYTES || counter == COUNTER_P_QUEUE_BYTES ||
	       counter == COUNTER_D_QUEUE_BYTES || counter == COUNTER_BACKLOG_BYTES;
}

static bool is_time(enum counter counter)
{
	return counter >= COUNTER_SOJOURN_MIN && counter <= COUNTER_SOJOURN_MAX;
}

void stat_figure(char text[FIGURE_BYTES], enum counter counter, unsigned long long value,
		 bool is_human)
{
	if (!is_human)
		snprintf(text, FIGURE_BYTES, "%llu", value);
	else if (is_time(counter))
		figure_time(text, value);
	else
		figure_count(text, value);
	if (is_human && is_bytes(counter))
		strcat(text, "B");
}

/* The columns; times have units in any case. */
static const struct {
	const char *head;
	int width;
	enum counter counter;
} columns[] = {
	{ "PACKETS", 12, COUNTER_PACKETS }, { "BYTES", 15, COUNTER_BYTES },
	{ "DROPS", 9, COUNTER_DROPS }, { "MARKS", 9, COUNTER_MARKS },
	{ "OVERLIMITS", 10, COUNTER_OVERLIMITS },
	{ "BACKLOG", 10, COUNTER_BACKLOG_BYTES },
	{ "QUEUED", 7, COUNTER_BACKLOG_PACKETS },
	{ "MEAN", 8, COUNTER_SOJOURN_MEAN }, { "P99", 8, COUNTER_SOJOURN_P99 },
};

#define COLUMNS	(sizeof(columns) / sizeof(*columns))

/* Of those that have a quota; the column is there where one of them has */
#define LEFT_HEAD	"LEFT"
#define LEFT_WIDTH	15

static bool any_has_quota(const struct vif_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->vif[i].side[VIF_EGRESS].has_quota ||
		    list->vif[i].side[VIF_INGRESS].has_quota)
			return true;
	return false;
}

static void put_left(const struct vif_side *side, bool is_human)
{
	const bool is_used_up = side->has_quota && !side->quota_left;
	char text[FIGURE_BYTES] = "-";

	if (side->has_quota)
		stat_figure(text, COUNTER_BYTES, side->quota_left, is_human);
	if (is_used_up)
		colour_begin(COLOUR_BAD);
	printf(" %*s", LEFT_WIDTH, text);
	if (is_used_up)
		colour_end();
}

static void put_row(const struct vif_side *side, bool is_human, bool with_left)
{
	const unsigned long long *counter = side->counter;
	char text[FIGURE_BYTES];

	for (size_t i = 0; i < COLUMNS; i++) {
		const enum counter id = columns[i].counter;
		const bool is_bad = id == COUNTER_DROPS && counter[id];

		stat_figure(text, id, counter[id], is_human || is_time(id));
		if (is_bad)
			colour_begin(COLOUR_BAD);
		printf(" %*s", columns[i].width, text);
		if (is_bad)
			colour_end();
	}
	if (with_left)
		put_left(side, is_human);
	putchar('\n');
}

static void put_name(const char *name, int width)
{
	printf("%*s", width - escape_put(stdout, name), "");
}

static void put_vif(const struct vif_info *vif, int width, bool is_human, bool with_left)
{
	for (size_t i = 0; i < VIF_DIRS; i++) {
		colour_begin(COLOUR_NAME);
		put_name(vif->path, width);
		colour_end();
		printf("  %-7s", vif_dir_name[i]);
		if (vif->is_readable)
			put_row(&vif->side[i], is_human, with_left);
		else
			puts(" ?");
	}
}

void stat_text(const struct vif_list *list, bool is_human)
{
	const bool with_left = any_has_quota(list);
	int width = strlen("VIF"), needed;

	for (size_t i = 0; i < list->count; i++) {
		needed = escape_put(NULL, list->vif[i].path);
		width = needed > width ? needed : width;
	}
	put_name("VIF", width);
	printf("  %-7s", "");
	for (size_t i = 0; i < COLUMNS; i++)
		printf(" %*s", columns[i].width, columns[i].head);
	if (with_left)
		printf(" %*s", LEFT_WIDTH, LEFT_HEAD);
	putchar('\n');
	for (size_t i = 0; i < list->count; i++)
		put_vif(&list->vif[i], width, is_human, with_left);
}

/* --- JSON: the keys of the file --- */

void stat_json_side(struct json *json, const struct vif_info *vif, int direction)
{
	const struct vif_side *side = &vif->side[direction];

	if (!vif->is_readable) {
		json_null(json, vif_dir_name[direction]);
		return;
	}
	json_open(json, vif_dir_name[direction], '{');
	for (size_t i = 0; i < COUNTERS; i++)
		json_number(json, counter_name(i), side->counter[i]);
	if (side->has_quota) {
		json_number(json, "quota_used", side->quota - side->quota_left);
		json_number(json, "quota_left", side->quota_left);
	}
	json_close(json, '}');
}

void stat_json(const struct vif_list *list, bool pretty)
{
	struct json json = { .pretty = pretty };

	json_open(&json, NULL, '[');
	for (size_t i = 0; i < list->count; i++) {
		json_open(&json, NULL, '{');
		json_version(&json);
		json_path(&json, list->vif[i].path);
		for (int j = 0; j < VIF_DIRS; j++)
			stat_json_side(&json, &list->vif[i], j);
		json_close(&json, '}');
	}
	json_close(&json, ']');
}

/* --- the verb --- */

static int stat_prometheus(struct vif_list *list)
{
	struct exported exported = { .of_user = EXPORTED_OF_USER, .depth = UINT_MAX };
	unsigned int *left_out = exported_select(&exported, list);

	exported_free(&exported);
	if (!left_out)
		return EXIT_KERNEL;
	prometheus_counters(stdout, list);
	free(left_out);
	return EXIT_OK;
}

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
	if (vif_list_get(&list, &options->genl, scope.path,
			 VIF_COUNTERS | (is_prometheus ? VIF_SETTINGS : 0)))
		return scope_failed("stat", &scope, &options->nn.fs);
	colour_use(options->colour);
	if (is_prometheus)
		status = stat_prometheus(&list);
	else if (options->json)
		stat_json(&list, options->pretty);
	else
		stat_text(&list, options->human);
	vif_list_free(&list);
	return status;
}
