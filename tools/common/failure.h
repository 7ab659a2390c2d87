/* SPDX-License-Identifier: GPL-2.0 */
/* Messages of the tools about what the library could not open or do. */
#ifndef NETNICE_FAILURE_H
#define NETNICE_FAILURE_H

#include "genl.h"
#include "handle.h"
#include "nnfs.h"

/* Do what handle_begin(), nnfs_find(), genl_find() and genl_find_events() do. Return: 0, or -1 after a message. */
int handle_open(struct netnice *nn);
int nnfs_open(struct nnfs *fs);
int genl_open(struct genl *genl);
int genl_open_events(struct genl *genl);

/**
 * nnfs_warn - report the operation that has just failed
 * @fs: the file system
 * @fmt: the object of the operation. The message has the program's name before it, and behind it
 *	 the kernel's sentence, or strerror(errno) if there is none
 *
 * Call it before any other operation in @fs: the kernel keeps one sentence only. Keeps errno.
 */
void nnfs_warn(const struct nnfs *fs, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
