/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file system under /proc/network, as the tools use it.
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
 * nnfs_open - find the file system of the caller's network namespace
 * @fs: set on success
 *
 * Mounts it where it is missing, and refuses that of a module which is older than
 * we are. Return: 0, or -1 after a message that says what is missing and what to do.
 */
int nnfs_open(struct nnfs *fs);
void nnfs_close(struct nnfs *fs);

/* Mark the current last_error as old, before an operation after a failure. */
void nnfs_refresh(struct nnfs *fs);

/* The descriptor behind nnfs_open(), or -1 after a message. */
int nnfs_mount(void);

/* Have the kernel load the module, if it is installed and the caller may. */
void nnfs_load(void);

/**
 * nnfs_warn - report the operation that has just failed
 * @fs: the file system
 * @fmt: what it was done to; the program's name goes before it, and the
 *	 kernel's sentence (else what errno says) behind it
 *
 * To be called before anything else is done in @fs: the kernel keeps one
 * sentence only. Keeps errno.
 */
void nnfs_warn(const struct nnfs *fs, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * nnfs_explain - why the operation that has just failed did
 * @fs: the file system; what it says is not taken for a later failure's
 * @text: the kernel's sentence, else what errno says; NNFS_SENTENCE_MAX bytes
 */
void nnfs_explain(struct nnfs *fs, char *text);

/* The whole of a file as a string to be freed, or NULL and errno. */
char *nnfs_read(int dirfd, const char *path);

/* Writes @text and a newline with one write(2). Return: 0, or -1 and errno. */
int nnfs_write(int dirfd, const char *path, const char *text);

/* The same of a VIF's file. */
char *nnfs_read_vif(const struct nnfs *fs, const char *vif, const char *file);
int nnfs_write_vif(const struct nnfs *fs, const char *vif, const char *file,
		   const char *text);

/*
 * Make the kernel remove a VIF when it is empty and this descriptor is closed. Returns the
 * descriptor, or -1 and errno.
 */
int nnfs_guard(const struct nnfs *fs, const char *vif);

bool nnfs_is_vif(const struct nnfs *fs, const char *path);

/* Whether @name has a root VIF. */
bool nnfs_has_device(const struct nnfs *fs, const char *name);

/* Whether @path is a file of a VIF: no VIF can have its name. Keeps errno. */
bool nnfs_is_file(const struct nnfs *fs, const char *path);

/* Whether @name, at the top, is something else than a device. */
bool nnfs_is_reserved(const char *name);

/**
 * nnfs_link - where a link leads to
 * @fs: the file system
 * @link: the link's path
 *
 * Return: the VIF's path, to be freed, or NULL and errno.
 */
char *nnfs_link(const struct nnfs *fs, const char *link);

/* A process's control group ("/a/b"), of its file "cgroup"; to be freed, or NULL. */
char *nnfs_group_of(int dirfd, const char *file);

/* That of the nearest control group that has one, from @path ("/a/b") on; or NULL. */
char *nnfs_nearest_group(const struct nnfs *fs, const char *path,
			 const char *dev);

int nnfs_attach(const struct nnfs *fs, pid_t pid, const char *vif);
int nnfs_detach(const struct nnfs *fs, pid_t pid, const char *dev);

#endif
