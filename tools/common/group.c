// SPDX-License-Identifier: GPL-2.0
#include "group.h"

#include <fcntl.h>
#include <ftw.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "complain.h"

/* Processes that are looked at: of more nothing is said. */
#define PROCESSES_MAX	4096

/* nftw(3) has no argument */
static struct {
	struct stat here;		/* our network namespace */
	pid_t elsewhere;
	unsigned int count;
} looking;

/* Return: whether that is known. */
static bool is_elsewhere(pid_t pid)
{
	char path[64];
	struct stat there;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	if (++looking.count > PROCESSES_MAX || stat(path, &there))
		return false;
	looking.elsewhere = pid;
	return there.st_ino != looking.here.st_ino;
}

/* Return: whether there is more to be looked at. */
static bool look_at_processes(const char *group)
{
	bool elsewhere = true;
	char *path;
	FILE *file;
	pid_t pid;

	if (asprintf(&path, "%s/cgroup.procs", group) < 0)
		return false;
	file = fopen(path, "re");
	free(path);
	if (!file)
		return false;
	/* 0: in a pid namespace above */
	while (elsewhere && fscanf(file, "%d", &pid) == 1)
		elsewhere = pid && is_elsewhere(pid);
	elsewhere = elsewhere && !ferror(file);
	fclose(file);
	return elsewhere;
}

static int visit(const char *path, const struct stat *st, int type,
		 struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type != FTW_D)
		return 0;
	return look_at_processes(path) ? 0 : -1;
}

bool group_is_mounted(void)
{
	struct statfs fs;

	return !statfs(GROUP_TOP, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

pid_t group_elsewhere(const char *name)
{
	char *path;
	int ret;

	looking.elsewhere = 0;
	looking.count = 0;
	if (!group_is_mounted() || stat("/proc/self/ns/net", &looking.here) ||
	    asprintf(&path, GROUP_TOP "/%s", name) < 0)
		return 0;
	ret = nftw(path, visit, 16, FTW_PHYS | FTW_MOUNT);
	free(path);
	return ret ? 0 : looking.elsewhere;
}

void group_warn_elsewhere(const char *name, const char *vif)
{
	pid_t pid = group_elsewhere(name);

	if (pid)
		complain("%s: cgroup %s: its processes are in another network namespace, and nothing of theirs goes by this VIF: attach the device that leads there (vifctl attach %s device DEV), or the group in that namespace (vifctl -n /proc/%d/ns/net attach ...)",
			 vif, name, vif, pid);
}
