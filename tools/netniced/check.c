// SPDX-License-Identifier: GPL-2.0
/* Errors of rule files that are visible only in all rules together. */
#include <stdlib.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "patterns.h"

static bool is_whole(const struct vif_section *vif)
{
	return vif && !vif->broken;
}

/* A root VIF always exists. */
static bool is_declared(const struct rules *rules, const char *path)
{
	return !strchr(path, '/') || is_whole(rules_find_vif(rules, path)) ||
	       is_whole(patterns_find(rules, path));
}

static void check_parent(struct rules *rules, struct vif_section *vif)
{
	char parent[PATH_MAX], *slash;

	snprintf(parent, sizeof(parent), "%s", vif->path);
	slash = strrchr(parent, '/');
	if (!slash)
		return;
	*slash = '\0';
	if (vif->broken || is_declared(rules, parent))
		return;
	rules_error(rules, &vif->place,
		    "[vif %s] is below a VIF that no section makes: want [vif %s], too",
		    vif->path, parent);
	vif->broken = true;
}

/* A section with an error makes the sections of VIFs below invalid, which may be earlier in the file. */
static void check_parents(struct rules *rules)
{
	unsigned int errors;

	do {
		errors = rules->errors;
		for (size_t i = 0; i < rules->vifs; i++)
			check_parent(rules, &rules->vif[i]);
		for (size_t i = 0; i < rules->patterns; i++)
			check_parent(rules, &rules->pattern[i]);
	} while (rules->errors > errors);
}

static void check_places(struct rules *rules, const struct rule *rule,
			 const struct words *attach)
{
	for (size_t i = 0; i < attach->count; i++)
		if (!is_declared(rules, attach->word[i]))
			rules_error(rules, &rule->place,
				    "[rule %s] attaches to %s, which no section makes: want [vif %s], too",
				    rule->name, attach->word[i], attach->word[i]);
}

static void check_where(struct rules *rules, const struct vif_section *vif,
			const struct clause *clause)
{
	if (clause_is_verdict(clause) ||
	    (rules_class_below(rules, vif, clause->where, VIF_EGRESS) &&
	     rules_class_below(rules, vif, clause->where, VIF_INGRESS)))
		return;
	rules_error(rules, &vif->place,
		    "[vif %s]: program: = %s: want stay, drop, or the name of a VIF right below with a section that has a class: [vif %s/%s] with class = 1 (up to %d)",
		    vif->path, clause->where, vif->path, clause->where, VIF_CLASS_MAX);
}

static void check_program(struct rules *rules, struct vif_section *vif)
{
	char why[EXPRESSION_WHY];
	int ret;

	if (!vif->program)
		return;
	ret = clauses_read(&vif->clauses, vif->program, &vif->names, why);
	if (ret) {
		rules_error(rules, &vif->place, "[vif %s]: program: %s%s", vif->path, why,
			    ret == CLAUSES_FORM ?
			    ": want EXPRESSION = VIF; ... (name *.example.org = bulk)" : "");
		return;
	}
	for (size_t i = 0; i < vif->clauses.count; i++)
		check_where(rules, vif, &vif->clauses.clause[i]);
}

static void check_attach(struct rules *rules, const struct rule *rule)
{
	if (!rule->attach.count && !rule->attach_pattern.count)
		rules_error(rules, &rule->place,
			    "[rule %s] attaches to nothing: want attach = DEVICE/NAME",
			    rule->name);
	check_places(rules, rule, &rule->attach);
	check_places(rules, rule, &rule->attach_pattern);
}

static bool has_condition(const struct rule *rule)
{
	return rule->exe.count || ids_any(&rule->user) || ids_any(&rule->group) ||
	       rule->cgroup.count || rule->unit.count || rule->in.count;
}

