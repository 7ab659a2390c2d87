// SPDX-License-Identifier: GPL-2.0
/* What /proc/PID tells to rules. */
#include "subject.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnfs.h"

static void read_exe(struct subject *subject)
{
	static const char mark[] = " (deleted)";
	ssize_t len;

	len = readlinkat(subject->dir, "exe", subject->exe,
			 sizeof(subject->exe) - 1);
	if (len < 0)
		len = 0;
	subject->exe[len] = '\0';
	len -= sizeof(mark) - 1;
	if (subject->deleted && len > 0 && !strcmp(subject->exe + len, mark))
		subject->exe[len] = '\0';
}

const char *subject_exe(struct subject *subject)
{
	if (!*subject->exe)
		read_exe(subject);
	return subject->exe;
}

bool subject_open(struct subject *subject, pid_t pid)
{
	char path[32];

	subject->pid = pid;
	subject->status = NULL;
	subject->cgroup = NULL;
	*subject->exe = '\0';
	snprintf(path, sizeof(path), "/proc/%d", pid);
	subject->dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (subject->dir < 0)
		return false;
	if (fstatat(subject->dir, "exe", &subject->file, 0)) {
		close(subject->dir);
		return false;
	}
	subject->deleted = !subject->file.st_nlink;
	return true;
}

void subject_close(struct subject *subject)
{
	close(subject->dir);
	free(subject->status);
	free(subject->cgroup);
}

bool subject_is_there(const struct subject *subject)
{
	return !faccessat(subject->dir, "status", F_OK, 0);
}

/*
 * The text of the link is what the process sees, which may have mounted anything
 * there. It counts for a file of root's that is gone: a package was upgraded.
 */
bool subject_runs(struct subject *subject, const char *path)
{
	struct stat file;

	if (!stat(path, &file) && file.st_dev == subject->file.st_dev &&
	    file.st_ino == subject->file.st_ino)
		return true;
	return subject->deleted && !subject->file.st_uid &&
	       !strcmp(subject_exe(subject), path);
}

/* The words behind a key of /proc/PID/status, up to the line's end. */
static const char *status(struct subject *subject, const char *key)
{
	const char *at;

	if (!subject->status)
		subject->status = nnfs_read(subject->dir, "status");
	at = subject->status ? strstr(subject->status, key) : NULL;
	return at ? at + strlen(key) : "\n";
}

bool subject_is_user(struct subject *subject, unsigned int id)
{
	unsigned int real;

	return sscanf(status(subject, "\nUid:"), "%u", &real) == 1 &&
	       real == id;
}

static bool is_in_line(const char *line, unsigned int id)
{
	unsigned long n;
	char *end;

	while (*(line += strspn(line, " \t")) != '\n') {
		n = strtoul(line, &end, 10);
		if (end == line)
			return false;
		if (n == id)
			return true;
		line = end;
	}
	return false;
}

bool subject_is_in_group(struct subject *subject, unsigned int id)
{
	unsigned int real;

	if (sscanf(status(subject, "\nGid:"), "%u", &real) == 1 && real == id)
		return true;
	return is_in_line(status(subject, "\nGroups:"), id);
}

pid_t subject_parent(struct subject *subject)
{
	pid_t parent;

	return sscanf(status(subject, "\nPPid:"), "%d", &parent) == 1 ?
		       parent : 0;
}

const char *subject_cgroup(struct subject *subject)
{
	if (!subject->cgroup)
		subject->cgroup = nnfs_group_of(subject->dir, "cgroup");
	return subject->cgroup ?: "";
}
