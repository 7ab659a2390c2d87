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
	char *vif;
	char *day;
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

struct rows {
	struct row *row;
	size_t count;
};

/* Return: false without memory. */
static bool rows_add(struct rows *rows, sqlite3_stmt *query_row)
{
	struct row *row;

	/* room for a power of two */
	if (!(rows->count & (rows->count - 1))) {
		row = reallocarray(rows->row, rows->count ? 2 * rows->count : 1, sizeof(*row));
		if (!row)
			return false;
		rows->row = row;
	}
	row = &rows->row[rows->count++];
	*row = (struct row) {
		strdup((const char *)sqlite3_column_text(query_row, 0) ?: ""),
		strdup((const char *)sqlite3_column_text(query_row, 1) ?: ""),
		sqlite3_column_int64(query_row, 2), sqlite3_column_int64(query_row, 3)
	};
	return row->vif && row->day;
}

static void rows_free(struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		free(rows->row[i].vif);
		free(rows->row[i].day);
	}
	free(rows->row);
}

static void put_rows(const struct rows *rows, const struct options *options)
{
	struct json json = { .pretty = options->pretty };

	if (options->json)
		json_open(&json, NULL, '[');
	else
		printf("%-10s  %15s  %15s  VIF\n", "DAY", "SENT", "RECEIVED");
	for (size_t i = 0; i < rows->count; i++) {
		if (options->json)
			put_json(&json, &rows->row[i]);
		else
			put_text(&rows->row[i], options);
	}
	if (options->json)
		json_close(&json, ']');
}

static int read_rows(sqlite3 *db, const char *path, unsigned long days, struct rows *rows)
{
	sqlite3_stmt *found;
	int ret = sqlite3_prepare_v2(db, query, -1, &found, NULL);

	if (ret != SQLITE_OK)
		return ret;
	if (path)
		sqlite3_bind_text(found, 1, path, -1, SQLITE_STATIC);
	if (days)
		sqlite3_bind_int64(found, 2, days);
	while ((ret = sqlite3_step(found)) == SQLITE_ROW && rows_add(rows, found))
		;
	sqlite3_finalize(found);
	return ret == SQLITE_ROW ? SQLITE_NOMEM : ret;
}

static int run(const char *file, const char *path, unsigned long days,
	       const struct options *options)
{
	struct rows rows = { NULL, 0 };
	sqlite3 *db;
	int ret = sqlite3_open_v2(file, &db, SQLITE_OPEN_READONLY, NULL);

	if (ret == SQLITE_OK) {
		sqlite3_busy_timeout(db, BUSY_MS);
		ret = read_rows(db, path, days, &rows);
	}
	if (ret != SQLITE_DONE)
		complain("account: %s: %s (netniced makes it, where a section of its rules has account = yes)",
			 file, sqlite3_errmsg(db));
	sqlite3_close(db);
	/* A pager may stay open: netniced cannot store anything while the file is being read. */
	if (ret == SQLITE_DONE)
		put_rows(&rows, options);
	rows_free(&rows);
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
