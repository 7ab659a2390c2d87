/* SPDX-License-Identifier: GPL-2.0 */
/* Control groups (v2), mounted on /sys/fs/cgroup. */
#ifndef GROUP_H
#define GROUP_H

#include <stdbool.h>
#include <sys/stat.h>

#define GROUP_TOP	"/sys/fs/cgroup"

/* Are they mounted there? */
bool group_is_mounted(void);

/* How a walk continues: with the groups below, without them, or not at all. */
enum group_next { GROUP_BELOW, GROUP_BESIDE, GROUP_END };

/*
 * Called for each group of a walk. @directory: its directory, whose st_ino is the group's number.
 */
typedef enum group_next (*group_look)(const char *path, const struct stat *directory, void *arg);

/**
 * group_walk - visit a group, and then all groups below it
 * @name: the group, for example "system.slice/a.service"; "": all groups
 * @look: called for each group, before the groups below it are listed
 * @arg: argument for @look
 *
 * Return: true if all groups were visited.
 */
bool group_walk(const char *name, group_look look, void *arg);

/*
 * Print a message if a group is attached to @vif, and all its processes, and the processes of
 * groups below, are in other network namespaces than the caller's: only sockets of this namespace
 * are attached. There is no message for a group without processes, which may get some later, or if
 * a process cannot be read. Return: whether a message was printed.
 */
bool group_warn_elsewhere(const char *name, const char *vif);

#endif
