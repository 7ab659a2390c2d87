/* SPDX-License-Identifier: GPL-2.0 */
/* Find the rule of a process or group: the first one that matches. */
#ifndef NETNICED_MATCH_H
#define NETNICED_MATCH_H

#include "rules.h"
#include "subject.h"

/* Return the first rule that matches a process, without rules by rate, or NULL. */
const struct rule *match_process(const struct rules *rules,
				 struct subject *subject);

/* Are all conditions of a rule by rate true for a process, other than the rate? */
bool match_rated(const struct rule *rule, struct subject *subject);

/* Return the first rule that attaches the control group at @path itself, or NULL. */
const struct rule *match_group(const struct rules *rules, const char *path);

/* May a rule attach a control group below the one at @path ("/", "/a")? */
bool match_group_below(const struct rules *rules, const char *path);

#endif
