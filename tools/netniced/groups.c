// SPDX-License-Identifier: GPL-2.0
/*
 * A watch (inotify) on each control group, which tells of those made in it. A group
 * is watched before what is in it is listed, so that none is missed; some are
 * found twice.
 */
#include "groups.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "group.h"
#include "log.h"

static struct {
	int fd;
	groups_found found;
	char **path;		/* by watch descriptor; those count from 1 on */
	size_t paths;
} groups = { .fd = -1 };

static void keep_path(int wd, const char *path)
{
	if ((size_t)wd >= groups.paths) {
		size_t more = wd * 2 + 64;

		groups.path = reallocarray(groups.path, more, sizeof(char *));
		if (!groups.path)
			abort();
		memset(groups.path + groups.paths, 0,
		       (more - groups.paths) * sizeof(char *));
		groups.paths = more;
	}
	free(groups.path[wd]);
	groups.path[wd] = strdup(path);
}

/* Hidden ones are left alone. */
static enum group_next look_at(const char *full, ino_t number, void *arg)
{
	const char *path = full + strlen(GROUP_TOP);
	int wd;

	(void)number;
	(void)arg;
	if (strrchr(path, '/')[1] == '.')
		return GROUP_BESIDE;
	wd = inotify_add_watch(groups.fd, full,
			       IN_CREATE | IN_DELETE | IN_ONLYDIR |
			       IN_DONT_FOLLOW);
	if (wd >= 0)
		keep_path(wd, path);
	else if (errno == ENOSPC)
		log_say(LOG_WARN, "cannot watch the control group %s: want a greater fs.inotify.max_user_watches",
			path);
	groups.found(path);
	return GROUP_BELOW;
}

static void look_from(const char *path)
{
	group_walk(path + (*path == '/'), look_at, NULL);
}

void groups_all(void)
{
	if (groups.fd >= 0)
		look_from("");
}

int groups_open(groups_found found)
{
	if (groups.fd >= 0)
		return groups.fd;
	if (!group_is_mounted()) {
		log_say(LOG_ERROR, "rules about control groups: want cgroup2 mounted on " GROUP_TOP);
		return -1;
	}
	groups.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (groups.fd < 0)
		log_say(LOG_ERROR, "inotify: %s", strerror(errno));
	groups.found = found;
	return groups.fd;
}

void groups_close(void)
{
	for (size_t i = 0; i < groups.paths; i++)
		free(groups.path[i]);
	free(groups.path);
	groups.path = NULL;
	groups.paths = 0;
	if (groups.fd >= 0)
		close(groups.fd);
	groups.fd = -1;
}

static void forget(int wd)
{
	if (wd < 0 || (size_t)wd >= groups.paths)
		return;
	free(groups.path[wd]);
	groups.path[wd] = NULL;
}

/*
 * Nobody is told of the end of a control group but by the one above it, and a watch on it
 * stays. Of two that had the same name the older one has the lower number; one that is
 * there again is told of behind this.
 */
static void lose(const char *path)
{
	for (size_t wd = 1; wd < groups.paths; wd++)
		if (groups.path[wd] && !strcmp(groups.path[wd], path)) {
			inotify_rm_watch(groups.fd, wd);
			forget(wd);
			return;
		}
}

static void take(const struct inotify_event *event)
{
	const char *above;
	char path[PATH_MAX];

	if (event->mask & IN_Q_OVERFLOW) {
		log_say(LOG_WARN, "more control groups than could be told: looking at all of them");
		groups_all();
		return;
	}
	if (event->mask & IN_IGNORED) {
		forget(event->wd);
		return;
	}
	above = (size_t)event->wd < groups.paths ? groups.path[event->wd] : NULL;
	if (!(event->mask & IN_ISDIR) || !event->len || !above)
		return;
	if (snprintf(path, sizeof(path), "%s/%s", above[1] ? above : "",
		     event->name) >= (int)sizeof(path))
		return;
	if (event->mask & IN_DELETE)
		lose(path);
	else
		look_from(path);
}

void groups_read(void)
{
	char buffer[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
	const struct inotify_event *event;
	ssize_t bytes;

	while ((bytes = read(groups.fd, buffer, sizeof(buffer))) > 0)
		for (char *at = buffer; at < buffer + bytes;
		     at += sizeof(*event) + event->len) {
			event = (const struct inotify_event *)at;
			take(event);
		}
}
