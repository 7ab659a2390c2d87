/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control groups (v2) that rules are about: those that there are, and those that come;
 * systemd's units are among them.
 *
 * Users make groups in what is delegated to them, as many and as fast as they like. So only
 * groups in which one may come that a rule is about are watched, and not more of them than a
 * part of what root may watch; events are read some at a time; and groups that root has made
 * have a queue of events of their own, which no user fills.
 */
#ifndef NETNICED_GROUPS_H
#define NETNICED_GROUPS_H

#include <stdbool.h>

/* What is to be done with the groups below one: nothing, look at them now, and when they come. */
enum groups_below { GROUPS_NONE, GROUPS_LOOK, GROUPS_WATCH };

struct groups_ops {
	/* Called with the path of a group ("/a/b") at least once after it was made. */
	void (*found)(const char *path);
	/* Asked of a group ("/", "/a"). */
	enum groups_below (*below)(const char *path);
};

enum { GROUPS_OF_ROOT, GROUPS_OF_USERS, GROUPS_QUEUES };

/* Opens the queues, to be polled. Return: 0, or -1 after a message. */
int groups_open(const struct groups_ops *ops, int fd[GROUPS_QUEUES]);
void groups_close(void);

/*
 * Reads some of what has happened, those of root first. Return: whether events were lost, so
 * that groups_all() is due.
 */
bool groups_read(void);

/* Calls for all there are, until the daemon is to end. */
void groups_all(void);

#endif
