// SPDX-License-Identifier: GPL-2.0
/* Copy sections and rules with a pattern for each device that exists. */
#include "patterns.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "links.h"
#include "netdev.h"

/* Existing devices, while patterns_follow() compares them. */
static struct links links;

static const char *below_device(const char *path)
{
	return path + strcspn(path, "/");
}

bool pattern_is(const char *path)
{
	return strcspn(path, "*?[") < strcspn(path, "/");
}

/* Any of its names; the loopback device is meant by its own only. */
static bool matches(const char *pattern, const char *device)
{
	const struct link_info *link = links_find(&links, device);
	char of_devices[IF_NAMESIZE];
	bool is;

	if (!strcmp(device, "lo"))
		return false;
	path_device(pattern, of_devices);
	is = !fnmatch(of_devices, device, 0);
	for (size_t i = 0; link && !is && i < link->altnames.count; i++)
		is = !fnmatch(of_devices, link->altnames.word[i], 0);
	return is;
}

/* A pattern is part of another one if the other one matches its text. */
const struct vif_section *patterns_find(const struct rules *rules, const char *path)
{
	char device[IF_NAMESIZE];

	path_device(path, device);
	for (size_t i = 0; i < rules->patterns; i++) {
		const char *pattern = rules->pattern[i].path;

		if (!strcmp(pattern, path) || (matches(pattern, device) &&
					       !strcmp(below_device(pattern), below_device(path))))
			return &rules->pattern[i];
	}
	return NULL;
}

/* To be freed. */
static char *path_on(const char *device, const char *pattern)
{
	char *path;

	if (asprintf(&path, "%s%s", device, below_device(pattern)) < 0)
		abort();
	return path;
}

static void add_section(struct rules *rules, const struct vif_section *pattern, char *path,
			unsigned int device)
{
	struct vif_section *vif = array_add(&rules->vif, &rules->vifs, sizeof(*vif));

	if (!vif)
		abort();
	vif->place = pattern->place;
	vif->path = path;
	vif->device = device;
	vif->period = pattern->period;
	vif->account = pattern->account;
	for (int i = 0; i < PARAM_DIRECTED; i++)
		vif->settings.value[i] = rules_copy(pattern->settings.value[i]);
}

static void add_attach(struct rule *rule, const char *device)
{
	for (size_t i = 0; i < rule->attach_pattern.count; i++) {
		const char *pattern = rule->attach_pattern.word[i];

		if (matches(pattern, device) && !words_have_device(&rule->attach, device))
			words_add(&rule->attach, path_on(device, pattern));
	}
}

static void add_device(struct rules *rules, const struct link_info *device)
{
	for (size_t i = 0; i < rules->patterns; i++) {
		const struct vif_section *pattern = &rules->pattern[i];
		char *path = matches(pattern->path, device->name) ?
			     path_on(device->name, pattern->path) : NULL;

		if (path && !rules_find_vif(rules, path))
			add_section(rules, pattern, path, device->index);
		else
			free(path);
	}
	for (size_t i = 0; i < rules->rules; i++)
		add_attach(&rules->rule[i], device->name);
}

/* --- alternative names --- */

/*
 * A path that calls its device by an alternative name (ip-link(8)) gets the device's own, which its
 * VIFs have, if the device is there. udev gives alternative names to a device before it renames it, so
 * that what is written is looked up each time. Return: whether @path has changed.
 */
static bool take_own_name(const char *written, char **path)
{
	char *word = strndup(written, strcspn(written, "/")), name[IF_NAMESIZE];
	char *now = path_on(word && netdev_find(word, name) ? name : word ?: "", written);
	const bool is_other = strcmp(now, *path);

	free(word);
	if (is_other) {
		free(*path);
		*path = now;
	} else {
		free(now);
	}
	return is_other;
}

/* @written: the first @count words as they were at first */
static bool take_own_names(struct words *words, size_t count, struct words *written)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (i == written->count)
			words_add(written, rules_copy(words->word[i]));
		any |= take_own_name(written->word[i], &words->word[i]);
	}
	return any;
}

static void drop_second(struct rules *rules, size_t i)
{
	struct vif_section *vif = &rules->vif[i];
	const struct vif_section *same = rules_find_vif(rules, vif->path);

	if (same == vif)
		for (same = vif + 1; same < rules->vif + rules->vifs; same++)
			if (!strcmp(same->path, vif->path))
				break;
	if (same == rules->vif + rules->vifs)
		return;
	rules_error(rules, &vif->place, "[vif %s] is there already, by another name of the device, at %s:%u: want one",
		    vif->path, same->place.file, same->place.line);
	vif_section_free(vif);
	*vif = rules->vif[--rules->vifs];
}

bool patterns_own_names(struct rules *rules)
{
	bool any = false;

	for (size_t i = rules->vifs; i-- > 0;) {
		struct vif_section *vif = &rules->vif[i];

		if (vif->device)
			continue;
		vif->written = vif->written ?: rules_copy(vif->path);
		if (take_own_name(vif->written, &vif->path)) {
			drop_second(rules, i);
			any = true;
		}
	}
	for (size_t i = 0; i < rules->rules; i++) {
		struct rule *rule = &rules->rule[i];

		any |= take_own_names(&rule->attach, rule->attach_named, &rule->attach_written);
		any |= take_own_names(&rule->in, rule->in.count, &rule->in_written);
	}
	if (any)
		rules_sort(rules);
	return any;
}

/* --- following devices --- */

/* Is there a section that names the device? */
static bool is_written(const struct rules *rules, const char *path)
{
	for (size_t i = 0; i < rules->vifs; i++)
		if (!rules->vif[i].device && !strcmp(rules->vif[i].path, path))
			return true;
	return false;
}

/* VIFs go along with a device that gets another name. False if none are meant there any more. */
static bool keeps(const struct rules *rules, struct vif_section *vif)
{
	char device[IF_NAMESIZE], *path;

	if (!vif->device)
		return true;
	if (!if_indextoname(vif->device, device))
		return false;
	path = path_on(device, vif->path);
	free(vif->path);
	vif->path = path;
	return patterns_find(rules, path) && !is_written(rules, path);
}

/* Keep sections that are written in a file, and sections of existing devices. */
static void drop(struct rules *rules)
{
	size_t kept = 0;

	for (size_t i = 0; i < rules->vifs; i++)
		rules->vif[i].gone = !keeps(rules, &rules->vif[i]);
	for (size_t i = 0; i < rules->vifs; i++)
		if (rules->vif[i].gone)
			vif_section_free(&rules->vif[i]);
		else
			rules->vif[kept++] = rules->vif[i];
	rules->vifs = kept;
	for (size_t i = 0; i < rules->rules; i++)
		words_cut(&rules->rule[i].attach, rules->rule[i].attach_named);
}

static bool is_any(const struct rules *rules)
{
	for (size_t i = 0; i < rules->rules; i++)
		if (rules->rule[i].attach_pattern.count)
			return true;
	return rules->patterns;
}

bool patterns_follow(struct rules *rules)
{
	const bool any = patterns_own_names(rules);

	/* without memory for all devices, the known ones stay */
	if (!is_any(rules) || links_read(&links))
		return any;
	drop(rules);
	for (size_t i = 0; i < links.count; i++)
		add_device(rules, &links.link[i]);
	links_free(&links);
	rules_sort(rules);
	return any;
}
