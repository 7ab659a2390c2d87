// SPDX-License-Identifier: GPL-2.0
#include "counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool stat_next(char **text, struct stat_line *line)
{
	static const char *const directions[] = { "egress", "ingress" };
	char *key, *value;
	size_t len;

	do {
		key = strsep(text, "\n");
		value = key ? strrchr(key, ' ') : NULL;
	} while (key && !value);
	if (!key)
		return false;

	*value++ = '\0';
	*line = (struct stat_line) { .key = key, .value = value };
	for (size_t i = 0; i < 2; i++) {
		len = strlen(directions[i]);
		if (strncmp(key, directions[i], len) ||
		    !key[len] || !strchr(" ._", key[len]))
			continue;
		line->direction = directions[i];
		line->key = key + len + 1;
	}
	return true;
}

unsigned long long stat_value(const char *stat, const char *direction,
			      const char *key)
{
	const size_t key_len = strlen(key), len = strlen(direction);

	while (stat && *stat) {
		if (!strncmp(stat, direction, len) && stat[len] == '_' &&
		    !strncmp(stat + len + 1, key, key_len) &&
		    stat[len + 1 + key_len] == ' ')
			return strtoull(stat + len + key_len + 2, NULL, 10);
		stat = strchr(stat, '\n');
		stat = stat ? stat + 1 : NULL;
	}
	return 0;
}
