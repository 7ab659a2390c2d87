/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Own VIFs, which rules with `own` create: netniced.RULE.PID, netniced.RULE.uUID for a user's
 * processes, or netniced.RULE.gINODE for a control group. If the name exists, a number is appended.
 * The daemon keeps no other record of them: after a restart it finds them by their names.
 */
#ifndef NETNICED_OWN_H
#define NETNICED_OWN_H

#include <limits.h>

#include "rules.h"

#define OWN_ID_BYTES	24

struct own {
	char path[PATH_MAX];
	char parent[PATH_MAX];
	char rule[RULE_NAME_MAX + 1];
	char id[OWN_ID_BYTES];	/* PID, uUID, or gINODE */
};

/* Find the first own VIF on a path, by its name. */
bool own_find(const char *path, struct own *own);

/* Is the last name of a path an own VIF's? */
bool own_is(const char *path);

/**
 * own_make - create an own VIF, or find the one that a user's processes share
 * @rule: its rule
 * @parent: the VIF above
 * @id: "PID", "uUID" or "gINODE"
 * @path: result: its path
 *
 * Return: a descriptor that keeps it, to be closed when a process is attached, or -1 after a
 * message.
 */
int own_make(const struct rule *rule, const char *parent, const char *id,
	     char path[PATH_MAX]);

/* Move an own VIF, with its attachments, to the place of another rule. */
int own_move(const struct rules *rules, const char *path,
	     const struct rule *rule);

/* Call @f for each own VIF below @parent that only we can use. */
void own_each(const char *parent,
	      void (*f)(const char *path, const struct own *own, void *arg),
	      void *arg);

/* Lower minima that are lower in @rules than in @previous, or missing. */
void own_lower(const struct rules *rules, const struct rules *previous);

/*
 * Apply @rules to all existing own VIFs: write the settings that differ from @previous; all
 * settings if that is NULL.
 */
void own_update(const struct rules *rules, const struct rules *previous);

#endif
