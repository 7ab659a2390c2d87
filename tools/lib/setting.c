// SPDX-License-Identifier: GPL-2.0
/* Settings are files of a VIF; owner and mode are those of its directory. */
#include "setting.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_status(const struct param *param, int dirfd)
{
	struct stat status;
	char *text;
	int len;

	if (fstat(dirfd, &status))
		return NULL;
	if (param == &params[PARAM_OWNER])
		len = asprintf(&text, "%u:%u", status.st_uid, status.st_gid);
	else
		len = asprintf(&text, "%o", status.st_mode & 07777);
	return len < 0 ? NULL : text;
}

char *setting_read(const struct param *param, int dirfd)
{
	char *text, *normal;

	if (param == &params[PARAM_OWNER] || param == &params[PARAM_MODE])
		return read_status(param, dirfd);
	text = nnfs_read(dirfd, param->name);
	normal = text ? param_normal(param, text) : NULL;
	free(text);
	return normal;
}

static bool take_number(const char **text, int base, unsigned int *number)
{
	char *end;
	unsigned long n;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	n = strtoul(*text, &end, base);
	*text = end;
	*number = n;
	return !errno && n < UINT_MAX;
}

static int write_owner(const struct nnfs *fs, const char *path,
		       const char *value)
{
	unsigned int uid, gid;

	if (!take_number(&value, 10, &uid) || *value++ != ':' ||
	    !take_number(&value, 10, &gid) || *value) {
		errno = EDOM;
		return -1;
	}
	return fchownat(fs->fd, path, uid, gid, AT_SYMLINK_NOFOLLOW);
}

static int write_mode(const struct nnfs *fs, const char *path,
		      const char *value)
{
	unsigned int mode;

	if (!take_number(&value, 8, &mode) || *value || mode > 07777) {
		errno = EDOM;
		return -1;
	}
	return fchmodat(fs->fd, path, mode, 0);
}

/* @lines: is modified. Return: 0, or -1 and errno; *@n_written: number of lines that are in force */
static int write_lines(const struct nnfs *fs, const char *path, char *lines, size_t *n_written)
{
	char *save, *line;

	*n_written = 0;
	for (line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (nnfs_write_vif(fs, path, params[PARAM_PROGRAM].name, line))
			return -1;
		++*n_written;
	}
	return 0;
}

/* If the kernel refuses the second line, put back the program that the first one has replaced. */
static int write_program(const struct nnfs *fs, const char *path, const char *value)
{
	char *lines = strdup(value);
	char *before = nnfs_read_vif(fs, path, params[PARAM_PROGRAM].name);
	int ret = lines && before ? 0 : -1, err;
	size_t n, n_back;

	if (!ret)
		ret = write_lines(fs, path, lines, &n);
	err = errno;
	if (ret && lines && before && n)
		write_lines(fs, path, before, &n_back);
	free(lines);
	free(before);
	errno = err;
	return ret;
}

int setting_write(const struct param *param, const struct nnfs *fs,
		const char *path, const char *value)
{
	if (param == &params[PARAM_OWNER])
		return write_owner(fs, path, value);
	if (param == &params[PARAM_MODE])
		return write_mode(fs, path, value);
	/* one line for both directions, or one each; the kernel refuses an empty program */
	if (param == &params[PARAM_PROGRAM] && strchr(value + strspn(value, "\n"), '\n'))
		return write_program(fs, path, value);
	return nnfs_write_vif(fs, path, param->name, value);
}
