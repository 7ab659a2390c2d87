/* SPDX-License-Identifier: GPL-2.0 */
/* What can be attached to a VIF. */
#ifndef TARGET_H
#define TARGET_H

#include <stdio.h>

#include "nnfs.h"

struct target_kind;

/**
 * struct target - something that is, or can be, attached
 * @kind: what it is
 * @name: as its kind names it: "1234", "1234:7", "system.slice/a.service", "tap0"
 */
struct target {
	const struct target_kind *kind;
	char *name;
};

/**
 * struct target_kind - a kind of these
 * @word: what it is called
 * @syntax: its names, for people
 * @directory: of the target, where its links are: a path to be freed; NULL and errno
 *	(EINVAL: that is no such name)
 */
struct target_kind {
	const char *word;
	const char *syntax;
	char *(*directory)(const char *name);
};

enum { TARGET_PROCESS, TARGET_THREAD, TARGET_SOCKET, TARGET_CGROUP,
       TARGET_DEVICE, TARGET_KINDS };

extern const struct target_kind target_kinds[TARGET_KINDS];

const struct target_kind *target_find(const char *word);
void target_list(FILE *out, const char *indent);

/* A name in the one way in which it is compared, to be freed. */
char *target_normal(const struct target_kind *kind, const char *name);

/* Orders by kind, then by name. */
int target_compare(const struct target *a, const struct target *b);

/* The path of a file in the target's directory, to be freed; NULL and errno. */
char *target_file(const struct target *target, const char *file);

/**
 * target_vif - the VIF that its link shows: see belonging.h for what a tool may act on
 * @fs: the file system
 * @target: what
 * @on: a device, or any VIF of it
 *
 * Return: the VIF's path, to be freed, or NULL and errno; ENOENT where there is none.
 */
char *target_vif(const struct nnfs *fs, const struct target *target,
		 const char *on);

/* Whether it is this VIF. */
bool target_is_at(const struct nnfs *fs, const struct target *target, const char *vif);

/* By the links. Return: 0, or -1 and errno. */
int target_attach(const struct nnfs *fs, const struct target *target,
		  const char *vif);
int target_detach(const struct nnfs *fs, const struct target *target,
		  const char *on);

#endif
