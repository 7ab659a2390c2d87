// SPDX-License-Identifier: GPL-2.0
#include "path.h"

#include <stdio.h>
#include <string.h>

void path_device(const char *path, char dev[IF_NAMESIZE])
{
	snprintf(dev, IF_NAMESIZE, "%.*s", (int)strcspn(path, "/"), path);
}

char *path_join(const char *dev, const char *below)
{
	char *path;

	if (!dev || !below)
		return NULL;
	return asprintf(&path, "%s%s%s", dev, *below ? "/" : "", below) < 0 ?
	       NULL : path;
}

bool path_is_of_unit(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !strncmp(slash + 1, PATH_OF_UNIT, strlen(PATH_OF_UNIT));
}

bool path_is_below(const char *path, const char *top)
{
	size_t len = strlen(top);

	return !strncmp(path, top, len) && (!path[len] || path[len] == '/');
}
