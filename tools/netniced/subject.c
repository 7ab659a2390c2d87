// SPDX-License-Identifier: GPL-2.0
/* Read these properties from /proc/PID. */
#include "subject.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnfs.h"
#include "subuid.h"

/*
 * Get the properties of a file that the kernel knows without a request to the server of the file
 * system. A server of a user (FUSE), or an unreachable one, may delay its answer for any time. If root
 * may not enter the file system, only its device is known.
 */
static bool look_at_file(int dir, const char *path, struct statx *file)
{
	return !statx(dir, path, AT_STATX_DONT_SYNC, 0, file);
}

static bool has_all(const struct statx *file, unsigned int what)
{
	return (file->stx_mask & what) == what;
}

/*
 * The kernel says so behind the name of a file that is gone. Return: false if there is no such
 * process; one whose file has too long a name is there all the same.
 */
static bool read_exe(struct subject *subject)
{
	static const char mark[] = " (deleted)";
	ssize_t len = readlinkat(subject->dir, "exe", subject->exe, sizeof(subject->exe) - 1);

	if (len < 0 && (errno == ENOENT || errno == ESRCH))
		return false;
	if (len < 0)
		len = 0;
	subject->exe[len] = '\0';
	len -= sizeof(mark) - 1;
	if (subject->deleted && len > 0 && !strcmp(subject->exe + len, mark))
		subject->exe[len] = '\0';
	return true;
}

const char *subject_exe(struct subject *subject)
{
	return subject->exe;
}

bool subject_open(struct subject *subject, pid_t pid)
{
	char path[32];

	subject->pid = pid;
	subject->status = NULL;
	subject->has_user = false;
	subject->cgroup = NULL;
	snprintf(path, sizeof(path), "/proc/%d", pid);
	subject->dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (subject->dir < 0)
		return false;
	if (!look_at_file(subject->dir, "exe", &subject->file))
		subject->file.stx_mask = 0;
	subject->deleted = has_all(&subject->file, STATX_NLINK) && !subject->file.stx_nlink;
	if (read_exe(subject))
		return true;
	close(subject->dir);
	return false;
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

static bool is_on_same(const struct statx *a, const struct statx *b)
{
	return a->stx_dev_major == b->stx_dev_major && a->stx_dev_minor == b->stx_dev_minor;
}

/*
 * The text of the link is what the process sees, which may have mounted anything
 * there. It counts for a file of root's that is gone: a package was upgraded. Then another
 * one is there, of the same file system: a user's own may have any file be root's.
 */
bool subject_runs(struct subject *subject, const char *path)
{
	const struct statx *mine = &subject->file;
	struct statx file;

	if (!has_all(mine, STATX_INO) || !look_at_file(AT_FDCWD, path, &file) ||
	    !is_on_same(mine, &file))
		return false;
	if (has_all(&file, STATX_INO) && file.stx_ino == mine->stx_ino)
		return true;
	return subject->deleted && has_all(mine, STATX_UID) && !mine->stx_uid &&
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

static bool read_user(struct subject *subject)
{
	if (!subject->has_user && sscanf(status(subject, "\nUid:"), "%u", &subject->user) == 1) {
		subject->account = subuid_account(subject->user);
		subject->has_user = true;
	}
	return subject->has_user;
}

bool subject_account(struct subject *subject, unsigned int *id)
{
	if (!read_user(subject))
		return false;
	*id = subject->account;
	return true;
}

static bool is_in(const struct id_range *range, unsigned long id)
{
	return range->first <= id && id <= range->last;
}

bool subject_is_user(struct subject *subject, const struct id_range *range)
{
	return read_user(subject) && (is_in(range, subject->user) || is_in(range, subject->account));
}

static bool is_in_line(const char *line, const struct id_range *range)
{
	unsigned long n;
	char *end;

	while (*(line += strspn(line, " \t")) != '\n') {
		n = strtoul(line, &end, 10);
		if (end == line)
			return false;
		if (is_in(range, n))
			return true;
		line = end;
	}
	return false;
}

bool subject_is_in_group(struct subject *subject, const struct id_range *range)
{
	unsigned int real;

	if (sscanf(status(subject, "\nGid:"), "%u", &real) == 1 && is_in(range, real))
		return true;
	return is_in_line(status(subject, "\nGroups:"), range);
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
