// SPDX-License-Identifier: GPL-2.0
/* Conditions: all conditions of a rule must be true; a condition is true if one of its words is. */
#include "match.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "act.h"
#include "own.h"

/* systemd escapes names of units by backslashes, which therefore stand for themselves. */
#define GROUP_FLAGS	(FNM_PATHNAME | FNM_NOESCAPE)

static bool is_exe(const struct words *exe, struct subject *subject)
{
	for (size_t i = 0; i < exe->count; i++) {
		const char *word = exe->word[i];

		if (word_is_pattern(word) ? !fnmatch(word, subject_exe(subject), FNM_NOESCAPE) :
					    subject_runs(subject, word))
			return true;
	}
	return !exe->count;
}

static bool has_id(const struct ids *ids, struct subject *subject,
		   bool (*has)(struct subject *subject, const struct id_range *range))
{
	for (size_t i = 0; i < ids->count; i++)
		if (has(subject, &ids->id[i]))
			return true;
	return !ids_any(ids);
}

static bool is_cgroup(const struct words *cgroup, const char *path)
{
	for (size_t i = 0; i < cgroup->count; i++)
		if (!fnmatch(cgroup->word[i], path, GROUP_FLAGS))
			return true;
	return false;
}

static bool is_slice(const char *name, size_t len)
{
	static const char slice[] = ".slice";
	const size_t tail = sizeof(slice) - 1;

	return len >= tail && !memcmp(name + len - tail, slice, tail);
}

/*
 * A unit of the system: only slices are above it. Below them users and containers
 * name groups as they like.
 */
static bool is_unit(const struct words *unit, const char *path)
{
	const char *name = path + 1, *slash;

	while ((slash = strchr(name, '/'))) {
		if (!is_slice(name, slash - name))
			return false;
		name = slash + 1;
	}
	for (size_t i = 0; i < unit->count; i++)
		if (!fnmatch(unit->word[i], name, FNM_NOESCAPE))
			return true;
	return false;
}

static bool is_this_group(const struct rule *rule, const char *path)
{
	return (!rule->cgroup.count || is_cgroup(&rule->cgroup, path)) &&
	       (!rule->unit.count || is_unit(&rule->unit, path));
}

/* Test all groups of a process: its own, and each one above up to the root group. */
static bool is_in_cgroup(const struct rule *rule, struct subject *subject)
{
	char path[PATH_MAX], *slash;

	if (!rule->cgroup.count && !rule->unit.count)
		return true;
	snprintf(path, sizeof(path), "%s", subject_cgroup(subject));
	while (*path) {
		if (is_this_group(rule, path))
			return true;
		slash = strrchr(path, '/');
		if (slash == path && path[1])
			path[1] = '\0';
		else
			*slash = '\0';
	}
	return false;
}

static bool is_at_target(const struct rule *rule, const char *vif)
{
	struct own own;

	if (rule->has_own)
		return own_find(vif, &own) && !strcmp(own.rule, rule->name) &&
		       act_is_ours(own.path);
	for (size_t i = 0; i < rule->attach.count; i++)
		if (path_is_below(vif, rule->attach.word[i]))
			return true;
	return false;
}

/*
 * The VIF of the packets of a process counts, not other attachments by its user. A process that this
 * rule has moved from there still matches.
 */
static bool is_in_vif(const struct rule *rule, const struct subject *subject)
{
	struct belonging at;
	bool found = false;

	for (size_t i = 0; !found && i < rule->in.count; i++) {
		if (act_belonging(subject->pid, rule->in.word[i], &at))
			continue;
		found = (at.now && path_is_below(at.now, rule->in.word[i])) ||
			(at.given && is_at_target(rule, at.given));
		belonging_free(&at);
	}
	return found || !rule->in.count;
}

/*
 * The user and the groups come last: of a process that a user has put into 65,536 groups, the kernel
 * takes 50 ms to write /proc/PID/status, which has them.
 */
bool match_rated(const struct rule *rule, struct subject *subject)
{
	return is_exe(&rule->exe, subject) && is_in_cgroup(rule, subject) &&
	       has_id(&rule->user, subject, subject_is_user) &&
	       has_id(&rule->group, subject, subject_is_in_group);
}

const struct rule *match_process(const struct rules *rules,
				 struct subject *subject)
{
	for (size_t i = 0; i < rules->rules; i++) {
		const struct rule *rule = &rules->rule[i];

		if (!rule->has_rate && match_rated(rule, subject) &&
		    is_in_vif(rule, subject))
			return rule;
	}
	return NULL;
}

const struct rule *match_group(const struct rules *rules, const char *path)
{
	for (size_t i = 0; i < rules->rules; i++) {
		const struct rule *rule = &rules->rule[i];

		if (rule_is_of_groups(rule) && is_this_group(rule, path))
			return rule;
	}
	return NULL;
}

/* Whether a group below @path may match: the pattern's parts so far do, and it has more. */
static bool is_above_cgroup(const char *pattern, const char *path)
{
	char above[PATH_MAX];
	const char *end = pattern;

	/* as many parts as the path has */
	for (const char *at = path; *end && at[0] && at[1]; at += 1 + strcspn(at + 1, "/"))
		end += 1 + strcspn(end + 1, "/");
	if (*end != '/' || !end[1])
		return false;
	snprintf(above, sizeof(above), "%.*s", (int)(end - pattern), pattern);
	return !fnmatch(above, path[1] ? path : "", GROUP_FLAGS);
}

static bool may_hold_cgroup(const struct words *cgroup, const char *path)
{
	for (size_t i = 0; i < cgroup->count; i++)
		if (is_above_cgroup(cgroup->word[i], path))
			return true;
	return !cgroup->count;
}

/* Only slices are above a unit. */
static bool may_hold_unit(const struct words *unit, const char *path)
{
	for (const char *at = path; unit->count && at[0] && at[1]; at += 1 + strcspn(at + 1, "/"))
		if (!is_slice(at + 1, strcspn(at + 1, "/")))
			return false;
	return true;
}

bool match_group_below(const struct rules *rules, const char *path)
{
	for (size_t i = 0; i < rules->rules; i++) {
		const struct rule *rule = &rules->rule[i];

		if (rule_is_of_groups(rule) && may_hold_cgroup(&rule->cgroup, path) &&
		    may_hold_unit(&rule->unit, path))
			return true;
	}
	return false;
}
