// SPDX-License-Identifier: GPL-2.0
#include "netns.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "complain.h"

#define NAMED	"/run/netns/"

static int open_named(const char *name)
{
	char path[PATH_MAX];
	int fd;

	if (!*name || !strcmp(name, ".") || !strcmp(name, "..")) {
		complain("-n: not a network namespace: '%s'", name);
		return -1;
	}
	snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : NAMED,
		 name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		complain_errno("-n: %s", path);
	return fd;
}

int netns_enter(const char *name)
{
	int fd = open_named(name), ret;

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
