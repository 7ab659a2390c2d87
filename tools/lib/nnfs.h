/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Access to the file system on /proc/network.
 *
 * Everything is done relative to one directory descriptor, because the file
 * system of the caller's network namespace need not be what is mounted on
 * /proc/network (see nnfs_mount.c). Paths are relative to that directory:
 * "eth0/web", "tasks/1234".
 */
#ifndef NNFS_H
#define NNFS_H

#include <stdbool.h>
#include <sys/types.h>

#define NNFS_SENTENCE_MAX	512

struct nnfs {
	int fd;			/* root directory; may be O_PATH */
	unsigned long long stale;	/* serial number of last_error before */
};

/**
 * nnfs_find - find the file system of the caller's network namespace
 * @fs: set on success
 * @why: set to a sentence that says what is missing and what to do, after a failure
 *
 * Mount the file system if it is missing, and refuse a module that is older than the tools.
 * Return: 0, or -1 and errno; ENODEV: the module is not loaded.
 */
int nnfs_find(struct nnfs *fs, char why[NNFS_SENTENCE_MAX]);
void nnfs_close(struct nnfs *fs);

/* Mark the current last_error as old, before an operation after a failure. */
void nnfs_refresh(struct nnfs *fs);

/* Mount it if necessary. Return: a descriptor of its root directory, or -1, errno and a sentence. */
int nnfs_mount(char why[NNFS_SENTENCE_MAX]);

/* Make the kernel load the module, if it is installed and the caller is permitted. */
void nnfs_load(void);

/**
 * nnfs_reason - get the reason why the last operation failed
 * @fs: the file system
 * @text: set to the kernel's sentence, or to the text of errno if there is none
 *
 * Call it before any other operation in @fs: the kernel keeps one sentence only. Keeps errno.
 */
void nnfs_reason(const struct nnfs *fs, char text[NNFS_SENTENCE_MAX]);

/* Do the same, and do not use the sentence for a later failure. */
void nnfs_explain(struct nnfs *fs, char text[NNFS_SENTENCE_MAX]);

/* Read a whole file. Return: a string, which the caller frees, or NULL and errno. */
char *nnfs_read(int dirfd, const char *path);

/* Write @text and a newline with one write(2). Return: 0, or -1 and errno. */
int nnfs_write(int dirfd, const char *path, const char *text);

/* Do the same with a file of a VIF. */
char *nnfs_read_vif(const struct nnfs *fs, const char *vif, const char *file);
int nnfs_write_vif(const struct nnfs *fs, const char *vif, const char *file,
		   const char *text);

/*
 * Make the kernel remove a VIF when it is empty and this descriptor is closed. Returns the
 * descriptor, or -1 and errno.
 */
int nnfs_guard(const struct nnfs *fs, const char *vif);

bool nnfs_is_vif(const struct nnfs *fs, const char *path);

/* Is @name a device with a root VIF? */
bool nnfs_has_device(const struct nnfs *fs, const char *name);

/* Is @path a file of a VIF? Then no VIF can have this path. Keeps errno. */
bool nnfs_is_file(const struct nnfs *fs, const char *path);

/* Is @name a name in the root directory that is not a device? */
bool nnfs_is_reserved(const char *name);

/**
 * nnfs_link - find the VIF to which a link points
 * @fs: the file system
 * @link: the link's path
 *
 * Return: the VIF's path, to be freed, or NULL and errno.
 */
char *nnfs_link(const struct nnfs *fs, const char *link);

/* Return a process's control group ("/a/b"), from its file "cgroup"; the caller frees it. NULL: none. */
char *nnfs_group_of(int dirfd, const char *file);

/*
 * Return the VIF of the control group @path ("/a/b") on a device, or of the nearest group above it that
 * is attached; the caller frees it. NULL: none.
 */
char *nnfs_nearest_group(const struct nnfs *fs, const char *path,
			 const char *dev);

int nnfs_attach(const struct nnfs *fs, pid_t pid, const char *vif);
int nnfs_detach(const struct nnfs *fs, pid_t pid, const char *dev);

#endif
