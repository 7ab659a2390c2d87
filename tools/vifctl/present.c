// SPDX-License-Identifier: GPL-2.0
#include "present.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "complain.h"

/* Return: the number of a directory, 0 where there is none. */
static ino_t number_of(const struct nnfs *fs, const char *path)
{
	struct stat status;

	return fstatat(fs->fd, path, &status, AT_SYMLINK_NOFOLLOW) ||
	       !S_ISDIR(status.st_mode) ? 0 : status.st_ino;
}

/* Return: whether something has changed. */
typedef bool (*look_fn)(struct presence *presence, const struct nnfs *fs,
			const char *path);

static bool look(struct presence *presence, const struct nnfs *fs,
		 const char *path)
{
	const ino_t before = presence->now;

	presence->now = number_of(fs, path);
	return presence->now != before;
}

static bool lose(struct presence *presence, const struct nnfs *fs,
		 const char *path)
{
	if (!presence->now || presence->now == number_of(fs, path))
		return false;
	presence->now = 0;
	return true;
}

static bool look_for_device(struct wanted_tree *tree, const struct nnfs *fs,
			look_fn fn)
{
	const char *dev = strndupa(tree->path, strcspn(tree->path, "/"));

	return fn(&tree->device, fs, dev);
}

static bool look_for_target(struct wanted_link *link, const struct nnfs *fs,
			look_fn fn)
{
	char *dir = link->target.kind->directory(link->target.name);
	bool changed = dir && fn(&link->presence, fs, dir);

	free(dir);
	return changed;
}

static bool look_for_all(struct wanted *wanted, const struct nnfs *fs, look_fn fn)
{
	bool changed = false;

	for (size_t i = 0; i < wanted->n_trees; i++)
		changed |= look_for_device(&wanted->tree[i], fs, fn);
	for (size_t i = 0; i < wanted->n_vifs; i++)
		for (size_t j = 0; j < wanted->vif[i].n_links; j++)
			changed |= look_for_target(&wanted->vif[i].link[j], fs, fn);
	return changed;
}

bool present_look(struct wanted *wanted, const struct nnfs *fs)
{
	return look_for_all(wanted, fs, look);
}

bool present_lose(struct wanted *wanted, const struct nnfs *fs)
{
	return look_for_all(wanted, fs, lose);
}

bool present_is_new(const struct presence *presence)
{
	return presence->now && presence->now != presence->done;
}

bool present_any_new(const struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->n_trees; i++)
		if (present_is_new(&wanted->tree[i].device))
			return true;
	for (size_t i = 0; i < wanted->n_vifs; i++)
		for (size_t j = 0; j < wanted->vif[i].n_links; j++)
			if (present_is_new(&wanted->vif[i].link[j].presence))
				return true;
	return false;
}

static bool is_missing(const struct wanted_tree *tree)
{
	return tree->matters && !tree->device.now;
}

bool present_all(const struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->n_trees; i++)
		if (is_missing(&wanted->tree[i]))
			return false;
	for (size_t i = 0; i < wanted->n_vifs; i++)
		for (size_t j = 0; j < wanted->vif[i].n_links; j++)
			if (!wanted->vif[i].link[j].presence.now)
				return false;
	return true;
}

static void say_missing_targets(const struct wanted_vif *vif,
				struct lines *lines)
{
	for (size_t i = 0; i < vif->n_links; i++) {
		const struct wanted_link *link = &vif->link[i];

		if (link->presence.now)
			continue;
		lines_at(lines, link->line);
		complain("vif %s: no %s %s", vif->path, link->target.kind->word,
			 link->target.name);
	}
}

void present_say_missing(const struct wanted *wanted, struct lines *lines)
{
	for (size_t i = 0; i < wanted->n_trees; i++) {
		const struct wanted_tree *tree = &wanted->tree[i];

		if (!is_missing(tree))
			continue;
		lines_at(lines, tree->line);
		complain("tree %s: no device '%.*s'", tree->path,
			 (int)strcspn(tree->path, "/"), tree->path);
	}
	for (size_t i = 0; i < wanted->n_vifs; i++)
		say_missing_targets(&wanted->vif[i], lines);
	lines_quiet();
}

void present_done(struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->n_trees; i++)
		wanted->tree[i].device.done = wanted->tree[i].device.now;
	for (size_t i = 0; i < wanted->n_vifs; i++)
		for (size_t j = 0; j < wanted->vif[i].n_links; j++) {
			struct presence *presence =
				&wanted->vif[i].link[j].presence;

			presence->done = presence->now;
		}
}
