// SPDX-License-Identifier: GPL-2.0
/*
 * A child inherits its parent's attachment when it is forked. Children that were forked before are
 * found by their parents' IDs. The search is repeated until a pass finds none, or until two passes
 * find only children that have inherited the attachment. A descendant whose parent has exited is a
 * child of init, and is not found.
 */
#include "family.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "belonging.h"
#include "complain.h"
#include "failure.h"
#include "process.h"

/**
 * struct family - a process and its descendants
 * @genl: the netlink family
 * @set: the VIFs
 * @pid: that were found so far; the process itself is the first
 * @count: how many these are
 * @n_attached: how many of these had to be attached
 * @n_moved: how many of these could be
 * @n_left: that stay where they are
 * @left: the last one of these
 */
struct family {
	struct genl genl;
	const struct vif_set *set;
	pid_t *pid;
	size_t count;
	size_t n_attached;
	size_t n_moved;
	size_t n_left;
	pid_t left;
};

static bool add(struct family *family, pid_t pid)
{
	pid_t *added = array_add(&family->pid, &family->count, sizeof(*added));

	if (added)
		*added = pid;
	return added;
}

static bool has(const struct family *family, pid_t pid)
{
	for (size_t i = 0; i < family->count; i++)
		if (family->pid[i] == pid)
			return true;
	return false;
}

static bool is_at_or_below(const char *path, const char *vif)
{
	const size_t len = strlen(vif);

	return !strncmp(path, vif, len) && (!path[len] || path[len] == '/');
}

/* Only the first one is named: there may be hundreds. */
static void leave(struct family *family, pid_t pid, const char *dev, const char *why)
{
	if (family->left == pid)
		return;
	family->left = pid;
	if (!family->n_left++)
		complain("%s: PID %d, which PID %d has started, is not limited by this: %s", dev, pid,
			 family->pid[0], why);
}

static void leave_in(struct family *family, pid_t pid, const char *dev, const char *vif)
{
	char *why;

	if (asprintf(&why, "it stays in %s", vif) < 0)
		return;
	leave(family, pid, dev, why);
	free(why);
}

static void leave_errno(struct family *family, pid_t pid, const char *dev)
{
	char why[NNFS_SENTENCE_MAX];

	const int err = errno;

	if (err == ESRCH && kill(pid, 0) && errno == ESRCH)
		return;
	errno = err;
	if (err == ESRCH)
		snprintf(why, sizeof(why), "it is another user's or may not be traced");
	else
		nnfs_explain(family->set->fs, why);
	leave(family, pid, dev, why);
}

/* It may have been limited by itself before. Return: whether it is below @vif now. */
static bool move_below(const struct nnfs *fs, const struct vif *vif, const struct subject *subject,
		       const char *own)
{
	const char *name = own ? strrchr(own, '/') : NULL;
	char above[PATH_MAX], to[PATH_MAX];

	if (!name || !vif_is_named_for(own, subject, NULL))
		return false;
	snprintf(above, sizeof(above), "%.*s", (int)(name - own), own);
	return is_at_or_below(vif->path, above) &&
	       snprintf(to, sizeof(to), "%s%s", vif->path, name) < (int)sizeof(to) &&
	       !renameat2(fs->fd, own, fs->fd, to, RENAME_NOREPLACE);
}

static void attach_on(struct family *family, const struct vif *vif, const struct subject *subject)
{
	struct nnfs *fs = family->set->fs;
	struct belonging at;
	const char *above;
	bool is_inside, is_moved = false;

	nnfs_refresh(fs);
	if (belonging_read(&at, &family->genl, fs, &subject->target, vif->dev)) {
		leave_errno(family, subject->pid, vif->dev);
		return;
	}
	above = belonging_above(&at) ?: vif->path;
	is_inside = is_at_or_below(above, vif->path);
	family->n_attached += !is_inside;
	if (!is_inside && is_at_or_below(vif->path, above)) {
		is_moved = !subject_attach(fs, subject, vif->path);
		if (!is_moved)
			leave_errno(family, subject->pid, vif->dev);
	} else if (!is_inside) {
		is_moved = move_below(fs, vif, subject, belonging_own(&at));
		if (!is_moved)
			leave_in(family, subject->pid, vif->dev, above);
	}
	family->n_moved += is_moved;
	belonging_free(&at);
}

static void attach(struct family *family, pid_t pid)
{
	struct subject subject;

	subject_init_process(&subject, pid);
	for (size_t i = 0; i < family->set->count; i++)
		attach_on(family, &family->set->vif[i], &subject);
}

/* Return: how many were found, or -1 and errno. */
static int find_once(struct family *family)
{
	struct process_list now;
	int found = 0;

	if (process_list_read(&now))
		return -1;
	for (size_t i = 0; found >= 0 && i < now.count; i++) {
		const struct process *process = &now.process[i];

		if (!has(family, process->ppid) || has(family, process->pid))
			continue;
		found = add(family, process->pid) ? found + 1 : -1;
		/* One that ends meanwhile may leave children, and its number to another process. */
		if (process_start(process->pid) == process->start)
			attach(family, process->pid);
	}
	process_list_free(&now);
	return found;
}

static void say_rest(const struct family *family)
{
	if (family->n_left > 1)
		complain("PID %d: neither are %zu more of its processes", family->pid[0],
			 family->n_left - 1);
}

/* Processes that stay elsewhere and fork all the time would keep this from ending. */
#define PASSES_MAX	20

/* Return: whether all were found. */
static bool find_all(struct family *family)
{
	int found = 1, idle = 0;

	for (int n = 0; n < PASSES_MAX && found > 0 && idle < 2; n++) {
		const size_t attached = family->n_attached;

		found = find_once(family);
		idle = family->n_attached == attached ? idle + 1 : 0;
	}
	if (found < 0)
		complain_errno("cannot list the processes");
	else if (found && idle < 2)
		complain("PID %d: its processes start new ones all the time: some may not be limited by this: run this again",
			 family->pid[0]);
	return !found || idle == 2;
}

bool family_attach(const struct vif_set *set, pid_t pid)
{
	struct family family = { .set = set };
	bool is_all = false;

	if (genl_open(&family.genl))
		return false;
	if (add(&family, pid))
		is_all = find_all(&family);
	else
		complain_errno("cannot list the processes");
	say_rest(&family);
	free(family.pid);
	genl_close(&family.genl);
	return is_all && !family.n_left;
}

static bool is_member(struct family *family, pid_t pid, const char *vif)
{
	struct subject subject;
	struct belonging at;
	const char *now;
	bool is;

	subject_init_process(&subject, pid);
	if (belonging_read(&at, &family->genl, family->set->fs, &subject.target, vif))
		return false;
	now = belonging_above(&at);
	is = now && is_at_or_below(now, vif);
	belonging_free(&at);
	return is;
}

size_t family_attach_members(const struct vif_set *set, const char *vif, const pid_t *pid, size_t count)
{
	struct family family = { .set = set, .pid = (pid_t *)pid };

	if (genl_open(&family.genl))
		return 0;
	for (size_t i = 0; i < count; i++) {
		const unsigned long long start = process_start(pid[i]);

		/* its number may be another process's by now */
		if (start && is_member(&family, pid[i], vif) && process_start(pid[i]) == start)
			attach(&family, pid[i]);
	}
	genl_close(&family.genl);
	return family.n_moved;
}
