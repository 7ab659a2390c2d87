/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All writes of the daemon to /proc/network: directories, files and links, as a shell would use
 * them. Only this file writes there. With --dry-run it prints the operations instead. It prints a
 * message for each failure, except for processes that are gone.
 */
#ifndef NETNICED_ACT_H
#define NETNICED_ACT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "belonging.h"
#include "rules.h"

/* Return: 0, or -1 after a message. */
int act_open(bool dry);

/* Whether nothing is to be done. */
bool act_is_dry(void);

/* Where a process belongs, on the device of that VIF. Return: 0, or -1 and errno. */
int act_belonging(pid_t pid, const char *vif, struct belonging *belonging);

/*
 * The VIF that an administrator, as the daemon is one, has attached it to, on the device of
 * that VIF; to be freed; NULL: none. What its user has attached it to is not the daemon's to
 * restore, or to respect.
 */
char *act_given(pid_t pid, const char *vif);

/* The VIF that a control group ("/a/b") itself is attached to, to be freed. */
char *act_group_attached(const char *group, const char *vif);

/* Whether the device of that VIF is there. */
bool act_has_device(const char *vif);

/* Does the VIF exist, and can only we use it? */
bool act_is_vif(const char *vif);
bool act_is_ours(const char *vif);

/*
 * Whether shares among these settings have an effect, and whether packets of the process can pass
 * through the VIF; what has none is said. True in a dry run.
 */
bool act_has_effect(const char *vif, const struct settings *settings);
bool act_can_pass(pid_t pid, const char *vif);

/* Says which expressions of a program have no effect. */
void act_say_effect(const char *vif, const struct clauses *clauses);

/* The number of a VIF, and when it was made: no other one has both. 0, or -1. */
int act_identify(const char *vif, uint64_t *id, int64_t *made_ns);

/*
 * The user that names VIFs below the one above @vif: its owner. A subordinate user, also one that made
 * user-UID, counts as the first one of its range (subuid.h).
 */
uid_t act_namer(const char *vif);

/* The names of VIFs below @vif, to be freed with it; NULL if there are none. */
char **act_list(const char *vif);

/* A file of a VIF, to be freed, or NULL. */
char *act_read(const char *vif, const char *file);

/* Each returns 0, or -1 and errno after a message. */
int act_mkdir(const char *vif, bool *made);
int act_rmdir(const char *vif);
int act_rename(const char *from, const char *to);
int act_set(const char *vif, const char *file, const char *value);
int act_attach(pid_t pid, const char *vif);
int act_detach(pid_t pid, const char *vif);
int act_attach_group(const char *group, const char *vif);
int act_detach_group(const char *group, const char *vif);

/**
 * act_make_own - a VIF that goes when nothing is attached to it
 * @vif: its path; EEXIST is not said
 *
 * Return: a descriptor that keeps it until it is closed, or -1 and errno.
 */
int act_make_own(const char *vif);

/* A descriptor that keeps such a VIF, or -1 and errno. */
int act_guard(const char *vif);

/**
 * act_lower - lower a minimum, as far as that is wanted
 * @vif: the VIF
 * @now: what is wanted
 * @before: what was written before
 *
 * Those of several VIFs are lowered before anything else is written (minimum.h).
 */
void act_lower(const char *vif, const struct settings *now,
	       const struct settings *before);

/**
 * act_apply - write settings that differ
 * @vif: the VIF
 * @now: what is wanted
 * @before: what was written before; what that has and @now has not gets its default
 */
void act_apply(const char *vif, const struct settings *now,
	       const struct settings *before);

#endif
