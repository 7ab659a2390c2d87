// SPDX-License-Identifier: GPL-2.0
#include "store.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array.h"
#include "clock.h"
#include "log.h"

#define DEFAULT_PATH	"/var/lib/netnice/account.db"

/*
 * Days that are kept, the latest ones that there are: a clock that was in the future for a while
 * takes one place, and no day goes because of it.
 */
#define DAYS_KEPT	"400"

/* Periods of a quota that are kept: the latest ones up to the present, and behind it. */
#define PERIODS_KEPT	4

/* Users may rename their VIFs often. At most this many names a day are kept for each user. */
#define NAMES_OF_USER	256

/* vifctl may be reading. */
#define BUSY_MS		2000

static const char *path = DEFAULT_PATH;
static sqlite3 *db;
static bool has_failed;		/* and it was said */

/* @round: in which it was counted the last time */
static const char schema[] =
	"CREATE TABLE IF NOT EXISTS periods (vif TEXT, per TEXT, began INTEGER,"
	" egress INTEGER NOT NULL, ingress INTEGER NOT NULL, PRIMARY KEY (vif, per, began));"
	"CREATE TABLE IF NOT EXISTS seen (id INTEGER, made INTEGER, round INTEGER NOT NULL,"
	" egress INTEGER NOT NULL, ingress INTEGER NOT NULL, PRIMARY KEY (id, made));"
	"CREATE TABLE IF NOT EXISTS day (vif TEXT, day TEXT, egress INTEGER NOT NULL,"
	" ingress INTEGER NOT NULL, PRIMARY KEY (vif, day));"
	"CREATE INDEX IF NOT EXISTS days ON day (day);";

/* Of earlier versions, which kept the last period only. Fails if that table is not there. */
static const char taken_over[] =
	"INSERT OR IGNORE INTO periods SELECT vif, per, began, egress, ingress FROM period;"
	"DROP TABLE period;";

static sqlite3_int64 this_round, last_round;	/* when; 0: none */

/* Users, and how many names each has added to a day */
static struct namer {
	uid_t uid;
	unsigned int names;
} *namers;
static size_t n_namers;
static char day_of_names[16];

static void fail(const char *what)
{
	if (!has_failed)
		log_say(LOG_ERROR, "%s: %s: %s", path, what,
			db ? sqlite3_errmsg(db) : strerror(errno));
	has_failed = true;
}

static void run(const char *sql)
{
	if (db && sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail("cannot be written");
}

/* @types: 't' text, 'i' a number of 64 bits. NULL without a file. */
static sqlite3_stmt *prepare(const char *sql, const char *types, ...)
{
	sqlite3_stmt *statement = NULL;
	va_list args;

	if (!db)
		return NULL;
	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
		fail("cannot be read");
		return NULL;
	}
	va_start(args, types);
	for (int i = 0; types[i]; i++)
		if (types[i] == 't')
			sqlite3_bind_text(statement, i + 1, va_arg(args, const char *), -1,
					  SQLITE_STATIC);
		else
			sqlite3_bind_int64(statement, i + 1, va_arg(args, sqlite3_int64));
	va_end(args);
	return statement;
}

static void finish(sqlite3_stmt *statement)
{
	if (statement && sqlite3_step(statement) != SQLITE_DONE)
		fail("cannot be written");
	sqlite3_finalize(statement);
}

void store_set_path(const char *to)
{
	path = to;
}

/* Create the tables in one transaction. Return: all tables exist. */
static bool make_tables(void)
{
	sqlite3_busy_timeout(db, BUSY_MS);
	if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK ||
	    sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK)
		return false;
	sqlite3_exec(db, taken_over, NULL, NULL, NULL);
	return sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

static void drop_file(const char *why)
{
	fail(why);
	sqlite3_close(db);
	db = NULL;
}

/* One that is not there, cannot be read, or is busy for long is tried again at the next round. */
static void open_file(void)
{
	mode_t mask;

	if (db)
		return;
	if (!strcmp(path, DEFAULT_PATH))
		mkdir("/var/lib/netnice", 0755);
	/* whose traffic it was is root's to know */
	mask = umask(077);
	if (sqlite3_open(path, &db) != SQLITE_OK)
		drop_file("cannot be opened");
	else if (!make_tables())
		drop_file("cannot be written");
	umask(mask);
}

/* When all had been counted the last time: a later round may not have come to its end. */
static sqlite3_int64 find_last_round(void)
{
	sqlite3_stmt *rounds = prepare("SELECT min(round) FROM seen", "");
	const bool is_known = rounds && sqlite3_step(rounds) == SQLITE_ROW;
	const sqlite3_int64 found = is_known ? sqlite3_column_int64(rounds, 0) : 0;

	sqlite3_finalize(rounds);
	return found;
}

void store_begin(void)
{
	open_file();
	run("BEGIN IMMEDIATE");
}

void store_round(void)
{
	open_file();
	last_round = find_last_round();
	this_round = clock_ns(CLOCK_REALTIME) / SECOND_NS;
}

void store_end(void)
{
	if (!db)
		return;
	if (!sqlite3_get_autocommit(db))
		run("COMMIT");
	/* a disk that was full may be so no more */
	if (!sqlite3_get_autocommit(db))
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	else
		has_failed = false;
}

static bool take_period(sqlite3_stmt *found, struct store_period *period)
{
	const bool is_known = found && sqlite3_step(found) == SQLITE_ROW;

	if (is_known) {
		period->began = sqlite3_column_int64(found, 0);
		for (int dir = 0; dir < VIF_DIRS; dir++)
			period->used[dir] = sqlite3_column_int64(found, 1 + dir);
	}
	sqlite3_finalize(found);
	return is_known;
}