/* Whether another rule puts VIFs of their own below that one. */
static bool is_parent_of_own(const struct rules *rules, const struct rule *but,
			     const char *vif)
{
	for (size_t i = 0; i < rules->rules; i++)
		if (&rules->rule[i] != but &&
		    (rules->rule[i].has_own || rules->rule[i].has_rate) &&
		    words_have(&rules->rule[i].attach, vif))
			return true;
	return false;
}

static void check_rate(struct rules *rules, const struct rule *rule)
{
	char from[IF_NAMESIZE], to[IF_NAMESIZE];

	if (rule->in.count != 1 || rule->attach.count != 1 || rule->attach_pattern.count) {
		rules_error(rules, &rule->place,
			    "[rule %s] moves by rate: want one VIF in \"in\" and one in \"attach\"",
			    rule->name);
		return;
	}
	path_device(rule->in.word[0], from);
	path_device(rule->attach.word[0], to);
	if (strcmp(from, to) || !strcmp(rule->in.word[0], rule->attach.word[0]))
		rules_error(rules, &rule->place,
			    "[rule %s] moves from %s to %s: want two VIFs of one device",
			    rule->name, rule->in.word[0], rule->attach.word[0]);
	if (!is_parent_of_own(rules, rule, rule->in.word[0]))
		rules_error(rules, &rule->place,
			    "[rule %s] watches the rates of VIFs below %s, where no rule makes any: want one with attach = %s and own",
			    rule->name, rule->in.word[0], rule->in.word[0]);
}

static void check_rule(struct rules *rules, const struct rule *rule)
{
	check_attach(rules, rule);
	if (!has_condition(rule))
		rules_error(rules, &rule->place,
			    "[rule %s] says nothing about who is attached: want exe, user, group, cgroup, unit or in",
			    rule->name);
	if (rule->per && (!rule->has_own || rule_is_of_groups(rule)))
		rules_error(rules, &rule->place,
			    "[rule %s]: per goes with own, and with processes: want both, or neither",
			    rule->name);
	if (rule->has_rate)
		check_rate(rules, rule);
}

/* A VIF whose program has an error still gets its limits. */
static void check_programs(struct rules *rules)
{
	for (size_t i = 0; i < rules->vifs; i++) {
		struct vif_section *vif = &rules->vif[i];
		const unsigned int errors = rules->errors;

		check_program(rules, vif);
		if (rules->errors == errors)
			continue;
		clauses_free(&vif->clauses);
		words_free(&vif->names);
		free(vif->program);
		vif->program = NULL;
	}
}

void rules_check(struct rules *rules)
{
	check_parents(rules);
	check_programs(rules);
	for (size_t i = 0; i < rules->rules; i++) {
		const unsigned int errors = rules->errors;

		if (!rules->rule[i].broken)
			check_rule(rules, &rules->rule[i]);
		if (rules->errors > errors)
			rules->rule[i].broken = true;
	}
}

static bool has_bandwidth(const struct vif_section *vif)
{
	return vif && vif->settings.value[PARAM_BANDWIDTH];
}

static bool is_limited_above(const struct rules *rules, const char *path)
{
	char above[PATH_MAX], *slash;

	snprintf(above, sizeof(above), "%s", path);
	while ((slash = strrchr(above, '/'))) {
		*slash = '\0';
		if (has_bandwidth(rules_find_vif(rules, above)) ||
		    has_bandwidth(patterns_find(rules, above)))
			return true;
	}
	return false;
}

static void say_effect(const struct rules *rules, const struct vif_section *vif)
{
	if (param_has_share(vif->settings.value) && strchr(vif->path, '/') && !is_limited_above(rules, vif->path))
		log_say(LOG_NOTE,
			"%s:%u: [vif %s]: minimum, weight and priority have an effect if a VIF above has a bandwidth: no section gives it one",
			vif->place.file, vif->place.line, vif->path);
}

void rules_say_effect(const struct rules *rules)
{
	for (size_t i = 0; i < rules->vifs; i++)
		say_effect(rules, &rules->vif[i]);
	for (size_t i = 0; i < rules->patterns; i++)
		say_effect(rules, &rules->pattern[i]);
}
