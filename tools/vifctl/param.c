// SPDX-License-Identifier: GPL-2.0
#include "param.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "units.h"

#define BLANKS		" \t\n\v\f\r"
#define DIRECTIONS	2

const struct param params[PARAM_COUNT] = {
	[PARAM_BANDWIDTH] = { "bandwidth",
		"RATE | max", "max", units_rate },
	[PARAM_BURST] = { "burst",
		"TIME | SIZE | auto", "auto", units_burst },
	[PARAM_WEIGHT] = { "weight",
		"1..10000", "100", NULL },
	[PARAM_PRIORITY] = { "priority",
		"0..7, 0 comes first", "4", NULL },
	[PARAM_LOCAL_WEIGHT] = { "local_weight",
		"1..10000", "100", NULL },
	[PARAM_LOCAL_PRIORITY] = { "local_priority",
		"0..7", "4", NULL },
	[PARAM_LIMIT] = { "limit",
		"SIZE | PACKETSp | max | auto", "auto", units_limit },
	[PARAM_AQM] = { "aqm",
		"codel [target TIME] [interval TIME] | none | auto", "codel",
		units_aqm },
	[PARAM_OWNER] = { "owner", "UID:GID, numbers", NULL, NULL },
	[PARAM_MODE] = { "mode", "octal permission bits, as 755", NULL, NULL },
	[PARAM_AUTOREMOVE] = { "autoremove", "0 | 1", "0", NULL },
};

static const char *const direction_names[DIRECTIONS] = { "egress", "ingress" };

const struct param *param_find(const char *name)
{
	for (size_t i = 0; i < PARAM_COUNT; i++)
		if (!strcmp(params[i].name, name))
			return &params[i];
	return NULL;
}

enum param_id param_id(const struct param *param)
{
	return param - params;
}

/* A file of the VIF's with a value for each direction */
static bool has_directions(const struct param *param)
{
	return param_id(param) < PARAM_OWNER;
}

void param_list(FILE *out, const char *indent)
{
	for (size_t i = 0; i < PARAM_COUNT; i++)
		fprintf(out, "%s%-15s %s%s\n", indent, params[i].name,
			has_directions(&params[i]) ? "[egress|ingress] " : "",
			params[i].syntax);
}

/* The words between blanks, with one space between them. */
static char *squeeze(const char *text)
{
	char *copy = strdup(text), *to = copy;
	size_t len;

	if (!copy)
		return NULL;
	for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
		len = strcspn(text, BLANKS);
		if (to != copy)
			*to++ = ' ';
		memcpy(to, text, len);
		to += len;
		text += len;
	}
	*to = '\0';
	return copy;
}

static int direction_of(const char *word, size_t len)
{
	for (int i = 0; i < DIRECTIONS; i++)
		if (len == strlen(direction_names[i]) &&
		    !strncasecmp(word, direction_names[i], len))
			return i;
	return -1;
}

/* Where the next "egress" or "ingress" is, or the end. */
static const char *next_direction(const char *text)
{
	while (*text && direction_of(text, strcspn(text, " ")) < 0) {
		text += strcspn(text, " ");
		text += *text == ' ';
	}
	return text;
}

/* @text up to @end, without the space before that */
static char *cut(const char *text, const char *end)
{
	while (end > text && end[-1] == ' ')
		end--;
	return end > text ? strndup(text, end - text) : NULL;
}

/* Return: false where it is not understood. */
static bool split_directions(const char *text, char *value[DIRECTIONS])
{
	const char *end = next_direction(text);
	int i;

	if (end != text) {
		value[0] = cut(text, end);
		value[1] = value[0] ? strdup(value[0]) : NULL;
		return !*end;
	}
	while (*text) {
		i = direction_of(text, strcspn(text, " "));
		text += strlen(direction_names[i]);
		text += *text == ' ';
		end = next_direction(text);
		if (value[i] || end == text)
			return false;
		value[i] = cut(text, end);
		text = end;
	}
	return value[0] || value[1];
}

static char *normal_word(const struct param *param, char *word)
{
	char *normal;

	if (!word)
		return strdup(param->initial);
	normal = param->units ? param->units(word) : strdup(word);
	free(word);
	return normal;
}

static char *join_directions(const struct param *param,
			     char *value[DIRECTIONS])
{
	char *egress = normal_word(param, value[0]);
	char *ingress = normal_word(param, value[1]);
	char *text = NULL;

	value[0] = NULL;
	value[1] = NULL;
	if (egress && ingress && !strcmp(egress, ingress)) {
		text = strdup(egress);
	} else if (egress && ingress &&
		   asprintf(&text, "egress %s ingress %s", egress, ingress) < 0) {
		text = NULL;
	}
	free(egress);
	free(ingress);
	return text;
}

/* "0755" and "755" are the same. */
static char *normal_mode(char *text)
{
	char *rest = text + strspn(text, "0");

	memmove(text, rest, strlen(rest) + 1);
	return text;
}

char *param_normal(const struct param *param, const char *value)
{
	char *text = squeeze(value), *each[DIRECTIONS] = { NULL };
	char *normal;

	if (!text || !has_directions(param))
		return text && param == &params[PARAM_MODE] ?
		       normal_mode(text) : text;
	if (!split_directions(text, each)) {
		free(each[0]);
		free(each[1]);
		return text;
	}
	normal = join_directions(param, each);
	free(text);
	return normal;
}

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

char *param_read(const struct param *param, int dirfd)
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

int param_write(const struct param *param, const struct nnfs *fs,
		const char *path, const char *value)
{
	char *file;
	int ret;

	if (param == &params[PARAM_OWNER])
		return write_owner(fs, path, value);
	if (param == &params[PARAM_MODE])
		return write_mode(fs, path, value);
	if (asprintf(&file, "%s/%s", path, param->name) < 0)
		return -1;
	ret = nnfs_write(fs->fd, file, value);
	free(file);
	return ret;
}
