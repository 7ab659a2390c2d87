// SPDX-License-Identifier: GPL-2.0
#include "group.h"

#include <errno.h>
#include <fts.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "complain.h"
#include "process.h"

/*
 * The maximum number of processes and groups that are checked; beyond it no message is printed.
 * Users can create any number of groups below a delegated group, and the caller may hold a lock for
 * which other processes wait.
 */
#define PROCESSES_MAX	4096
#define GROUPS_MAX	4096

struct looking {
	pid_t elsewhere;
	unsigned int count;
	unsigned long groups;
};

static bool is_elsewhere(struct looking *looking, pid_t pid)
{
	looking->elsewhere = pid;
	return ++looking->count <= PROCESSES_MAX && process_is_elsewhere(pid);
}

static enum group_next look_at_processes(const char *group, const struct stat *directory,
					 void *arg)
{
	struct looking *looking = arg;
	bool elsewhere = true;
	char *path;
	FILE *file;
	pid_t pid;

	/*
	 * A directory has two links, and one for each below it: these are counted before they are
	 * listed.
	 */
	looking->groups += directory->st_nlink - 2;
	if (looking->groups > GROUPS_MAX)
		return GROUP_END;
	if (asprintf(&path, "%s/cgroup.procs", group) < 0)
		return GROUP_END;
	file = fopen(path, "re");
	free(path);
	if (!file)
		return errno == ENOENT ? GROUP_BELOW : GROUP_END;
	/* 0: in a pid namespace above */
	while (elsewhere && fscanf(file, "%d", &pid) == 1)
		elsewhere = pid && is_elsewhere(looking, pid);
	elsewhere = elsewhere && !ferror(file);
	fclose(file);
	return elsewhere ? GROUP_BELOW : GROUP_END;
}

bool group_is_mounted(void)
{
	struct statfs fs;

	return !statfs(GROUP_TOP, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

/*
 * fts(3) returns a directory before it lists it, and continues if a directory was removed
 * meanwhile. With FTS_NOSTAT it does not stat files, and returns only the names of directories.
 */
bool group_walk(const char *name, group_look look, void *arg)
{
	enum group_next next = GROUP_BELOW;
	struct stat directory;
	char *path, *top[2] = { NULL };
	FTSENT *entry;
	FTS *walk;

	if (asprintf(&path, GROUP_TOP "/%s", name) < 0)
		return false;
	top[0] = path;
	walk = fts_open(top, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT | FTS_XDEV, NULL);
	while (walk && next != GROUP_END && (entry = fts_read(walk))) {
		if (entry->fts_info == FTS_D && !lstat(entry->fts_path, &directory))
			next = look(entry->fts_path, &directory, arg);
		if (entry->fts_info == FTS_D && next == GROUP_BESIDE)
			fts_set(walk, entry, FTS_SKIP);
	}
	if (walk)
		fts_close(walk);
	free(path);
	return walk && next != GROUP_END;
}

/* One of its processes, if none of them is here; 0 if one is, or that is unknown. */
static pid_t elsewhere(const char *name)
{
	struct looking looking = { 0 };

	return group_is_mounted() && group_walk(name, look_at_processes, &looking) ?
	       looking.elsewhere : 0;
}

bool group_warn_elsewhere(const char *name, const char *vif)
{
	pid_t pid = elsewhere(name);

	if (pid)
		complain("%s: cgroup %s: its processes are in another network namespace, and nothing of theirs goes by this VIF: attach the device that leads there (vifctl attach %s device DEV), or the group in that namespace (vifctl -n /proc/%d/ns/net attach ...)",
			 vif, name, vif, pid);
	return pid;
}
