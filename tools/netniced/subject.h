/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The properties of a process that rules can test. Each is read from /proc when it is needed first.
 */
#ifndef NETNICED_SUBJECT_H
#define NETNICED_SUBJECT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "rules.h"

struct subject {
	pid_t pid;
	int dir;		/* /proc/PID of this process, even if the number is reused */
	bool deleted;
	struct statx file;	/* of the executable; what is known of it */
	char exe[PATH_MAX];	/* empty if it is too long */
	char *status;		/* of /proc; NULL until it is needed */
	bool has_user;		/* the next two are known */
	unsigned int user;	/* the real one */
	unsigned int account;	/* of a subordinate user, its owner (subuid.h) */
	char *cgroup;		/* begins with a slash; NULL until it is needed */
};

/* Open a process. Return: false if it does not exist, or is a kernel thread. */
bool subject_open(struct subject *subject, pid_t pid);
void subject_close(struct subject *subject);

/* Does it still exist, perhaps as a zombie? */
bool subject_is_there(const struct subject *subject);

/* Return the name of its executable, without the kernel's suffix for a deleted file. */
const char *subject_exe(struct subject *subject);

/* Does it run this file? The names and mounts that the process sees do not matter. */
bool subject_runs(struct subject *subject, const char *path);

/*
 * Get the account of the real user, which only privileges can change: a user is free to become one of its
 * subordinate users. Return: whether it is known.
 */
bool subject_account(struct subject *subject, unsigned int *id);

/* Is the real user, or its account, in the range? */
bool subject_is_user(struct subject *subject, const struct id_range *range);

/* Is the real group, or a supplementary group, in the range? */
bool subject_is_in_group(struct subject *subject, const struct id_range *range);

/* Return the parent, or 0 if it is not known. */
pid_t subject_parent(struct subject *subject);

/* Return the path of its control group (v2), or "". */
const char *subject_cgroup(struct subject *subject);

#endif
