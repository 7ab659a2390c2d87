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

/* The first VIF on a path that has such a name. */
bool own_find(const char *path, struct own *own);

/* Whether the last name of a path is such a one. */
bool own_is(const char *path);

/**
 * own_make - make one, or take the one that a user's processes share
 * @rule: for which rule
 * @parent: below which VIF
 * @id: "PID", "uUID" or "gINODE"
 * @path: set to its path
 *
 * Return: a descriptor that keeps it, to be closed when something is attached, or -1
 * after a message.
 */
int own_make(const struct rule *rule, const char *parent, const char *id,
	     char path[PATH_MAX]);

/* Moves one to where another rule wants it, with all that it has. */
int own_move(const struct rules *rules, const char *path,
	     const struct rule *rule);

/* Calls @f for each VIF below @parent that has such a name and is ours. */
void own_each(const char *parent,
	      void (*f)(const char *path, const struct own *own, void *arg),
	      void *arg);

/* Lowers minima that are to be lower than @previous has them, or none. */
void own_lower(const struct rules *rules, const struct rules *previous);

/*
 * Has all that are there as @rules want them: only what differs from @previous is
 * written; all, where that is NULL.
 */
void own_update(const struct rules *rules, const struct rules *previous);

#endif
