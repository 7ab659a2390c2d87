// SPDX-License-Identifier: GPL-2.0
#include "netns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "complain.h"

#define NAMED	"/run/netns/"

static int open_file(const char *option, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		complain_errno("%s: %s", option, path);
	return fd;
}

static int open_named(const char *option, const char *name)
{
	char path[PATH_MAX];

	if (!*name || !strcmp(name, ".") || !strcmp(name, "..")) {
		complain("%s: not a network namespace: '%s'", option, name);
		return -1;
	}
	snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : NAMED,
		 name);
	if (access(path, F_OK) && errno == ENOENT) {
		complain("%s: %s: No such file or directory: use a name of \"ip netns\", or a path (/proc/PID/ns/net)",
			 option, path);
		return -1;
	}
	return open_file(option, path);
}

static int open_of(const char *pid, const char *kind)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.20s/ns/%s", pid, kind);
	return open_file("netns", path);
}

int netns_enter(const char *name)
{
	int fd = open_named("-n", name), ret;

	if (fd < 0)
		return -1;
	ret = setns(fd, CLONE_NEWNET);
	close(fd);
	if (!ret)
		ret = unshare(CLONE_NEWNS);
	if (!ret)
		ret = mount("", "/", NULL, MS_SLAVE | MS_REC, NULL);
	if (ret)
		complain_errno("-n: %s", name);
	return ret;
}

/* A caller without power over a namespace here may have it in the user namespace that owns it. */
static int enter_by(int fd, const char *pid)
{
	int user = open_of(pid, "user"), ret = -1;

	if (user >= 0 && !setns(user, CLONE_NEWUSER))
		ret = setns(fd, CLONE_NEWNET);
	if (user >= 0)
		close(user);
	return ret;
}

int netns_enter_device(const char *name)
{
	const bool is_pid = *name && !name[strspn(name, "0123456789")];
	int fd = is_pid ? open_of(name, "net") : open_named("netns", name), ret;

	if (fd < 0)
		return -1;
	ret = setns(fd, CLONE_NEWNET);
	if (ret && errno == EPERM && is_pid)
		ret = enter_by(fd, name);
	if (ret)
		complain_errno("netns: %s", name);
	close(fd);
	return ret;
}
