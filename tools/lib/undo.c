// SPDX-License-Identifier: GPL-2.0
/*
 * Transactions. Each change notes first how it can be undone: later there may be no memory, and the
 * old value is gone. A VIF that the transaction has created is undone by its removal only: if it is in
 * use by then, by a child of an attached process for example, it stays with its limits.
 */
#include "undo.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array.h"
#include "handle.h"
#include "pid.h"
#include "setting.h"

#define RETRY_US	10000

static void drop_last(struct netnice *nn)
{
	struct undo *undo = &nn->undo[--nn->n_undo];

	free(undo->vif);
	free(undo->to);
	for (size_t i = 0; i < PARAM_AUTOREMOVE; i++)
		free(undo->value[i]);
	free(undo->target.name);
	free(undo->from);
	free(undo->chosen);
}

ino_t undo_ino(const struct netnice *nn, const char *vif)
{
	const int err = errno;
	struct stat status;

	if (!nn->in_transaction || fstatat(nn->fs.fd, vif, &status, AT_SYMLINK_NOFOLLOW))
		status.st_ino = 0;
	errno = err;
	return status.st_ino;
}

/* Reserve the memory before the VIF is created. */
static bool reserve_created(struct netnice *nn)
{
	if (!array_add(&nn->created, &nn->n_created, sizeof(*nn->created)))
		return false;
	nn->n_created--;
	return true;
}

/* It may be gone already. A number that is not the highest is of another VIF, which has taken its path. */
static void note_created(struct netnice *nn, const char *vif)
{
	const ino_t ino = undo_ino(nn, vif);

	if (ino && (!nn->n_created || ino > nn->created[nn->n_created - 1]))
		nn->created[nn->n_created++] = ino;
}

static int compare_ino(const void *a, const void *b)
{
	const ino_t one = *(const ino_t *)a, other = *(const ino_t *)b;

	return (one > other) - (one < other);
}

/* Is it undone with the VIF that the transaction has created? */
static bool is_of_created(const struct netnice *nn, const struct undo *undo)
{
	return undo->ino && nn->n_created &&
	       bsearch(&undo->ino, nn->created, nn->n_created, sizeof(*nn->created), compare_ino);
}

struct undo *undo_begin(struct netnice *nn, enum undo_kind kind, const char *vif)
{
	struct undo *undo;

	nn->is_begun = false;
	if (handle_check(nn))
		return NULL;
	nnfs_refresh(&nn->fs);
	undo = array_add(&nn->undo, &nn->n_undo, sizeof(*undo));
	nn->is_begun = undo;
	if (!undo) {
		handle_fail(nn, ENOMEM, "out of memory");
		return NULL;
	}
	undo->kind = kind;
	if (!handle_path(nn, vif))
		return NULL;
	undo->vif = strdup(vif);
	if (undo->vif && (kind != UNDO_CREATE || reserve_created(nn))) {
		undo->ino = kind == UNDO_SET || kind == UNDO_PORT || kind == UNDO_MOVE ? undo_ino(nn, vif) : 0;
		return undo;
	}
	handle_fail(nn, ENOMEM, "out of memory");
	return NULL;
}

int undo_end(struct netnice *nn, int ret)
{
	const int err = errno;

	if (ret && !nn->is_explained)
		handle_fail_errno(nn);
	if (nn->is_begun && (ret || !nn->in_transaction))
		drop_last(nn);
	else if (nn->is_begun && nn->undo[nn->n_undo - 1].kind == UNDO_CREATE)
		note_created(nn, nn->undo[nn->n_undo - 1].vif);
	nn->is_begun = false;
	errno = err;
	return ret;
}

int undo_remove(const struct nnfs *fs, const char *vif)
{
	int ret;

	for (int n = 0; n < 20; n++) {
		ret = unlinkat(fs->fd, vif, AT_REMOVEDIR);
		if (!ret || errno != EBUSY)
			break;
		usleep(RETRY_US);
	}
	return ret;
}

/* --- undoing --- */

