/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups (v2), as they are mounted on /sys/fs/cgroup. */
#ifndef GROUP_H
#define GROUP_H

#include <stdbool.h>
#include <sys/stat.h>

#define GROUP_TOP	"/sys/fs/cgroup"

/* Whether they are mounted there. */
bool group_is_mounted(void);

/* Where a walk goes on: below that group, beside it, or nowhere. */
enum group_next { GROUP_BELOW, GROUP_BESIDE, GROUP_END };

/* Look at a group in a walk. @directory is its directory, st_ino the number of the group. */
typedef enum group_next (*group_look)(const char *path, const struct stat *directory, void *arg);

/**
 * group_walk - look at a group, and then at all below it
 * @name: the group, as "system.slice/a.service"; "" for all
 * @look: is called for each before those below it are listed
 * @arg: for @look
 *
 * Return: whether that came to its end.
 */
bool group_walk(const char *name, group_look look, void *arg);

/*
 * Says so of a group that is attached to @vif, if its processes, and those of the groups below,
 * are in other network namespaces than the caller: what is attached of it are sockets in this
 * one. A group without processes may get some yet, and one that cannot be looked at may be here.
 * Return: whether it said so.
 */
bool group_warn_elsewhere(const char *name, const char *vif);

#endif
