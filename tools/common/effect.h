/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether settings are in force for what was named: the one place where all tools decide that.
 *
 * Each function reports in one sentence what is not in force, and returns whether all is. The
 * settings stay: a limit above, a device or a process that comes later may change it.
 */
#ifndef NETNICE_EFFECT_H
#define NETNICE_EFFECT_H

#include <stdbool.h>

#include "clauses.h"
#include "nnfs.h"
#include "param.h"
#include "target.h"
#include "text.h"

/* The exit status of netnice(1) and vifctl(8): done, but not in force for all that was named. */
#define EFFECT_STATUS	3

/* The bit of a direction, enum vif_dir */
#define EFFECT_DIR(dir)	(1U << (dir))
#define EFFECT_BOTH	(EFFECT_DIR(VIF_EGRESS) | EFFECT_DIR(VIF_INGRESS))

/* Whether packets of @target can pass through @vif at all. */
bool effect_target(const struct target *target, const char *vif);

/* Whether packets of processes pass through VIFs on @dev, and are known to be theirs. */
bool effect_device(const char *dev);

/* Whether a VIF's bandwidth limits both directions of a device that is attached to it. */
bool effect_attached_device(const struct nnfs *fs, const char *name, const char *vif);

/* Whether it does so for all devices that are attached to it. */
bool effect_attached_devices(const struct nnfs *fs, const char *vif);

/* Whether shares (minimum, weight, priority) of @vif mean something in one of @dirs. */
bool effect_shares(const struct nnfs *fs, const char *vif, unsigned int dirs);

/* Whether a VIF asks by a value of a setting for a share of its own. */
bool effect_asks_share(const char *vif, const struct param *param, const char *value);

/* Whether shares that @vifs have now mean something; this is said once for a device. */
bool effect_shares_of(const struct nnfs *fs, const struct words *vifs);

/*
 * Can an expression of a program for @dirs be true of this machine's own packets? "not net
 * 10.0.0.0/8" cannot if all addresses of the VIF's device are in that network.
 */
bool effect_clause(const char *vif, const struct clause *clause, unsigned int dirs);

/*
 * Whether a program for ingress that a user has made decides about all packets that it names.
 * @clauses: empty: it may name any packet
 */
bool effect_users_program(const char *vif, const struct clauses *clauses);

/* Reports that a VIF above @vif has a lower bandwidth: both hold, but the user may expect more. */
void effect_bandwidth(const struct nnfs *fs, const char *vif);

/* Report that a VIF above @vif has a bandwidth, if that may be unexpected. */
void effect_unlimited(const struct nnfs *fs, const char *vif);

#endif
