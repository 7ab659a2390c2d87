// SPDX-License-Identifier: GPL-2.0
#include "subuid.h"

#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array.h"

#define FILE_NAME	"/etc/subuid"

/*
 * @count: more than 0
 * @account: see subuid_account()
 * @name: of its owner, until that is found
 */
struct range {
	uid_t first, count, account;
	char *name;
};

static struct range *ranges;
static size_t n_ranges;

static void set_owner(struct range *range, uid_t owner)
{
	if (owner)
		range->account = owner;
}

/* subuid(5): "name:first:count"; a number is an owner, too */
static void take(const char *line)
{
	const char *colon = strchr(line, ':');
	unsigned long first, count, owner;
	struct range *range;
	char end;

	if (!colon || sscanf(colon, ":%lu:%lu", &first, &count) != 2 || !count ||
	    first > UINT32_MAX || count > UINT32_MAX - first)
		return;
	range = array_add(&ranges, &n_ranges, sizeof(*range));
	if (!range)
		return;
	*range = (struct range) { first, count, first, strndup(line, colon - line) };
	if (sscanf(line, "%lu%c", &owner, &end) == 2 && end == ':' && owner < UINT32_MAX)
		set_owner(range, owner);
}

/* Names of a directory service are not asked for: the answer may take any time. */
static void find_owners(void)
{
	FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *user;

	while (file && (user = fgetpwent(file)))
		for (size_t i = 0; i < n_ranges; i++)
			if (ranges[i].name && !strcmp(ranges[i].name, user->pw_name))
				set_owner(&ranges[i], user->pw_uid);
	if (file)
		fclose(file);
	for (size_t i = 0; i < n_ranges; i++) {
		free(ranges[i].name);
		ranges[i].name = NULL;
	}
}

static void read_file(void)
{
	FILE *file = fopen(FILE_NAME, "re");
	char *line = NULL;
	size_t size = 0;

	free(ranges);
	ranges = NULL;
	n_ranges = 0;
	while (file && getline(&line, &size, file) >= 0)
		take(line);
	free(line);
	if (file)
		fclose(file);
	find_owners();
}

static bool is_other(const struct stat *a, const struct stat *b)
{
	return a->st_ino != b->st_ino || a->st_size != b->st_size ||
	       a->st_mtim.tv_sec != b->st_mtim.tv_sec || a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

static const struct range *find(uid_t uid)
{
	static struct stat known;
	struct stat now = { 0 };

	stat(FILE_NAME, &now);	/* zeros: there is none */
	if (is_other(&now, &known))
		read_file();
	known = now;
	for (size_t i = 0; i < n_ranges; i++)
		if (uid - ranges[i].first < ranges[i].count)
			return &ranges[i];
	return NULL;
}

bool subuid_find(uid_t uid, uid_t *first)
{
	const struct range *range = find(uid);

	if (range)
		*first = range->first;
	return range;
}

uid_t subuid_account(uid_t uid)
{
	const struct range *range = find(uid);

	return range ? range->account : uid;
}