/* The port is free a moment after it was closed. */
static int undo_port(const struct nnfs *fs, const struct undo *undo)
{
	const bool was_closed = *undo->to == '-';
	char text[32];
	int ret;

	snprintf(text, sizeof(text), "%s%s", was_closed ? "" : "-", undo->to + was_closed);
	for (int n = 0; n < 100; n++) {
		ret = nnfs_write_vif(fs, undo->vif, "ports", text);
		if (!ret || errno != EADDRINUSE)
			break;
		usleep(RETRY_US);
	}
	return ret;
}

static bool is_at(const struct nnfs *fs, const char *vif, uid_t uid)
{
	struct stat st;

	return !fstatat(fs->fd, vif, &st, AT_SYMLINK_NOFOLLOW) && st.st_uid == uid;
}

/* user-UID takes a caller whose packets belong to the VIF above. */
static int create_as(const struct nnfs *fs, const char *vif, uid_t uid, gid_t gid)
{
	char above[PATH_MAX];

	snprintf(above, sizeof(above), "%.*s", (int)(strrchr(vif, '/') - vif), vif);
	nnfs_attach(fs, getpid(), above);
	if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -1;
	return mkdirat(fs->fd, vif, 0777);
}

/*
 * A user's VIF is charged to that user, and only the user can create user-UID. Return: whether it was
 * created so; otherwise the caller creates it, and gives it away.
 */
static bool create_as_owner(const struct nnfs *fs, const struct undo *undo)
{
	const char *owner = undo->value[PARAM_OWNER];
	unsigned int uid, gid;
	pid_t child;

	/* a service without the capability may not even try */
	if (!strchr(undo->vif, '/') || sscanf(owner, "%u:%u", &uid, &gid) != 2 || uid == geteuid() ||
	    prctl(PR_CAPBSET_READ, CAP_SETUID) != 1)
		return false;
	child = fork();
	if (!child)
		_exit(create_as(fs, undo->vif, uid, gid) ? 1 : 0);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return is_at(fs, undo->vif, uid);
}

/* Autoremove is set at the end: before anything is attached, the VIF would be removed at once. */
static int create_again(const struct nnfs *fs, const struct undo *undo)
{
	if (!create_as_owner(fs, undo) && mkdirat(fs->fd, undo->vif, 0777))
		return -1;
	for (size_t i = 0; i < PARAM_AUTOREMOVE; i++)
		if ((!params[i].initial || strcmp(params[i].initial, undo->value[i])) &&
		    setting_write(&params[i], fs, undo->vif, undo->value[i]))
			return -1;
	return 0;
}

static unsigned long long socket_cookie(const struct nnfs *fs, const struct target *target)
{
	char *path = target_file(target, "socket"), *text = path ? nnfs_read(fs->fd, path) : NULL;
	const char *line = text ? strstr(text, "\ncookie ") : NULL;
	unsigned long long cookie = line ? strtoull(line + strlen("\ncookie "), NULL, 16) : 0;

	free(path);
	free(text);
	return cookie;
}

unsigned long long undo_identity(const struct nnfs *fs, const struct target *target)
{
	if (target->kind == &target_kinds[TARGET_SOCKET])
		return socket_cookie(fs, target);
	if (target->kind == &target_kinds[TARGET_CGROUP] || target->kind == &target_kinds[TARGET_DEVICE])
		return 0;
	return process_start(atoi(target->name));
}

static bool is_socket(const struct undo *undo)
{
	return undo->target.kind == &target_kinds[TARGET_SOCKET];
}

/* The number of a process that has gone may be another's by now, which is not attached in its place. */
static bool has_gone(const struct nnfs *fs, const struct undo *undo)
{
	char *dir = undo->target.kind->directory(undo->target.name);
	const bool has = dir && !faccessat(fs->fd, dir, F_OK, AT_SYMLINK_NOFOLLOW);

	free(dir);
	return !has || (!is_socket(undo) && undo_identity(fs, &undo->target) != undo->identity);
}

