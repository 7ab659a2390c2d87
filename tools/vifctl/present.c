// SPDX-License-Identifier: GPL-2.0
/*
 * For restore.c: does an object that a file (wanted.h) names exist, and is it still the same
 * object?
 */
#include "present.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "complain.h"
#include "netdev.h"

/* Return: the number of its directory, 0 where there is none. */
static ino_t number_of(const struct presence *presence, const struct nnfs *fs)
{
	const struct target *target = presence->tree ? NULL : &presence->link->target;
	char *path = target ? target->kind->directory(target->name) :
			      strndup(presence->tree->path,
				      strcspn(presence->tree->path, "/"));
	struct stat status;
	bool is = path && !fstatat(fs->fd, path, &status, AT_SYMLINK_NOFOLLOW) &&
		  S_ISDIR(status.st_mode);

	free(path);
	return is ? status.st_ino : 0;
}

/*
 * The file's names of devices have become the devices' own when it was read. A device that came later
 * and has an alternative name of the file stays without what the file says: say so, once.
 */
static void say_other_name(struct presence *presence)
{
	char *word = presence->tree ? strndup(presence->tree->path,
					      strcspn(presence->tree->path, "/")) : NULL;
	char name[IF_NAMESIZE];

	if (word && !presence->now && !presence->has_other_name && netdev_find(word, name) &&
	    strcmp(word, name)) {
		presence->has_other_name = true;
		complain("restore: tree %s: the device is %s, which has this alternative name only since the file was read: write %s in it, or restore it again",
			 presence->tree->path, name, name);
	}
	free(word);
}

bool present_look(struct wanted *wanted, const struct nnfs *fs)
{
	bool changed = false;

	for (size_t i = 0; i < wanted->n_presences; i++) {
		struct presence *presence = &wanted->presence[i];
		const ino_t before = presence->now;

		presence->now = number_of(presence, fs);
		changed |= presence->now != before;
		say_other_name(presence);
	}
	return changed;
}

bool present_lose(struct wanted *wanted, const struct nnfs *fs)
{
	bool lost = false;

	for (size_t i = 0; i < wanted->n_presences; i++) {
		struct presence *presence = &wanted->presence[i];

		if (!presence->now || presence->now == number_of(presence, fs))
			continue;
		presence->now = 0;
		lost = true;
	}
	return lost;
}

bool present_is_new(const struct presence *presence)
{
	return presence->now && presence->now != presence->done;
}

bool present_is_part_new(const struct wanted_part *part)
{
	return part->device->now && part->device->now != part->done;
}

bool present_find_news(struct wanted *wanted)
{
	bool any = false;

	for (size_t i = 0; i < wanted->n_parts; i++) {
		wanted->part[i].has_failed = false;
		wanted->part[i].has_news = present_is_part_new(&wanted->part[i]);
		any |= wanted->part[i].has_news;
	}
	for (size_t i = wanted->n_trees; i < wanted->n_presences; i++) {
		const struct presence *presence = &wanted->presence[i];

		if (!presence->vif->tree->device->now || !present_is_new(presence))
			continue;
		presence->vif->part->has_news = true;
		any = true;
	}
	return any;
}

static bool is_missing(const struct presence *presence)
{
	return !presence->now && (!presence->tree || presence->tree->matters);
}

bool present_all(const struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->n_presences; i++)
		if (is_missing(&wanted->presence[i]))
			return false;
	return true;
}

static void say_missing(const struct presence *presence, struct lines *lines)
{
	const struct wanted_tree *tree = presence->tree;
	const struct wanted_link *link = presence->link;

	lines_at(lines, tree ? tree->line : link->line);
	if (tree)
		complain("tree %s: no device '%.*s'", tree->path,
			 (int)strcspn(tree->path, "/"), tree->path);
	else
		complain("vif %s: no %s %s", presence->vif->path,
			 link->target.kind->word, link->target.name);
}

void present_say_missing(const struct wanted *wanted, struct lines *lines)
{
	for (size_t i = 0; i < wanted->n_presences; i++)
		if (is_missing(&wanted->presence[i]))
			say_missing(&wanted->presence[i], lines);
	lines_quiet();
}

void present_done(struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->n_parts; i++) {
		struct wanted_part *part = &wanted->part[i];

		if (part->has_failed)
			continue;
		part->done = part->device->now;
		part->again = true;
		part->attempts = 0;
	}
	for (size_t i = wanted->n_trees; i < wanted->n_presences; i++)
		if (!wanted->presence[i].vif->part->has_failed)
			wanted->presence[i].done = wanted->presence[i].now;
}