bool store_period_find(const char *vif, const char *per, time_t now, struct store_period *period)
{
	return take_period(prepare("SELECT began, egress, ingress FROM periods WHERE vif = ?"
				   " AND per = ? ORDER BY began <= ? DESC, began DESC LIMIT 1",
				   "tti", vif, per, (sqlite3_int64)now), period);
}

bool store_period_get(const char *vif, const char *per, time_t began, struct store_period *period)
{
	return take_period(prepare("SELECT began, egress, ingress FROM periods WHERE vif = ?"
				   " AND per = ? AND began = ?", "tti", vif, per,
				   (sqlite3_int64)began), period);
}

/* The same of periods before @period, or after it. */
static void drop_periods(const char *vif, const struct store_period *period, bool before)
{
	finish(prepare(before ? "DELETE FROM periods WHERE vif = ? AND began < (SELECT min(began)"
		       " FROM (SELECT began FROM periods WHERE vif = ? AND began <= ?"
		       " ORDER BY began DESC LIMIT ?))" :
		       "DELETE FROM periods WHERE vif = ? AND began > (SELECT max(began)"
		       " FROM (SELECT began FROM periods WHERE vif = ? AND began > ?"
		       " ORDER BY began LIMIT ?))", "ttii", vif, vif,
		       (sqlite3_int64)period->began, (sqlite3_int64)PERIODS_KEPT));
}

void store_period_put(const char *vif, const char *per, const struct store_period *period)
{
	finish(prepare("INSERT OR REPLACE INTO periods VALUES (?, ?, ?, ?, ?)", "ttiii", vif, per,
		       (sqlite3_int64)period->began, (sqlite3_int64)period->used[VIF_EGRESS],
		       (sqlite3_int64)period->used[VIF_INGRESS]));
	drop_periods(vif, period, true);
	drop_periods(vif, period, false);
}

/*
 * The whole count of a VIF is new if the VIF was created since the last time. If it existed then
 * and was not known, its account was not wanted yet.
 */
static void find_news(const struct store_count *count, u64 news[VIF_DIRS])
{
	const bool is_old = !last_round || count->made_ns / (int64_t)SECOND_NS < last_round;
	sqlite3_stmt *seen = prepare("SELECT egress, ingress FROM seen WHERE id = ? AND made = ?",
				     "ii", (sqlite3_int64)count->id, (sqlite3_int64)count->made_ns);
	const bool is_known = seen && sqlite3_step(seen) == SQLITE_ROW;

	for (int dir = 0; dir < VIF_DIRS; dir++)
		if (is_known)
			news[dir] = count->bytes[dir] - (u64)sqlite3_column_int64(seen, dir);
		else
			news[dir] = is_old ? 0 : count->bytes[dir];
	sqlite3_finalize(seen);
}

static void forget_namers(void)
{
	free(namers);
	namers = NULL;
	n_namers = 0;
}

/* Return: whether the user may have one more name on that day. Root may have any number. */
static bool takes_name(uid_t uid, const char *day)
{
	struct namer *namer = NULL;

	if (!uid)
		return true;
	if (strcmp(day_of_names, day))
		forget_namers();
	snprintf(day_of_names, sizeof(day_of_names), "%s", day);
	for (size_t i = 0; !namer && i < n_namers; i++)
		if (namers[i].uid == uid)
			namer = &namers[i];
	if (!namer)
		namer = array_add(&namers, &n_namers, sizeof(*namer));
	if (!namer)
		abort();
	namer->uid = uid;
	if (namer->names < NAMES_OF_USER) {
		namer->names++;
		return true;
	}
	if (namer->names == NAMES_OF_USER)
		log_say(LOG_WARN, "user %u has given more than %u names to VIFs today: further ones are counted in those above them only",
			uid, NAMES_OF_USER);
	namer->names = NAMES_OF_USER + 1;
	return false;
}

static void add_to_day(const char *vif, const char *day, const u64 news[VIF_DIRS], uid_t namer)
{
	const sqlite3_int64 egress = news[VIF_EGRESS], ingress = news[VIF_INGRESS];

	finish(prepare("UPDATE day SET egress = egress + ?, ingress = ingress + ?"
		       " WHERE vif = ? AND day = ?", "iitt", egress, ingress, vif, day));
	if (db && !sqlite3_changes(db) && takes_name(namer, day))
		finish(prepare("INSERT INTO day VALUES (?, ?, ?, ?)", "ttii", vif, day, egress,
			       ingress));
}

void store_count(const char *vif, const struct store_count *count, const char *day, uid_t namer)
{
	u64 news[VIF_DIRS];

	find_news(count, news);
	if (news[VIF_EGRESS] || news[VIF_INGRESS])
		add_to_day(vif, day, news, namer);
	finish(prepare("INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?, ?)", "iiiii",
		       (sqlite3_int64)count->id, (sqlite3_int64)count->made_ns, this_round,
		       (sqlite3_int64)count->bytes[VIF_EGRESS],
		       (sqlite3_int64)count->bytes[VIF_INGRESS]));
}

void store_count_end(void)
{
	finish(prepare("DELETE FROM seen WHERE round <> ?", "i", this_round));
	run("DELETE FROM day WHERE day < (SELECT min(day) FROM"
	    " (SELECT DISTINCT day FROM day ORDER BY day DESC LIMIT " DAYS_KEPT "))");
}

void store_close(void)
{
	sqlite3_close(db);
	db = NULL;
	has_failed = false;
	forget_namers();
}
