// SPDX-License-Identifier: GPL-2.0
/*
 * Reading, writing and attaching in the file system under /proc/network, and
 * the sentence that the kernel gives for a failure. nnfs_mount.c finds the
 * file system.
 */
#include "nnfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netnice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "param.h"

#define READ_CHUNK_BYTES	4096
#define LOOPBACK		"lo"	/* each namespace has it from the start */

/* What is no device at the top. */
static const char *const top_names[] = {
	"tasks", "cgroups", "devices", "last_error",
};

#define TOP_NAMES	(sizeof(top_names) / sizeof(*top_names))

/**
 * struct last_error - contents of the file last_error
 * @sentence: reason of the last failure; empty: there was none
 * @serial: serial number of the failure; increases
 * @pid: the process that failed
 */
struct last_error {
	char sentence[NNFS_SENTENCE_MAX];
	unsigned long long serial;
	int pid;
};

static void read_last_error(const struct nnfs *fs, struct last_error *last)
{
	char *text = nnfs_read(fs->fd, "last_error");
	const size_t len = text ? strcspn(text, "\n") : 0;

	*last = (struct last_error) { .serial = 0 };
	if (text && sscanf(text + len, " serial %llu process %d", &last->serial, &last->pid) == 2)
		snprintf(last->sentence, NNFS_SENTENCE_MAX, "%.*s", (int)len, text);
	free(text);
}

static bool is_there(const struct nnfs *fs, const char *path)
{
	return !faccessat(fs->fd, path, F_OK, AT_SYMLINK_NOFOLLOW) ||
	       errno != ENOENT;
}

/* Return a feature that the loaded module lacks, or NULL. */
static const char *missing(const struct nnfs *fs)
{
	char file[64];

	for (size_t i = 0; i < TOP_NAMES; i++)
		if (!is_there(fs, top_names[i]))
			return top_names[i];
	if (!nnfs_has_device(fs, LOOPBACK))
		return NULL;
	for (size_t i = 0; i < PARAM_DIRECTED; i++) {
		snprintf(file, sizeof(file), LOOPBACK "/%s", params[i].name);
		if (!is_there(fs, file))
			return params[i].name;
	}
	return NULL;
}

/*
 * A program that is newer than the module finds that out here, not when it has done half
 * of its work.
 */
int nnfs_find(struct nnfs *fs, char why[NNFS_SENTENCE_MAX])
{
	const char *name;

	fs->fd = nnfs_mount(why);
	if (fs->fd < 0)
		return -1;
	name = missing(fs);
	if (name) {
		snprintf(why, NNFS_SENTENCE_MAX,
			 "the netnice module that is loaded is older than this program, it has no '%s': load that of version %s",
			 name, NETNICE_VERSION);
		nnfs_close(fs);
		errno = EPROTO;
		return -1;
	}
	nnfs_refresh(fs);
	return 0;
}

void nnfs_refresh(struct nnfs *fs)
{
	struct last_error last;

	read_last_error(fs, &last);
	fs->stale = last.serial;
}

void nnfs_close(struct nnfs *fs)
{
	close(fs->fd);
	fs->fd = -1;
}

static const char *hint(int err)
{
	switch (err) {
	case EACCES:
	case EPERM:
		return " (it requires write permission on the VIF and power over the process)";
	case ENOENT:
	case ENODEV:
		return " (was it removed or renamed meanwhile?)";
	case EROFS:
		return " (" NETNICE_MOUNT_POINT " is mounted read-only)";
	case ENOSPC:
	case EDQUOT:
		return " (too many VIFs or attachments)";
	default:
		return "";
	}
}

/*
 * @text: the kernel's sentence. It is the text of errno instead if the file system was not reached,
 * or if another process has failed in the meantime.
 */
void nnfs_reason(const struct nnfs *fs, char text[NNFS_SENTENCE_MAX])
{
	struct last_error last;
	const int err = errno;

	read_last_error(fs, &last);
	if (last.serial > fs->stale && last.pid == getpid())
		snprintf(text, NNFS_SENTENCE_MAX, "%s", last.sentence);
	else
		snprintf(text, NNFS_SENTENCE_MAX, "%s%s", strerror(err), hint(err));
	errno = err;
}

void nnfs_explain(struct nnfs *fs, char text[NNFS_SENTENCE_MAX])
{
	nnfs_reason(fs, text);
	nnfs_refresh(fs);
}

