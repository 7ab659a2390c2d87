/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file (SQLite) that outlives the daemon, the module and the machine: the traffic of quotas'
 * periods, and the daily traffic of VIFs, which "vifctl account" reads. Failures are reported and
 * ignored: nothing else depends on a disk.
 */
#ifndef NETNICED_STORE_H
#define NETNICED_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "grammar/params.h"

/* A quota's period, and the bytes that were used in it. */
struct store_period {
	time_t began;
	u64 used[VIF_DIRS];
};

/* The counters of a VIF, which is identified by its number and time of creation. */
struct store_count {
	uint64_t id;
	int64_t made_ns;
	u64 bytes[VIF_DIRS];
};

/* Set the path of the file, before all other calls. */
void store_set_path(const char *path);

/* Open the file, and begin a transaction until store_end(). */
void store_begin(void);
void store_end(void);

/*
 * Begin a round: until store_count_end(), each VIF is counted once, in one transaction or several.
 */
void store_round(void);

/*
 * Find the last period of a VIF that began before @now; @per is the period's text by
 * period_print(). If all known periods began later, because the clock is not set yet, find the last
 * one. store_period_get() finds the period that began at @began. Return: whether it is known.
 */
bool store_period_find(const char *vif, const char *per, time_t now, struct store_period *period);
bool store_period_get(const char *vif, const char *per, time_t began, struct store_period *period);
void store_period_put(const char *vif, const char *per, const struct store_period *period);

/*
 * Add the traffic of a VIF since the last call to a day, "YYYY-MM-DD". @namer is the user that has
 * named the VIF. The number of new names of a user in a day is bounded; further VIFs are counted in
 * their parents only.
 */
void store_count(const char *vif, const struct store_count *count, const char *day, uid_t namer);

/* End the round: VIFs that were not counted do not exist any more. Delete them, and old days. */
void store_count_end(void);

void store_close(void);

#endif
