// SPDX-License-Identifier: GPL-2.0
/*
 * Objects that can be attached, by their directories in the file system: tasks/PID, cgroups/PATH
 * and so on.
 */
#include "target.h"

#include <errno.h>
#include <limits.h>
#include <linux/netnice.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "number.h"
#include "pid.h"

/*
 * The name for new links. A link under a new name replaces an earlier attachment. No entry of these
 * directories can have this name: names of devices have no white space, names of groups no line
 * feed. The file system remembers short names of links for a second, for ln -sf, but not one of
 * this length: so the next link may have the same name.
 */
#define NEW_LINK	"a link of a tool, whose name is that of the device\n"

static char *below(const char *directory, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static char *invalid(void)
{
	errno = EINVAL;
	return NULL;
}

static char *process_directory(const char *name)
{
	return process_parse_pid(name) ? below("tasks", name) : invalid();
}

static char *thread_directory(const char *name)
{
	pid_t tid = process_parse_pid(name);
	char *path;

	if (!tid)
		return invalid();
	return asprintf(&path, "tasks/%d/threads/%d", process_leader(tid),
			tid) < 0 ? NULL : path;
}

static char *socket_directory(const char *name)
{
	char *pid = strdup(name), *fd, *path = NULL;
	unsigned long number;

	if (!pid)
		return NULL;
	fd = strchr(pid, ':');
	if (fd)
		*fd++ = '\0';
	if (!fd || !process_parse_pid(pid) || !text_number(fd, INT_MAX, &number))
		errno = EINVAL;
	else if (asprintf(&path, "tasks/%s/sockets/%s", pid, fd) < 0)
		path = NULL;
	free(pid);
	return path;
}

/* No way out of the directory of groups by ".." */
static bool is_plain_path(const char *path)
{
	size_t len;

	for (; *path; path += len + (path[len] == '/')) {
		len = strcspn(path, "/");
		if (!len || !strncmp(path, "..", len))
			return false;
	}
	return true;
}

static char *cgroup_directory(const char *name)
{
	if (!strcmp(name, "/"))
		return strdup("cgroups");
	return is_plain_path(name) && *name ? below("cgroups", name) :
					      invalid();
}

static char *device_directory(const char *name)
{
	return *name && !strchr(name, '/') && strcmp(name, ".") &&
	       strcmp(name, "..") ? below("devices", name) : invalid();
}

const struct target_kind target_kinds[TARGET_KINDS] = {
	[TARGET_PROCESS] = { "process", "PID", process_directory },
	[TARGET_THREAD] = { "thread", "TID", thread_directory },
	[TARGET_SOCKET] = { "socket", "PID:FD", socket_directory },
	[TARGET_CGROUP] = { "cgroup", "PATH in the tree of control groups, / is all",
			    cgroup_directory },
	[TARGET_DEVICE] = { "device", "DEV that has received it",
			    device_directory },
};

/* Other words for these kinds are accepted, too. */
const struct target_kind *target_find(const char *word)
{
	if (!strcmp(word, "pid"))
		return &target_kinds[TARGET_PROCESS];
	if (!strcmp(word, "tid"))
		return &target_kinds[TARGET_THREAD];
	for (size_t i = 0; i < TARGET_KINDS; i++)
		if (!strcmp(target_kinds[i].word, word))
			return &target_kinds[i];
	return NULL;
}

/* @file ends at a slash, if it has one. */
char *target_file(const struct target *target, const char *file)
{
	char *dir = target->kind->directory(target->name), *path;

	if (!dir)
		return NULL;
	if (asprintf(&path, "%s/%.*s", dir, (int)strcspn(file, "/"), file) < 0)
		path = NULL;
	free(dir);
	return path;
}

char *target_vif(const struct nnfs *fs, const struct target *target,
		 const char *on)
{
	char *link = target_file(target, on), *vif;

	if (!link)
		return NULL;
	vif = nnfs_link(fs, link);
	if (!vif && errno == EINVAL)
		errno = ENOENT;		/* a group that has the device's name */
	free(link);
	return vif;
}

bool target_is_at(const struct nnfs *fs, const struct target *target, const char *vif)
{
	char *now = target_vif(fs, target, vif);
	bool is = now && !strcmp(now, vif);

	free(now);
	return is;
}

int target_attach(const struct nnfs *fs, const struct target *target,
		  const char *vif)
{
	char *link = target_file(target, NEW_LINK);
	char *text = below(NETNICE_MOUNT_POINT, vif);
	int ret = link && text ? symlinkat(text, fs->fd, link) : -1;

	free(link);
	free(text);
	return ret;
}

int target_detach(const struct nnfs *fs, const struct target *target,
		  const char *on)
{
	char *link = target_file(target, on);
	int ret = link ? unlinkat(fs->fd, link, 0) : -1;

	free(link);
	return ret;
}
