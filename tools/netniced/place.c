// SPDX-License-Identifier: GPL-2.0
/* Decisions for single processes and control groups. */
#include "place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act.h"
#include "clock.h"
#include "log.h"
#include "match.h"
#include "memory.h"
#include "own.h"
#include "process.h"
#include "signals.h"
#include "tree.h"

static bool attaches_to(const struct rules *rules, const char *vif)
{
	for (size_t i = 0; rules && i < rules->rules; i++)
		if (words_have(&rules->rule[i].attach, vif))
			return true;
	return false;
}

/* Whether it is rules that attach to this VIF. */
static bool is_of_rules(const struct placing *placing, const char *vif)
{
	return own_is(vif) || attaches_to(placing->rules, vif) ||
	       attaches_to(placing->previous, vif);
}

/* Whether it was rules that are gone. */
static bool is_of_dropped_rule(const struct placing *placing, const char *vif)
{
	struct own own;

	if (own_find(vif, &own))
		return !rules_find(placing->rules, own.rule);
	return attaches_to(placing->previous, vif) &&
	       !attaches_to(placing->rules, vif);
}

static bool is_by_hand(const struct placing *placing, const struct rule *rule,
		       const char *vif)
{
	if (is_of_rules(placing, vif))
		return false;
	for (size_t i = 0; i < rule->in.count; i++)
		if (path_is_below(vif, rule->in.word[i]))
			return false;
	return act_is_ours(vif);
}

/* --- which processes are in place ------------------------------------------------- */

static bool is_watched(const struct rules *rules, const char *vif)
{
	for (size_t i = 0; i < rules->rules; i++)
		if (rules->rule[i].has_rate &&
		    words_have(&rules->rule[i].in, vif))
			return true;
	return false;
}

/* It was its rate that took the VIF from where the rule had put it. */
static bool was_moved(const struct placing *placing, const struct own *own,
		      const char *target)
{
	const struct rule *by = rules_find(placing->rules, own->rule);

	return by && by->has_rate && !strcmp(by->attach.word[0], own->parent) &&
	       is_watched(placing->rules, target);
}

/* @id: identifies its own VIF, unless this VIF is for a family or a control group */
static bool is_settled(const struct placing *placing, const struct rule *rule,
		       const char *target, const char *vif, const char *id)
{
	struct own own;
	bool has_own = own_find(vif, &own);

	if (!rule->has_own)
		return path_is_below(vif, target) && !has_own;
	if (!has_own || !act_is_ours(own.path))
		return false;
	if ((strcmp(own.parent, target) || strcmp(own.rule, rule->name)) &&
	    !was_moved(placing, &own, target))
		return false;
	return rule->per == PER_FAMILY || !strcmp(own.id, id);
}

/* @vif: where an administrator has attached it, or NULL; what its user has chosen is no reason */
static bool stays(const struct placing *placing, const struct rule *rule,
		  const char *target, const char *vif, const char *id)
{
	return vif && (is_settled(placing, rule, target, vif, id) ||
		       is_by_hand(placing, rule, vif));
}

/* A VIF that was removed is created again. */
static void make_again(const struct placing *placing, const char *target)
{
	char device[IF_NAMESIZE];

	if (act_is_dry() || act_is_vif(target))
		return;
	log_say(LOG_WARN, "%s was removed: creating it again", target);
	path_device(target, device);
	tree_update_device(placing->rules, device);
}

/* --- processes ---------------------------------------------------------------------- */

/* The VIF that its parent has by the same rule, to be freed: it is of the family. */
static char *familys(const struct rule *rule, const char *target,
		     struct subject *subject)
{
	struct own own;
	bool found;
	char *vif;

	if (rule->per != PER_FAMILY)
		return NULL;
	vif = act_given(subject_parent(subject), target);
	found = vif && own_find(vif, &own) && !strcmp(own.rule, rule->name) &&
		!strcmp(own.parent, target) && act_is_ours(own.path);
	free(vif);
	return found ? strdup(own.path) : NULL;
}

/* The ID in the name of its own VIF; empty if its user is not known. */
static void own_id(const struct rule *rule, struct subject *subject, char id[OWN_ID_BYTES])
{
	unsigned int user;

	*id = '\0';
	if (rule->per != PER_USER)
		snprintf(id, OWN_ID_BYTES, "%d", subject->pid);
	else if (subject_account(subject, &user))
		snprintf(id, OWN_ID_BYTES, "u%u", user);
}

static int attach_to_own(const struct rule *rule, const char *target,
			 struct subject *subject)
{
	char *family = familys(rule, target, subject);
	char path[PATH_MAX], id[OWN_ID_BYTES];
	pid_t pid = subject->pid;
	int guard, ret;

