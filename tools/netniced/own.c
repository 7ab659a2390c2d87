// SPDX-License-Identifier: GPL-2.0
/* Own VIFs: find, create and update them by their names. */
#include "own.h"

#include <errno.h>
#include <linux/netnice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "act.h"
#include "log.h"

#define PREFIX		"netniced."
#define TRIES_MAX	1000

/* PID, uUID or gINODE */
static bool is_id(const char *id)
{
	id += *id == 'u' || *id == 'g';
	return *id && !id[strspn(id, "0123456789")];
}

/* RULE.ID or RULE.ID.N */
static bool parse_name(const char *name, size_t len, struct own *own)
{
	const char *dot, *end;
	size_t n;

	if (len <= strlen(PREFIX) || strncmp(name, PREFIX, strlen(PREFIX)))
		return false;
	end = name + len;
	name += strlen(PREFIX);
	dot = memchr(name, '.', end - name);
	n = dot ? (size_t)(dot - name) : 0;
	if (!n || n > RULE_NAME_MAX)
		return false;
	memcpy(own->rule, name, n);
	own->rule[n] = '\0';
	dot++;
	snprintf(own->id, sizeof(own->id), "%.*s", (int)(end - dot), dot);
	own->id[strcspn(own->id, ".")] = '\0';
	return is_id(own->id);
}

bool own_find(const char *path, struct own *own)
{
	const char *name = strchr(path, '/');
	size_t len;

	for (; name; name = strchr(name, '/')) {
		name++;
		len = strcspn(name, "/");
		if (!parse_name(name, len, own))
			continue;
		snprintf(own->parent, sizeof(own->parent), "%.*s",
			 (int)(name - 1 - path), path);
		snprintf(own->path, sizeof(own->path), "%.*s",
			 (int)(name + len - path), path);
		return true;
	}
	return false;
}

bool own_is(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct own own;

	return slash && parse_name(slash + 1, strlen(slash + 1), &own);
}

static void name_it(const struct rule *rule, const char *parent,
		    const char *id, int n, char path[PATH_MAX])
{
	int len = snprintf(path, PATH_MAX, "%s/" PREFIX "%s.%s", parent,
			   rule->name, id);

	if (n > 1)
		snprintf(path + len, PATH_MAX - len, ".%d", n);
}

int own_make(const struct rule *rule, const char *parent, const char *id,
	     char path[PATH_MAX])
{
	int guard = -1;

	for (int n = 1; guard < 0 && n <= TRIES_MAX; n++) {
		name_it(rule, parent, id, n, path);
		guard = act_make_own(path);
		if (guard < 0 && errno != EEXIST)
			return -1;
		if (guard < 0 && rule->per == PER_USER && act_is_ours(path)) {
			guard = act_guard(path);
			if (guard >= 0)
				return guard;
		}
	}
	if (guard >= 0)
		act_apply(path, &rule->own, &settings_none);
	return guard;
}

static const struct settings *settings_of(const struct rules *rules,
					  const char *name)
{
	const struct rule *rule = rules ? rules_find(rules, name) : NULL;

	return rule ? &rule->own : &settings_none;
}

/* There may be no room for it where the VIF goes. */
static struct settings without_minimum(const char *path,
				       const struct settings *settings)
{
	struct settings without = *settings;

	without.value[PARAM_MINIMUM] = NULL;
	act_lower(path, &without, settings);
	return without;
}

int own_move(const struct rules *rules, const char *path,
	     const struct rule *rule)
{
	const char *parent = rule->attach.word[0];
	char to[PATH_MAX];
	struct settings before;
	struct own own;
	int ret = -1;

	if (!own_find(path, &own))
		return -1;
	before = without_minimum(path, settings_of(rules, own.rule));
	for (int n = 1; ret && n <= TRIES_MAX; n++) {
		name_it(rule, parent, own.id, n, to);
		ret = act_rename(path, to);
		if (ret && errno != EEXIST)
			return -1;
	}
	if (!ret)
		act_apply(to, &rule->own, &before);
	return ret;
}

void own_each(const char *parent,
	      void (*f)(const char *path, const struct own *own, void *arg),
	      void *arg)
{
	char **list = act_list(parent), path[PATH_MAX];
	struct own own;

	for (char **name = list; name && *name; name++) {
		snprintf(path, sizeof(path), "%s/%s", parent, *name);
		if (own_is(path) && own_find(path, &own) && act_is_ours(path))
			f(path, &own, arg);
	}
	free(list);
}

struct update {
	const struct rules *rules, *previous;
};

/* It was left without the mark if the daemon was killed while it made it. */
static void update_one(const char *path, const struct own *own, void *arg)
{
	const struct update *update = arg;

	if (rules_find(update->rules, own->rule))
		act_apply(path, settings_of(update->rules, own->rule),
			  settings_of(update->previous, own->rule));
	if (!update->previous)
		act_set(path, "autoremove", "1");
}

/* Below all VIFs that @rules may have made some in. */
static void each_of(const struct rules *rules,
		    void (*f)(const char *path, const struct own *own, void *arg),
		    void *arg)
{
	for (size_t i = 0; i < rules->rules; i++) {
		const struct rule *rule = &rules->rule[i];

		for (size_t j = 0; j < rule->attach.count; j++)
			if (rule->has_own || rule->has_rate)
				own_each(rule->attach.word[j], f, arg);
	}
}

void own_update(const struct rules *rules, const struct rules *previous)
{
	struct update update = { .rules = rules, .previous = previous };

	each_of(rules, update_one, &update);
}

static void lower_one(const char *path, const struct own *own, void *arg)
{
	const struct update *update = arg;

	act_lower(path, settings_of(update->rules, own->rule),
		  settings_of(update->previous, own->rule));
}

void own_lower(const struct rules *rules, const struct rules *previous)
{
	struct update update = { .rules = rules, .previous = previous };

	each_of(previous, lower_one, &update);
}
