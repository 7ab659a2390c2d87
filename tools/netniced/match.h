/* SPDX-License-Identifier: GPL-2.0 */
/* Find the rule of a process or group: the first one that matches. */
#ifndef NETNICED_MATCH_H
#define NETNICED_MATCH_H

#include "rules.h"
#include "subject.h"

/* The first rule for a process, those by rate left out; or NULL. */
const struct rule *match_process(const struct rules *rules,
				 struct subject *subject);

/* Whether all that a rule by rate says about processes is true of this one. */
bool match_rated(const struct rule *rule, struct subject *subject);

/* The first rule that attaches the control group at @path itself, or NULL. */
const struct rule *match_group(const struct rules *rules, const char *path);

/* Whether a control group below the one at @path ("/", "/a") may be one. */
bool match_group_below(const struct rules *rules, const char *path);

#endif
