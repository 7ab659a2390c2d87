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

/* A quota's period, and what has been used in it. */
struct store_period {
	time_t began;
	u64 used[VIF_DIRS];
};

/* What a VIF, known by its number and when it was made, has counted. */
struct store_count {
	uint64_t id;
	int64_t made_ns;
	u64 bytes[VIF_DIRS];
};

/* Where it is, other than by default; before anything else. */
void store_set_path(const char *path);

/* Has it open, and all that follows be kept together, as a whole or not at all. */
void store_begin(void);
void store_end(void);

/* All VIFs are counted once from now on, until store_count_end(), in one transaction or several. */
void store_round(void);

/*
 * The last one that has begun by @now, of that VIF, with a period as period_print() has it. If
 * all that are known began later, as the clock is not set yet, the last one. Or the one that
 * began then. Return: whether it is known.
 */
bool store_period_find(const char *vif, const char *per, time_t now, struct store_period *period);
bool store_period_get(const char *vif, const char *per, time_t began, struct store_period *period);
void store_period_put(const char *vif, const char *per, const struct store_period *period);

/*
 * What a VIF has counted since the last time is of that day, "YYYY-MM-DD". @namer is the user that
 * has named it: each may have so many new names a day, others are counted in the VIF above only.
 */
void store_count(const char *vif, const struct store_count *count, const char *day, uid_t namer);

/* All that exist have been counted: others are forgotten, and so are old days. */
void store_count_end(void);

void store_close(void);

#endif
