// SPDX-License-Identifier: GPL-2.0
/* vifctl account: what VIFs have sent and received on each day, from the file of netniced(8). */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "escape.h"
#include "figure.h"
#include "json.h"
#include "text.h"
#include "words.h"

const char account_help[] =
	"Usage: vifctl account [--days N] [--file FILE] [PATH]\n"
	"\n"
	"PATH := a VIF, for example eth0/web: it and all below it; it may no longer exist\n"
	"N := number of days including today (default: all)\n"
	"FILE := accounts of netniced (default: /var/lib/netnice/account.db)\n"
	"\n"
	"Prints the bytes that VIFs have sent and received on each day: VIFs with account = yes in\n"
	"netniced's rules, and VIFs below them.";

#define DEFAULT_FILE	"/var/lib/netnice/account.db"
#define DAYS_MAX	1000000
#define BUSY_MS		2000

/* netniced's; a VIF's rows follow each other */
static const char query[] =
	"SELECT vif, day, egress, ingress FROM day"
	" WHERE (?1 IS NULL OR vif = ?1 OR substr(vif, 1, length(?1) + 1) = ?1 || '/')"
	" AND (?2 IS NULL OR day > date('now', 'localtime', '-' || ?2 || ' days'))"
	" ORDER BY vif, day";

struct row {
	const char *vif;
	const char *day;
	unsigned long long sent, received;
};

static void put_text(const struct row *row, const struct options *options)
{
	char sent[FIGURE_BYTES], received[FIGURE_BYTES];

	snprintf(sent, sizeof(sent), "%llu", row->sent);
	snprintf(received, sizeof(received), "%llu", row->received);
	if (options->human) {
		figure_count(sent, row->sent);
		figure_count(received, row->received);
	}
	printf("%s  %15s  %15s  ", row->day, sent, received);
	escape_put(stdout, row->vif);
	putchar('\n');
}

static void put_json(struct json *json, const struct row *row)
{
	json_open(json, NULL, '{');
	json_version(json);
	json_path(json, row->vif);
	json_string(json, "day", row->day);
	json_number(json, "egress_bytes", row->sent);
	json_number(json, "ingress_bytes", row->received);
	json_close(json, '}');
}

static int put_rows(sqlite3_stmt *rows, const struct options *options)
{
	struct json json = { .pretty = options->pretty };
	struct row row;
	int ret;

	if (options->json)
		json_open(&json, NULL, '[');
	else
		printf("%-10s  %15s  %15s  VIF\n", "DAY", "SENT", "RECEIVED");
	while ((ret = sqlite3_step(rows)) == SQLITE_ROW) {
		row = (struct row) {
			(const char *)sqlite3_column_text(rows, 0),
			(const char *)sqlite3_column_text(rows, 1),
			sqlite3_column_int64(rows, 2), sqlite3_column_int64(rows, 3)
		};
		if (options->json)
			put_json(&json, &row);
		else
			put_text(&row, options);
	}
	if (options->json)
		json_close(&json, ']');
	return ret;
}

static int print(sqlite3 *db, const char *path, unsigned long days,
		 const struct options *options)
{
	sqlite3_stmt *rows;
	int ret = sqlite3_prepare_v2(db, query, -1, &rows, NULL);

	if (ret != SQLITE_OK)
		return ret;
	if (path)
		sqlite3_bind_text(rows, 1, path, -1, SQLITE_STATIC);
	if (days)
		sqlite3_bind_int64(rows, 2, days);
	ret = put_rows(rows, options);
	sqlite3_finalize(rows);
	return ret;
}

static int run(const char *file, const char *path, unsigned long days,
	       const struct options *options)
{
	sqlite3 *db;
	int ret = sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL);

	if (ret == SQLITE_OK) {
		sqlite3_busy_timeout(db, BUSY_MS);
		ret = print(db, path, days, options);
	}
	if (ret != SQLITE_DONE)
		complain("account: %s: %s (netniced makes it, where a section of its rules has account = yes)",
			 file, sqlite3_errmsg(db));
	sqlite3_close(db);
	return ret == SQLITE_DONE ? EXIT_OK : EXIT_KERNEL;
}

static int take_days(unsigned long *days, const char *word)
{
	*days = 0;
	if (!word || (text_number(word, DAYS_MAX, days) && *days))
		return EXIT_OK;
	return usage_error("account", "'%s' is no number of days from 1 to %d", word, DAYS_MAX);
}

int account_run(struct options *options, char **words)
{
	const char *count = NULL, *file = DEFAULT_FILE;
	const struct flag flags[] = {
		{ "--days", NULL, &count, NULL },
		{ "--file", NULL, &file, NULL },
		{ NULL, NULL, NULL, NULL }
	};
	unsigned long days;
	char *path = NULL;
	int ret = words_take_options("account", options, words, flags);

	if (!ret)
		ret = take_days(&days, count);
	if (!ret && words[0])
		ret = words_take_vif("account", words[0], &path);
	if (!ret && words[0])
		ret = words_end("account", words[1]);
	return ret ?: run(file, path, days, options);
}
