/* SPDX-License-Identifier: GPL-2.0 */
/* Objects that can be attached to a VIF. */
#ifndef TARGET_H
#define TARGET_H

#include "nnfs.h"

struct target_kind;

/**
 * struct target - an object that is, or can be, attached
 * @kind: its kind
 * @name: its name, in the syntax of its kind: "1234", "1234:7", "system.slice/a.service", "tap0"
 */
struct target {
	const struct target_kind *kind;
	char *name;
};

/**
 * struct target_kind - a kind of target
 * @word: the kind's name
 * @syntax: the syntax of its targets' names, for --help
 * @directory: returns the path of a target's directory, which has the links, and which the caller
 *	frees; or NULL and errno (EINVAL: the name is invalid)
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

/*
 * Return the path of a file in the target's directory, which the caller frees; or NULL and errno.
 */
char *target_file(const struct target *target, const char *file);

/**
 * target_vif - get the VIF that a target's link shows
 * @fs: the file system
 * @target: the target
 * @on: a device, or any VIF on it
 *
 * A tool must not act on this VIF, but on the result of belonging_read().
 *
 * Return: the VIF's path, which the caller frees, or NULL and errno; ENOENT: there is no link.
 */
char *target_vif(const struct nnfs *fs, const struct target *target,
		 const char *on);

/* Does the target's link show this VIF? */
bool target_is_at(const struct nnfs *fs, const struct target *target, const char *vif);

/* Create or remove the link. Return: 0, or -1 and errno. */
int target_attach(const struct nnfs *fs, const struct target *target,
		  const char *vif);
int target_detach(const struct nnfs *fs, const struct target *target,
		  const char *on);

#endif
