// SPDX-License-Identifier: GPL-2.0
#include "subuid.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array.h"

#define FILE_NAME	"/etc/subuid"

/* @count: more than 0 */
struct range {
	uid_t first, count;
};

static struct range *ranges;
static size_t n_ranges;

/* subuid(5): "name:first:count" */
static void take(const char *line)
{
	const char *colon = strchr(line, ':');
	unsigned long first, count;
	struct range *range;

	if (!colon || sscanf(colon, ":%lu:%lu", &first, &count) != 2 || !count ||
	    first > UINT32_MAX || count > UINT32_MAX - first)
		return;
	range = array_add(&ranges, &n_ranges, sizeof(*range));
	if (range)
		*range = (struct range) { first, count };
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
}

static bool is_other(const struct stat *a, const struct stat *b)
{
	return a->st_ino != b->st_ino || a->st_size != b->st_size ||
	       a->st_mtim.tv_sec != b->st_mtim.tv_sec || a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
}

bool subuid_find(uid_t uid, uid_t *first)
{
	static struct stat known;
	struct stat now = { 0 };

	stat(FILE_NAME, &now);	/* zeros: there is none */
	if (is_other(&now, &known))
		read_file();
	known = now;
	for (size_t i = 0; i < n_ranges; i++)
		if (uid - ranges[i].first < ranges[i].count) {
			*first = ranges[i].first;
			return true;
		}
	return false;
}
