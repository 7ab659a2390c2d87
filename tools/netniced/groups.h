/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control groups (v2) that rules concern, present and future ones. systemd's units are among
 * them.
 *
 * Users can create any number of groups below a group that is delegated to them. So only groups
 * below which a rule may apply are watched, and they may use only a part of the watches that root
 * may have. A limited number of events is read at a time. Groups created by root have a queue of
 * events of their own, which no user can fill.
 */
#ifndef NETNICED_GROUPS_H
#define NETNICED_GROUPS_H

#include <stdbool.h>

/*
 * How to treat the groups below a group: ignore them, visit them now, or also watch for new ones.
 */
enum groups_below { GROUPS_NONE, GROUPS_LOOK, GROUPS_WATCH };

struct groups_ops {
	/* Called with the path of a group ("/a/b") at least once after it was made. */
	void (*found)(const char *path);
	/* Returns how to treat the groups below a group ("/", "/a"). */
	enum groups_below (*below)(const char *path);
};

enum { GROUPS_OF_ROOT, GROUPS_OF_USERS, GROUPS_QUEUES };

/* Open the queues, to be polled. Return: 0, or -1 after a message. */
int groups_open(const struct groups_ops *ops, int fd[GROUPS_QUEUES]);
void groups_close(void);

/*
 * Read some events, of groups that root has created first. Return: whether events were lost: then
 * call groups_all().
 */
bool groups_read(void);

/* Visit all groups, until the daemon must end. */
void groups_all(void);

#endif
