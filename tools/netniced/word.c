// SPDX-License-Identifier: GPL-2.0
/* Single words of rules: paths of VIFs, of programs and of control groups, users. */
#include "patterns.h"

#include <ctype.h>
#include <grp.h>
#include <limits.h>
#include <linux/netnice.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

#define VIF_RIGHT	"DEVICE, or DEVICE/NAME, DEVICE/NAME/NAME and so on"

const struct param *word_setting(const char *word)
{
	const struct param *param = param_find(word);

	return param && param_has_directions(param) ? param : NULL;
}

static bool is_reserved_name(const char *name)
{
	static const char *const reserved[] = {
		".", "..", "tasks", "sockets", "stack", "ports", "program", "stat", "autoremove",
	};

	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (!strcmp(name, reserved[i]))
			return true;
	return word_setting(name) != NULL;
}

static bool is_printable(const char *text)
{
	while (isgraph((unsigned char)*text) || (unsigned char)*text > 0x7f)
		text++;
	return !*text;
}

static const char *check_name(const char *name)
{
	if (!*name)
		return VIF_RIGHT ", with one slash between names";
	if (strlen(name) > NETNICE_NAME_MAX)
		return "names of up to 63 bytes";
	if (!strncmp(name, "user-", 5))
		return "names that do not begin with \"user-\": those are users' own";
	if (!strncmp(name, "netniced.", 9))
		return "names that do not begin with \"netniced.\": those the daemon gives";
	if (is_reserved_name(name))
		return "names that no file of a VIF has";
	return NULL;
}

static const char *check_device(const char *name)
{
	if (!*name)
		return VIF_RIGHT ", without a slash before it";
	if (strlen(name) >= IF_NAMESIZE)
		return "the name of a device, of up to 15 bytes";
	if (!strcmp(name, "tasks") || !strcmp(name, "cgroups") ||
	    !strcmp(name, "devices") || !strcmp(name, "last_error"))
		return "the name of a device before the first slash";
	return NULL;
}

const char *word_vif(const char *word)
{
	char path[PATH_MAX], *name = path, *slash;
	const char *right;

	if (snprintf(path, sizeof(path), "%s", word) >= (int)sizeof(path))
		return VIF_RIGHT;
	if (!is_printable(word))
		return "printable names";
	for (int depth = 0; depth <= NETNICE_DEPTH_MAX; depth++) {
		slash = strchr(name, '/');
		if (slash)
			*slash = '\0';
		right = depth ? check_name(name) : check_device(name);
		if (right || !slash)
			return right;
		name = slash + 1;
	}
	return "32 levels at most";
}

const char *word_vif_of_one(const char *word)
{
	return pattern_is(word) ? "a device by its name" : word_vif(word);
}

bool word_is_pattern(const char *word)
{
	return strpbrk(word, "*?[") != NULL;
}

const char *word_exe(const char *word)
{
	return *word == '/' || *word == '*' ? NULL :
		"the whole path of a program (/usr/bin/rsync), or a pattern of it (*/rsync)";
}

static bool has_dots(const char *path)
{
	for (size_t len; *path; path += len + strspn(path + len, "/")) {
		len = strcspn(path, "/");
		if (len && len <= 2 && !strncmp(path, "..", len))
			return true;
	}
	return false;
}

/* Other paths cannot be paths of a group. */
const char *word_group_path(const char *word)
{
	return !strstr(word, "//") && !has_dots(word) ? NULL :
		"the path of a control group (system.slice/nginx.service), without . and ..";
}

const char *word_unit(const char *word)
{
	return strchr(word, '/') || !strchr(word, '.') ?
		"the name of a unit, with its type (nginx.service)" : NULL;
}

/* All bits set is no user's number. */
static bool take_number(const char *word, unsigned int *id)
{
	unsigned long number;

	if (!text_number(word, UINT_MAX - 1, &number))
		return false;
	*id = number;
	return true;
}

bool word_range(const char *word, struct id_range *range)
{
	char first[16];
	const char *dash = strchr(word, '-');

	if (!dash || dash - word >= (ptrdiff_t)sizeof(first))
		return false;
	snprintf(first, sizeof(first), "%.*s", (int)(dash - word), word);
	return take_number(first, &range->first) && take_number(dash + 1, &range->last);
}

bool word_user(const char *word, unsigned int *id)
{
	const struct passwd *user;

	if (take_number(word, id))
		return true;
	user = getpwnam(word);
	if (user)
		*id = user->pw_uid;
	return user;
}

bool word_group(const char *word, unsigned int *id)
{
	const struct group *group;

	if (take_number(word, id))
		return true;
	group = getgrnam(word);
	if (group)
		*id = group->gr_gid;
	return group;
}
