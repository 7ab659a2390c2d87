// SPDX-License-Identifier: GPL-2.0
#include "target_word.h"

#include <stdlib.h>
#include <string.h>

#include "group.h"
#include "netdev.h"

void target_list(FILE *out, const char *indent)
{
	for (size_t i = 0; i < TARGET_KINDS; i++)
		fprintf(out, "%s%-8s %s\n", indent, target_kinds[i].word,
			target_kinds[i].syntax);
}

/* "/sys/fs/cgroup/a//b/" and "/a/b" are "a/b". */
static char *normal_cgroup(const char *name)
{
	static const char mounted[] = GROUP_TOP;
	const size_t len = sizeof(mounted) - 1;
	char *normal, *to;

	if (!strncmp(name, mounted, len) && (!name[len] || name[len] == '/'))
		name = name[len] ? name + len : "/";
	normal = strdup(name);
	if (!normal)
		return NULL;
	to = normal;
	for (; *name; name++)
		if (*name != '/' || (to != normal && name[1] && name[1] != '/'))
			*to++ = *name;
	if (to == normal && name[-1] == '/')
		*to++ = '/';
	*to = '\0';
	return normal;
}

char *target_normal(const struct target_kind *kind, const char *name)
{
	char device[IF_NAMESIZE];

	if (kind == &target_kinds[TARGET_CGROUP] && *name)
		return normal_cgroup(name);
	if (kind == &target_kinds[TARGET_DEVICE] && netdev_find(name, device))
		name = device;
	return strdup(name);
}

int target_compare(const struct target *a, const struct target *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return strcmp(a->name, b->name);
}