	if (family) {
		ret = act_attach(pid, family);
		free(family);
		return ret;
	}
	own_id(rule, subject, id);
	guard = *id ? own_make(rule, target, id, path) : -1;
	if (guard < 0)
		return -1;
	ret = act_attach(pid, path);
	close(guard);
	return ret;
}

static int attach(const struct placing *placing, const struct rule *rule,
		  const char *target, struct subject *subject)
{
	make_again(placing, target);
	return rule->has_own ? attach_to_own(rule, target, subject) :
			       act_attach(subject->pid, target);
}

/* If the process is gone, its number may belong to another one now: detach that. Return: it exists. */
static bool undo_if_gone(const struct subject *subject, const char *device)
{
	if (subject_is_there(subject))
		return true;
	act_detach(subject->pid, device);
	return false;
}

/* Once for a rule: a tenant could start any number of processes in a network namespace of its own. */
static void say_effect(const struct placing *placing, const struct rule *rule, const char *target,
		       pid_t pid)
{
	if (!rule->has_no_effect && !act_can_pass(pid, target))
		rules_find(placing->rules, rule->name)->has_no_effect = true;
}

static void place_on(const struct placing *placing, const struct rule *rule,
		     const char *target, struct subject *subject)
{
	const unsigned long long start = process_start(subject->pid);
	char device[IF_NAMESIZE], id[OWN_ID_BYTES], *vif;

	path_device(target, device);
	vif = act_given(subject->pid, device);
	own_id(rule, subject, id);
	if (stays(placing, rule, target, vif, id)) {
		if (placing->adopting)
			memory_add(subject->pid, start, device, vif, true);
	} else if (act_is_vif(device) &&
		   !attach(placing, rule, target, subject) && undo_if_gone(subject, device)) {
		memory_add(subject->pid, start, device, vif, false);
		log_say(LOG_DETAIL, "[rule %s] %s, process %d: %s", rule->name,
			subject_exe(subject), subject->pid, target);
		say_effect(placing, rule, target, subject->pid);
	}
	free(vif);
}

/* Return it to its earlier VIF; another process may have attached it elsewhere since. */
static void restore(const struct placing *placing, const struct memory *memory,
		    const struct subject *subject)
{
	const char *before = memory->before && act_is_vif(memory->before) ? memory->before : NULL;
	char *vif = act_given(memory->pid, memory->device);

	if (vif && is_of_rules(placing, vif)) {
		if (before && !act_attach(memory->pid, before))
			undo_if_gone(subject, memory->device);
		else
			act_detach(memory->pid, memory->device);
	}
	free(vif);
}

static bool has_device(const struct rule *rule, const char *vif)
{
	return rule && words_have_device(&rule->attach, vif);
}

/* On devices that @rule says nothing about; NULL: on all. */
static void restore_others(const struct placing *placing,
			   const struct rule *rule, const struct subject *subject)
{
	struct memory *m = memory_first(subject->pid), *next;
	const unsigned long long start = m ? process_start(subject->pid) : 0;

	for (; m; m = next) {
		next = memory_next(m);
		if (m->inherited || has_device(rule, m->device))
			continue;
		if (m->start == start)
			restore(placing, m, subject);
		memory_drop(m);
	}
}

static void leave_dropped_on(const struct placing *placing, const char *target,
			     pid_t pid)
{
	char *vif = act_given(pid, target);

	if (vif && is_of_dropped_rule(placing, vif))
		act_detach(pid, vif);
	free(vif);
}

/* Nothing that is left of rules that are gone holds a process. */
static void leave_dropped(const struct placing *placing, pid_t pid)
{
	const struct rules *previous = placing->previous;

	for (size_t i = 0; previous && i < previous->rules; i++) {
		const struct words *attach = &previous->rule[i].attach;

		for (size_t j = 0; j < attach->count; j++)
			leave_dropped_on(placing, attach->word[j], pid);
	}
}

void place_process(const struct placing *placing, pid_t pid)
{
	const struct rule *rule;
	struct subject subject;

	if (!subject_open(&subject, pid))
		return;
	rule = match_process(placing->rules, &subject);
	/* its control group is attached, and that is enough */
	if (rule && rule_is_of_groups(rule))
		rule = NULL;
	for (size_t i = 0; rule && i < rule->attach.count; i++)
		place_on(placing, rule, rule->attach.word[i], &subject);
	restore_others(placing, rule, &subject);
	if (!rule)
		leave_dropped(placing, pid);
	subject_close(&subject);
}

/*
 * When a forked process began; 0: it has ended, and its number may be another's by now, which began after
 * the event of @time_ns.
 */
