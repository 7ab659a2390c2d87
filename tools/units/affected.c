// SPDX-License-Identifier: GPL-2.0
#include "affected.h"

#include <dirent.h>
#include <fnmatch.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "generator.h"
#include "group.h"
#include "manager.h"
#include "path.h"
#include "target.h"

/*
 * The units that a folder of drop-ins is for, as a pattern: of "a@.service.d" "a@*.service", of
 * "a-.service.d" "a-*.service", of "service.d" "*.service".
 */
static int add_pattern(struct words *names, const char *folder)
{
	const int len = strlen(folder) - 2;
	const char *dot = memrchr(folder, '.', len);
	const int before = dot ? dot - folder : 0;
	const bool many = before && strchr("@-", folder[before - 1]);
	char pattern[2 * UNIT_NAME_MAX];

	snprintf(pattern, sizeof(pattern), "%.*s%s%.*s", before, folder,
		 !dot ? "*." : many ? "*" : "", len - before, folder + before);
	return words_append(names, pattern);
}

int affected_by_files(struct words *names)
{
	DIR *dir = opendir(GENERATOR_FOLDER);
	struct dirent *entry;
	char path[2 * UNIT_NAME_MAX];
	int ret = 0;

	while (!ret && dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/" GENERATOR_DROPIN, entry->d_name);
		if (unit_is_of(entry->d_name, ".d") && !faccessat(dirfd(dir), path, F_OK, 0))
			ret = add_pattern(names, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return ret;
}

struct walk {
	const struct nnfs *fs;
	const struct if_nameindex *devices;
	struct words *names;
	int ret;
};

static bool is_among(const struct words *patterns, const char *name)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (!fnmatch(patterns->word[i], name, FNM_NOESCAPE))
			return true;
	return false;
}

static bool is_of_unit(const struct walk *walk, const char *group)
{
	const struct target target = {
		.kind = &target_kinds[TARGET_CGROUP], .name = (char *)group,
	};
	bool is = false;

	for (const struct if_nameindex *dev = walk->devices; !is && dev->if_index; dev++) {
		char *vif = target_vif(walk->fs, &target, dev->if_name);

		is = vif && path_is_of_unit(vif);
		free(vif);
	}
	return is;
}

/*
 * systemd's own units are in groups that root owns. A delegated group may be the group of a unit. The
 * groups below it belong to the user, who may create any number of them.
 */
static enum group_next look_at(const char *path, const struct stat *directory, void *arg)
{
	const char *group = path + strlen(GROUP_TOP), *name = strrchr(path, '/') + 1;
	struct walk *walk = arg;

	group += *group == '/';
	/* systemd puts it before names that the kernel has, or could have */
	name += *name == '_';
	if (!*group)
		name = "-.slice";
	if (unit_is_name(name) && !is_among(walk->names, name) &&
	    is_of_unit(walk, *group ? group : "/"))
		walk->ret = words_append(walk->names, name);
	if (walk->ret)
		return GROUP_END;
	return directory->st_uid ? GROUP_BESIDE : GROUP_BELOW;
}

int affected_by_vifs(const struct nnfs *fs, struct words *names)
{
	struct if_nameindex *devices = if_nameindex();
	struct walk walk = { .fs = fs, .devices = devices, .names = names };

	if (!devices)
		return 0;
	group_walk("", look_at, &walk);
	if_freenameindex(devices);
	return walk.ret;
}
