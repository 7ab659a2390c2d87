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

/* Is this a dry run? */
bool act_is_dry(void);

/* Find the VIFs of a process on the device of @vif. Return: 0, or -1 and errno. */
int act_belonging(pid_t pid, const char *vif, struct belonging *belonging);

/*
 * Return the VIF to which an administrator has attached a process on the device of @vif, to be
 * freed, or NULL. The daemon is an administrator too: it neither restores nor respects attachments
 * of users.
 */
char *act_given(pid_t pid, const char *vif);

/* Return the VIF to which a control group ("/a/b") itself is attached, to be freed, or NULL. */
char *act_group_attached(const char *group, const char *vif);

/* Does the device of the VIF exist? */
bool act_has_device(const char *vif);

/* Does the VIF exist, and can only we use it? */
bool act_is_vif(const char *vif);
bool act_is_ours(const char *vif);

/*
 * Have the weights, priorities and minima of @settings an effect? Can packets of the process pass
 * the VIF? If not, print a message. True in a dry run.
 */
bool act_has_effect(const char *vif, const struct settings *settings);
bool act_can_pass(pid_t pid, const char *vif);

/* Print which expressions of a program have no effect. */
void act_say_effect(const char *vif, const struct clauses *clauses);

/* Get the number of a VIF, and its time of creation: no other VIF has both. Return: 0, or -1. */
int act_identify(const char *vif, uint64_t *id, int64_t *made_ns);

/*
 * Return the user that names the VIF: the owner of its parent. A subordinate user, also one that
 * has created user-UID, counts as the first user of its range (subuid.h).
 */
uid_t act_namer(const char *vif);

/* Return the names of the VIFs below @vif, in an array to be freed with its strings; NULL: none. */
char **act_list(const char *vif);

/* Return the text of a VIF's file, to be freed, or NULL. */
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
 * act_make_own - create a VIF that is removed with its last attachment
 * @vif: its path; there is no message for EEXIST
 *
 * Return: a descriptor that keeps it until it is closed, or -1 and errno.
 */
int act_make_own(const char *vif);

/* Return a descriptor that keeps such a VIF, or -1 and errno. */
int act_guard(const char *vif);

/**
 * act_lower - set a minimum, if the new one is lower
 * @vif: the VIF
 * @now: the new settings
 * @before: the settings that were written before
 *
 * The minima of several VIFs are lowered before other settings are written (minimum.h).
 */
void act_lower(const char *vif, const struct settings *now,
	       const struct settings *before);

/**
 * act_apply - write settings that differ
 * @vif: the VIF
 * @now: the new settings
 * @before: the settings that were written before; a setting that only @before has gets its default
 */
void act_apply(const char *vif, const struct settings *now,
	       const struct settings *before);

#endif
