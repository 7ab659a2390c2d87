// SPDX-License-Identifier: GPL-2.0
/* vifctl stat: the counters of VIFs, a line each direction. */
#include "stat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* --- text --- */

static void put_time(unsigned long long ns)
{
	char text[FIGURE_BYTES];

	figure_time(text, ns);
	printf(" %8s", text);
}

static void put_row(const unsigned long long counter[COUNTERS])
{
	printf(" %12llu %15llu %9llu %9llu %10llu %10llu %7llu",
	       counter[COUNTER_PACKETS], counter[COUNTER_BYTES],
	       counter[COUNTER_DROPS], counter[COUNTER_MARKS],
	       counter[COUNTER_OVERLIMITS],
	       counter[COUNTER_P_QUEUE_BYTES] + counter[COUNTER_D_QUEUE_BYTES],
	       counter[COUNTER_P_QUEUE_PACKETS] +
	       counter[COUNTER_D_QUEUE_PACKETS]);
	put_time(counter[COUNTER_SOJOURN_MEAN]);
	put_time(counter[COUNTER_SOJOURN_P99]);
	putchar('\n');
}

static void put_name(const char *name, int width)
{
	printf("%*s", width - escape_put(stdout, name), "");
}

static void put_vif(const struct listed *vif, int width)
{
	for (size_t i = 0; i < DIRECTIONS; i++) {
		put_name(vif->path, width);
		printf("  %-7s", direction_names[i]);
		if (vif->is_readable)
			put_row(vif->side[i].counter);
		else
			puts(" ?");
	}
}

void stat_text(const struct listing *listing)
{
	int width = strlen("VIF"), columns;

	for (size_t i = 0; i < listing->count; i++) {
		columns = escape_put(NULL, listing->vif[i].path);
		width = columns > width ? columns : width;
	}
	put_name("VIF", width);
	printf("  %-7s %12s %15s %9s %9s %10s %10s %7s %8s %8s\n", "", "PACKETS",
	       "BYTES", "DROPS", "MARKS", "OVERLIMITS", "BACKLOG", "QUEUED",
	       "MEAN", "P99");
	for (size_t i = 0; i < listing->count; i++)
		put_vif(&listing->vif[i], width);
}

/* --- JSON: the keys of the file --- */

static void put_direction(struct json *json, const char *name,
			  const unsigned long long counter[COUNTERS])
{
	json_open(json, name, '{');
	for (size_t i = 0; i < COUNTERS; i++)
		json_number(json, counter_name(i), counter[i]);
	json_close(json, '}');
}

static void put_object(struct json *json, const struct listed *vif)
{
	char dev[IF_NAMESIZE];

	path_device(vif->path, dev);
	json_open(json, NULL, '{');
	json_string(json, "dev", dev);
	json_string(json, "path", vif->path);
	for (size_t i = 0; i < DIRECTIONS; i++)
		if (vif->is_readable)
			put_direction(json, direction_names[i],
				      vif->side[i].counter);
		else
			json_null(json, direction_names[i]);
	json_close(json, '}');
}

void stat_json(const struct listing *listing, bool pretty)
{
	struct json json = { .pretty = pretty };

	json_open(&json, NULL, '[');
	for (size_t i = 0; i < listing->count; i++)
		put_object(&json, &listing->vif[i]);
	json_close(&json, ']');
}

/* --- the verb --- */

static int print(const struct options *options, const struct scope *scope,
		 const struct genl *genl, bool is_prometheus)
{
	struct listing listing;

	if (listing_read(&listing, genl, scope->path, true))
		return scope_failed("stat", scope, &options->fs);
	if (is_prometheus)
		stat_prometheus(&listing);
	else if (options->json)
		stat_json(&listing, options->pretty);
	else
		stat_text(&listing);
	listing_free(&listing);
	return EXIT_OK;
}

int stat_run(struct options *options, char **words)
{
	bool is_prometheus = false;
	const struct flag flags[] = {
		{ "--prometheus", .value = &is_prometheus }, { .name = NULL }
	};
	struct scope scope;
	struct genl genl;
	int status;

	status = words_take_options("stat", options, words, flags);
	if (!status && options->json && is_prometheus)
		status = usage_error("stat", "-j and --prometheus exclude each other");
	if (!status)
		status = scope_take("stat", &scope, words);
	if (!status)
		status = options_open(options);
	if (!status && genl_open(&genl))
		status = EXIT_KERNEL;
	if (status)
		return status;
	status = print(options, &scope, &genl, is_prometheus);
	genl_close(&genl);
	return status;
}
