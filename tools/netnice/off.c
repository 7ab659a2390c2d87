// SPDX-License-Identifier: GPL-2.0
/*
 * Settings are removed first: then the VIF limits nothing any more, neither a child that is forked
 * meanwhile nor a VIF below it. Detaching the processes afterwards only tidies up.
 */
#include "off.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "belonging.h"
#include "complain.h"
#include "effect.h"
#include "failure.h"
#include "path.h"
#include "process.h"
#include "userns.h"

static int reset(const struct nnfs *fs, const struct vif *vif, const struct param *param)
{
	char *text = nnfs_read_vif(fs, vif->path, param->name);
	char *value = text ? param_normal(param, text) : NULL;
	int ret = 0;

	if (!value || strcmp(value, param->initial))
		ret = nnfs_write_vif(fs, vif->path, param->name, param->initial);
	if (ret)
		nnfs_warn(fs, "%s: %s: %s", vif->dev, vif->path, param->name);
	free(value);
	free(text);
	return ret;
}

static int reset_all(struct nnfs *fs, const struct vif *vif)
{
	int ret = 0;

	for (size_t i = 0; i < PARAM_DIRECTED; i++) {
		nnfs_refresh(fs);
		if (reset(fs, vif, &params[i]))
			ret = -1;
	}
	return ret;
}

/* The VIF that @vif was made below; "" where nothing needs to be attached to that. */
static void find_above(const char *vif, char above[PATH_MAX])
{
	char users[sizeof("/user-4294967295")];
	size_t len;

	snprintf(above, PATH_MAX, "%s", vif);
	*strrchr(above, '/') = '\0';
	len = strlen(above);
	snprintf(users, sizeof(users), "/user-%u", userns_number());
	if (len > strlen(users) && !strcmp(above + len - strlen(users), users))
		above[len - strlen(users)] = '\0';
	if (!strchr(above, '/'))
		*above = '\0';
}

/* The control group that a process is in, or the one above a group; NULL: unknown, or none */
static char *group_above(const struct subject *subject)
{
	const char *name = subject->target.name, *slash = strrchr(name, '/');
	char path[32], *group = NULL;
	int proc;

	if (!subject->pid)
		return strcmp(name, "/") &&
		       asprintf(&group, "/%.*s", slash ? (int)(slash - name) : 0, name) >= 0 ? group : NULL;
	snprintf(path, sizeof(path), "/proc/%d", subject->pid);
	proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return NULL;
	group = nnfs_group_of(proc, "cgroup");
	close(proc);
	return group;
}

/*
 * The VIF that it would belong to without an attachment by the caller; NULL: the root VIF, or
 * unknown
 */
static char *find_rest(const struct nnfs *fs, const struct vif *vif, const struct subject *subject,
		       const struct belonging *at)
{
	char *group, *rest;

	if (!at->as_admin)
		return at->base ? strdup(at->base) : NULL;
	group = group_above(subject);
	rest = group ? nnfs_nearest_group(fs, group, vif->dev) : NULL;
	free(group);
	return rest;
}

/*
 * Move a process to the VIF above. It gets an attachment of its own only if it would otherwise
 * leave @above, because an attachment keeps it from moving with its control group. A user may not
 * attach to a VIF of an administrator: without a link the process is back in that VIF.
 */
static void put_back(const struct nnfs *fs, const struct vif *vif, const struct subject *subject,
		     const char *above)
{
	struct belonging at;
	const char *own;
	char *rest;

	if (belonging_find(&at, fs, &subject->target, vif->path))
		return;
	own = belonging_own(&at);
	if (own && !strcmp(own, vif->path)) {
		rest = find_rest(fs, vif, subject, &at);
		if (!*above || (rest && path_is_below(rest, above)) || subject_attach(fs, subject, above))
			target_detach(fs, &subject->target, vif->dev);
		free(rest);
	}
	belonging_free(&at);
}

static void put_back_members(const struct nnfs *fs, const struct vif *vif, const char *above)
{
	char *text = nnfs_read_vif(fs, vif->path, "tasks"), *save, *line;
	struct subject member;

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		subject_init_process(&member, process_parse_pid(line));
		if (member.pid)
			put_back(fs, vif, &member, above);
	}
	free(text);
}

static int off_on(struct nnfs *fs, const struct vif *vif, const struct subject *subject)
{
	char above[PATH_MAX];

	if (reset_all(fs, vif))
		return -1;
	/* before the VIF goes with its last member */
	effect_unlimited(fs, vif->path);
	find_above(vif->path, above);
	put_back(fs, vif, subject, above);
	put_back_members(fs, vif, above);
	return 0;
}

int off(const struct vif_set *set, const struct subject *subject)
{
	bool any = false;
	char *words;
	int ret = 0;

	for (size_t i = 0; i < set->count; i++) {
		if (!set->vif[i].is_again)
			continue;
		any = true;
		if (off_on(set->fs, &set->vif[i], subject))
			ret = -1;
	}
	if (any)
		return ret;
	words = subject_words(subject);
	complain("%s: netnice has made no VIF for it that you may change (--show prints where it is)",
		 words ?: "");
	free(words);
	return EFFECT_STATUS;
}
