// SPDX-License-Identifier: GPL-2.0
/* Create, remove, move, set, read and list VIFs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "handle.h"
#include "setting.h"
#include "undo.h"

#define PORTS	"ports"

int netnice_create(struct netnice *nn, const char *vif, mode_t mode)
{
	return undo_end(nn, undo_begin(nn, UNDO_CREATE, vif) ? mkdirat(nn->fs.fd, vif, mode) : -1);
}

int netnice_hold(struct netnice *nn, const char *vif)
{
	int fd;

	if (handle_check(nn) || !handle_path(nn, vif))
		return -1;
	nnfs_refresh(&nn->fs);
	fd = nnfs_guard(&nn->fs, vif);
	return fd < 0 ? handle_fail_errno(nn) : fd;
}

static int open_vif(const struct nnfs *fs, const char *vif, int flags)
{
	return openat(fs->fd, vif, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static char *read_setting(const struct nnfs *fs, const char *vif, const struct param *param)
{
	int dir = open_vif(fs, vif, O_PATH), err;
	char *value = dir < 0 ? NULL : setting_read(param, dir);

	err = errno;
	if (dir >= 0)
		close(dir);
	errno = err;
	return value;
}

/* A VIF with settings that cannot be read is not removed, as it could not be created again. */
static int note_settings(const struct netnice *nn, struct undo *undo)
{
	char *autoremove;

	if (!nn->in_transaction)
		return 0;
	for (size_t i = 0; i < PARAM_AUTOREMOVE; i++) {
		undo->value[i] = read_setting(&nn->fs, undo->vif, &params[i]);
		if (!undo->value[i])
			return -1;
	}
	autoremove = read_setting(&nn->fs, undo->vif, &params[PARAM_AUTOREMOVE]);
	undo->is_autoremoved = autoremove && *autoremove == '1';
	free(autoremove);
	return autoremove ? 0 : -1;
}

int netnice_remove(struct netnice *nn, const char *vif)
{
	struct undo *undo = undo_begin(nn, UNDO_REMOVE, vif);

	return undo_end(nn, undo && !note_settings(nn, undo) ? undo_remove(&nn->fs, vif) : -1);
}

int netnice_move(struct netnice *nn, const char *vif, const char *to)
{
	struct undo *undo = undo_begin(nn, UNDO_MOVE, vif);

	if (undo && handle_path(nn, to))
		undo->to = strdup(to);
	return undo_end(nn, undo && undo->to ?
			renameat2(nn->fs.fd, vif, nn->fs.fd, to, RENAME_NOREPLACE) : -1);
}

static int set_port(struct netnice *nn, const char *vif, const char *text)
{
	struct undo *undo = undo_begin(nn, UNDO_PORT, vif);

	if (undo)
		undo->to = strdup(text);
	return undo_end(nn, undo && undo->to ? nnfs_write_vif(&nn->fs, vif, PORTS, text) : -1);
}

int netnice_set(struct netnice *nn, const char *vif, const char *name, const char *value)
{
	const struct param *param = param_find(name);
	struct undo *undo;

	if (!strcmp(name, PORTS))
		return set_port(nn, vif, value);
	if (!param)
		return handle_fail(nn, EINVAL, "'%s' is not a parameter", name);
	undo = undo_begin(nn, UNDO_SET, vif);
	if (undo && nn->in_transaction) {
		undo->param = param;
		undo->value[0] = read_setting(&nn->fs, vif, param);
		if (!undo->value[0])
			undo = NULL;
	}
	return undo_end(nn, undo ? setting_write(param, &nn->fs, vif, value) : -1);
}

/* Return a file's text, without the line feed at its end; the caller frees it. */
static char *read_file(const struct nnfs *fs, const char *vif, const char *name)
{
	char *text = nnfs_read_vif(fs, vif, name);
	size_t len = text ? strlen(text) : 0;

	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	return text;
}

char *netnice_get(struct netnice *nn, const char *vif, const char *name)
{
	const struct param *param = param_find(name);
	char *value;

	if (handle_check(nn) || !handle_path(nn, vif))
		return NULL;
	if (strchr(name, '/')) {
		handle_fail(nn, EINVAL, "'%s' is not a file of a VIF", name);
		return NULL;
	}
	nnfs_refresh(&nn->fs);
	value = param ? read_setting(&nn->fs, vif, param) : read_file(&nn->fs, vif, name);
	if (!value)
		handle_fail_errno(nn);
	return value;
}

static int list_dir(const struct nnfs *fs, DIR *dir, const char *above, netnice_vif_fn *fn, void *arg)
{
	struct dirent *entry;
	char path[PATH_MAX];
	int ret = 0;

	while (!ret && (errno = 0, entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s%s%s", above ?: "", above ? "/" : "", entry->d_name);
		if (above ? nnfs_is_vif(fs, path) : nnfs_has_device(fs, path))
			ret = fn(path, arg);
	}
	return ret ?: errno ? -1 : 0;
}

int netnice_list(struct netnice *nn, const char *above, netnice_vif_fn *fn, void *arg)
{
	int fd, ret;
	DIR *dir;

	if (handle_check(nn) || (above && !handle_path(nn, above)))
		return -1;
	nnfs_refresh(&nn->fs);
	fd = open_vif(&nn->fs, above ?: ".", O_RDONLY);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		handle_fail_errno(nn);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	ret = list_dir(&nn->fs, dir, above, fn, arg);
	if (ret < 0 && errno)
		handle_fail_errno(nn);
	closedir(dir);
	return ret;
}
