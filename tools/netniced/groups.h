/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control groups (v2) that there are, and those that come: systemd's units are
 * among them. They are watched only while a rule is about control groups.
 */
#ifndef NETNICED_GROUPS_H
#define NETNICED_GROUPS_H

/* Called with the path of a group ("/a/b") at least once after it was made. */
typedef void (*groups_found)(const char *path);

/* Return: a descriptor to be polled, or -1 after a message. */
int groups_open(groups_found found);
void groups_close(void);

/* Reads what has happened. */
void groups_read(void);

/* Calls for all there are. */
void groups_all(void);

#endif