static int undo_one(const struct nnfs *fs, const struct undo *undo)
{
	switch (undo->kind) {
	case UNDO_CREATE:
		/* the kernel may have been faster, if the VIF was held */
		return undo_remove(fs, undo->vif) && errno != ENOENT ? -1 : 0;
	case UNDO_REMOVE:
		return create_again(fs, undo);
	case UNDO_MOVE:
		return renameat2(fs->fd, undo->to, fs->fd, undo->vif, RENAME_NOREPLACE);
	case UNDO_SET:
		return setting_write(undo->param, fs, undo->vif, undo->value[0]);
	case UNDO_PORT:
		return undo_port(fs, undo);
	case UNDO_ATTACH:
	case UNDO_DETACH:
		if (undo->from)
			return target_attach(fs, &undo->target, undo->from);
		/* the kernel has removed the link with its VIF */
		return undo->kind == UNDO_ATTACH && target_detach(fs, &undo->target, undo->vif) &&
		       errno != ENOENT ? -1 : 0;
	}
	return -1;
}

/* Is the VIF of the transaction gone that is needed? The kernel removes one that is held and unused. */
static bool has_gone_created(const struct nnfs *fs, const struct undo *undo)
{
	return !nnfs_is_vif(fs, undo->kind == UNDO_MOVE ? undo->to : undo->from ?: undo->vif);
}

/* Undo a change, or set the sentence to what is left of it. Return: 0, or -1 and errno. */
static int undo_or_explain(struct netnice *nn, const struct undo *undo)
{
	char why[NNFS_SENTENCE_MAX];

	if (is_of_created(nn, undo) && (undo->kind == UNDO_SET || undo->kind == UNDO_PORT ||
					has_gone_created(&nn->fs, undo)))
		return 0;
	/* which ports the kernel has chosen is not known */
	if (undo->kind == UNDO_PORT && !strncmp(undo->to, "auto", strlen("auto")))
		return handle_fail(nn, EOPNOTSUPP, "%s: %s: these stay", undo->vif, undo->to);
	nnfs_refresh(&nn->fs);
	if (undo->target.kind && has_gone(&nn->fs, undo))
		return 0;
	if (undo->target.kind && is_socket(undo) && undo_identity(&nn->fs, &undo->target) != undo->identity)
		return handle_fail(nn, ESRCH, "socket %s: another socket is at this descriptor now: the first one stays where it is attached",
				   undo->target.name);
	if (undo_one(&nn->fs, undo)) {
		nnfs_reason(&nn->fs, why);
		return handle_fail(nn, errno, "%s cannot be %s: %s", undo->vif,
				   undo->kind == UNDO_CREATE ? "removed again, and keeps its limits" : "put back",
				   why);
	}
	/* only its user can make that choice */
	if (undo->chosen)
		return handle_fail(nn, EPERM, "%s %s: it is not put back to %s, which its user had chosen",
				   undo->target.kind->word, undo->target.name, undo->chosen);
	return 0;
}

int netnice_begin(struct netnice *nn)
{
	if (handle_check(nn))
		return -1;
	if (nn->in_transaction)
		return handle_fail(nn, EBUSY, "there is an open transaction");
	nn->in_transaction = true;
	return 0;
}

void netnice_commit(struct netnice *nn)
{
	if (!nn)
		return;
	while (nn->n_undo)
		drop_last(nn);
	free(nn->undo);
	nn->undo = NULL;
	free(nn->created);
	nn->created = NULL;
	nn->n_created = 0;
	nn->in_transaction = false;
}

/* Of VIFs that were removed. One that is not used by then goes, as it would have without us. */
static void autoremove_again(const struct netnice *nn)
{
	for (size_t i = 0; i < nn->n_undo; i++)
		if (nn->undo[i].is_autoremoved)
			nnfs_write_vif(&nn->fs, nn->undo[i].vif, params[PARAM_AUTOREMOVE].name, "1");
}

int netnice_rollback(struct netnice *nn, netnice_undo_fn *fn, void *arg)
{
	int ret = 0, err = 0;

	if (!nn)
		return 0;
	if (handle_check(nn))
		return -1;
	for (size_t i = nn->n_undo; i-- > 0;) {
		if (!undo_or_explain(nn, &nn->undo[i]))
			continue;
		ret = -1;
		err = errno;
		if (fn)
			fn(nn->why, arg);
	}
	autoremove_again(nn);
	netnice_commit(nn);
	if (ret)
		errno = err;
	return ret;
}