/* Reads on to the end of the file; *@text grows and is freed on failure. */
static int read_all(int fd, char **text)
{
	size_t size = 0, used = 0;
	ssize_t n;
	char *more;

	*text = NULL;
	do {
		if (size - used < READ_CHUNK_BYTES) {
			size = size * 2 + READ_CHUNK_BYTES + 1;
			more = realloc(*text, size);
			if (!more)
				goto fail;
			*text = more;
		}
		n = read(fd, *text + used, size - used - 1);
		if (n < 0)
			goto fail;
		used += n;
	} while (n);
	(*text)[used] = '\0';
	return 0;
fail:
	free(*text);
	*text = NULL;
	return -1;
}

static void close_keep_errno(int fd)
{
	int err = errno;

	close(fd);
	errno = err;
}

char *nnfs_read(int dirfd, const char *path)
{
	char *text;
	int fd;

	fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	read_all(fd, &text);
	close_keep_errno(fd);
	return text;
}

int nnfs_write(int dirfd, const char *path, const char *text)
{
	ssize_t len, written;
	char *line;
	int fd;

	fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -1;
	len = asprintf(&line, "%s\n", text);
	if (len < 0) {
		close_keep_errno(fd);
		return -1;
	}
	written = write(fd, line, len);
	if (written >= 0 && written < len)
		errno = EIO;
	close_keep_errno(fd);
	free(line);
	return written == len ? 0 : -1;
}

char *nnfs_read_vif(const struct nnfs *fs, const char *vif, const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", vif, file);
	return nnfs_read(fs->fd, path);
}

int nnfs_write_vif(const struct nnfs *fs, const char *vif, const char *file,
		   const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", vif, file);
	return nnfs_write(fs->fd, path, text);
}

int nnfs_guard(const struct nnfs *fs, const char *vif)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/autoremove", vif);
	fd = openat(fs->fd, path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || write(fd, "1\n", 2) == 2)
		return fd;
	close_keep_errno(fd);
	return -1;
}

bool nnfs_is_reserved(const char *name)
{
	for (size_t i = 0; i < TOP_NAMES; i++)
		if (!strcmp(name, top_names[i]))
			return true;
	return false;
}

bool nnfs_is_vif(const struct nnfs *fs, const char *path)
{
	char file[PATH_MAX];

	snprintf(file, sizeof(file), "%s/bandwidth", path);
	return !faccessat(fs->fd, file, F_OK, AT_SYMLINK_NOFOLLOW);
}

bool nnfs_has_device(const struct nnfs *fs, const char *name)
{
	return !nnfs_is_reserved(name) && nnfs_is_vif(fs, name);
}

bool nnfs_is_file(const struct nnfs *fs, const char *path)
{
	int err = errno;
	struct stat status;
	bool is = !fstatat(fs->fd, path, &status, AT_SYMLINK_NOFOLLOW) &&
		  S_ISREG(status.st_mode);

	errno = err;
	return is;
}

/* A link goes up as far as it has to. */
char *nnfs_link(const struct nnfs *fs, const char *link)
{
	static const char up[] = "../";
	char target[PATH_MAX];
	const char *path = target;
	ssize_t len;

	len = readlinkat(fs->fd, link, target, sizeof(target) - 1);
	if (len < 0)
		return NULL;
	target[len] = '\0';
	while (!strncmp(path, up, sizeof(up) - 1))
		path += sizeof(up) - 1;
	if (path == target) {
		errno = EPROTO;
		return NULL;
	}
	return strdup(path);
}

char *nnfs_group_of(int dirfd, const char *file)
{
	static const char v2[] = "0::";
	char *text = nnfs_read(dirfd, file), *line, *save, *group = NULL;

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line && !group;
	     line = strtok_r(NULL, "\n", &save))
		if (!strncmp(line, v2, sizeof(v2) - 1))
			group = strdup(line + sizeof(v2) - 1);
	free(text);
	return group;
}

char *nnfs_nearest_group(const struct nnfs *fs, const char *path,
			 const char *dev)
{
	char *group = strdup(strcmp(path, "/") ? path : ""), *vif = NULL, *link;

	while (group) {
		if (asprintf(&link, "cgroups%s/%s", group, dev) < 0)
			break;
		vif = nnfs_link(fs, link);
		free(link);
		if (vif || !*group)
			break;
		*strrchr(group, '/') = '\0';
	}
	free(group);
	return vif;
}

int nnfs_attach(const struct nnfs *fs, pid_t pid, const char *vif)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return nnfs_write_vif(fs, vif, "tasks", text);
}

int nnfs_detach(const struct nnfs *fs, pid_t pid, const char *dev)
{
	char link[NAME_MAX];

	snprintf(link, sizeof(link), "tasks/%d/%s", pid, dev);
	return unlinkat(fs->fd, link, 0);
}
