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
	char *cgroup;		/* begins with a slash; NULL until it is needed */
};

/* Return: whether there is such a process, and it is no kernel thread. */
bool subject_open(struct subject *subject, pid_t pid);
void subject_close(struct subject *subject);

/* Whether it is still there, be it as a zombie. */
bool subject_is_there(const struct subject *subject);

/* The name of its executable, without what the kernel says of a deleted one. */
const char *subject_exe(struct subject *subject);

/* Whether it runs that very file, whatever names and mounts it sees itself. */
bool subject_runs(struct subject *subject, const char *path);

/* The real user, which only privileges change. Return: whether it is known. */
bool subject_user(struct subject *subject, unsigned int *id);

/* Whether the real user is one of these. */
bool subject_is_user(struct subject *subject, const struct id_range *range);

/* Whether the real group is one of these, or one of the others. */
bool subject_is_in_group(struct subject *subject, const struct id_range *range);

/* 0 where that is not known. */
pid_t subject_parent(struct subject *subject);

/* The path of its control group (v2), or "". */
const char *subject_cgroup(struct subject *subject);

#endif
