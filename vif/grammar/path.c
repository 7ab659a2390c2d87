// SPDX-License-Identifier: GPL-2.0
#include "path.h"

#include "env.h"

/* The length of a clean path without its last name. */
static size_t vif_path_parent_len(const char *path, size_t len)
{
	while (len && path[--len] != '/')
		;
	return len;
}

int vif_path_join(const char *base, const char *path, char *buf, size_t size)
{
	size_t n, len = *path == '/' ? 0 : strlen(base);

	if (len >= size)
		return -ENAMETOOLONG;
	memcpy(buf, base, len);
	for (path += strspn(path, "/"); *path; path += strspn(path, "/")) {
		n = strcspn(path, "/");
		if (n == 2 && path[0] == '.' && path[1] == '.') {
			len = vif_path_parent_len(buf, len);
		} else if (n != 1 || path[0] != '.') {
			if (n + 2 > size - len)
				return -ENAMETOOLONG;
			buf[len++] = '/';
			memcpy(buf + len, path, n);
			len += n;
		}
		path += n;
	}
	buf[len] = '\0';
	return 0;
}