static unsigned long long start_of_child(pid_t pid, unsigned long long time_ns)
{
	const unsigned long long start = process_start(pid), tick_ns = SECOND_NS / sysconf(_SC_CLK_TCK),
				 asleep_ns = clock_ns(CLOCK_BOOTTIME) - clock_ns(CLOCK_MONOTONIC);

	return start * tick_ns <= time_ns + asleep_ns ? start : 0;
}

static bool attach_child(pid_t pid, unsigned long long time_ns, const char *vif)
{
	struct subject child;
	char device[IF_NAMESIZE];
	bool is = false;

	if (!subject_open(&child, pid))
		return false;
	path_device(vif, device);
	if (start_of_child(pid, time_ns) && !act_attach(pid, vif))
		is = undo_if_gone(&child, device);
	subject_close(&child);
	return is;
}

/*
 * A process that was forked after its parent was attached has inherited the attachment. A process
 * that was forked just before has not, and gets it now.
 */
static void inherit(const struct memory *parents, pid_t pid,
		    unsigned long long time_ns)
{
	char *vif = act_given(parents->pid, parents->device);
	bool has = time_ns > parents->since_ns;

	if (vif && (has || attach_child(pid, time_ns, vif)))
		memory_add(pid, start_of_child(pid, time_ns), parents->device, parents->before, true);
	/* so have its own children */
	if (vif && has)
		memory_find(pid, parents->device)->since_ns = time_ns;
	free(vif);
}

void place_child(pid_t pid, pid_t parent, unsigned long long time_ns)
{
	for (struct memory *m = memory_first(parent); m; m = memory_next(m))
		inherit(m, pid, time_ns);
}

void place_all(const struct placing *placing)
{
	struct process_list list;

	if (process_list_read(&list)) {
		log_say(LOG_ERROR, "cannot list the processes: %s",
			strerror(errno));
		return;
	}
	for (size_t i = 0; i < list.count; i++)
		memory_mark(list.process[i].pid, list.process[i].start);
	memory_sweep();
	for (size_t i = 0; i < list.count && !signals_end(); i++)
		place_process(placing, list.process[i].pid);
	process_list_free(&list);
}

/* --- control groups ------------------------------------------------------------------ */

static void group_id(const char *path, char id[OWN_ID_BYTES])
{
	char file[PATH_MAX];
	struct stat st;

	snprintf(file, sizeof(file), "/sys/fs/cgroup%s", path);
	snprintf(id, OWN_ID_BYTES, "g%llu",
		 stat(file, &st) ? 0ULL : (unsigned long long)st.st_ino);
}

static void attach_group(const struct placing *placing, const struct rule *rule, const char *target,
			 const char *group)
{
	char path[PATH_MAX], id[OWN_ID_BYTES];
	int guard;

	make_again(placing, target);
	if (!rule->has_own) {
		act_attach_group(group, target);
		return;
	}
	group_id(group, id);
	guard = own_make(rule, target, id, path);
	if (guard < 0)
		return;
	act_attach_group(group, path);
	close(guard);
}

static void place_group_on(const struct placing *placing,
			   const struct rule *rule, const char *target,
			   const char *group)
{
	char *vif = act_group_attached(group, target);

	if (!stays(placing, rule, target, vif, NULL) && act_has_device(target))
		attach_group(placing, rule, target, group);
	free(vif);
}

/* @by: the rule that attached it; NULL: a rule that no longer exists */
static void leave_group_on(const struct placing *placing, const struct rule *by,
			   const char *target, const char *group)
{
	char *vif = act_group_attached(group, target);

	if (vif && (by ? is_of_rules(placing, vif) :
			 is_of_dropped_rule(placing, vif)))
		act_detach_group(group, vif);
	free(vif);
}

/* A link that the rules before have made, on a device where @now makes none. */
static void leave_group(const struct placing *placing, const struct rule *now,
			const char *group)
{
	const struct rules *previous = placing->previous;
	const struct rule *by = match_group(previous, group);

	for (size_t i = 0; i < previous->rules; i++) {
		const struct rule *rule = &previous->rule[i];

		for (size_t j = 0; j < rule->attach.count; j++)
			if (!has_device(now, rule->attach.word[j]))
				leave_group_on(placing, by == rule ? by : NULL,
					       rule->attach.word[j], group);
	}
}

void place_group(const struct placing *placing, const char *path)
{
	const struct rule *rule = match_group(placing->rules, path);

	for (size_t i = 0; rule && i < rule->attach.count; i++)
		place_group_on(placing, rule, rule->attach.word[i], path);
	if (placing->previous)
		leave_group(placing, rule, path);
}
