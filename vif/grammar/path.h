/* SPDX-License-Identifier: GPL-2.0 */
/* Join and normalize the text of paths. The module and its tests in user space use this. */
#ifndef NETNICE_GRAMMAR_PATH_H
#define NETNICE_GRAMMAR_PATH_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stddef.h>
#endif

/**
 * vif_path_join() - make a path absolute, by its text only
 * @base: the directory of a relative path, itself absolute and normalized
 * @path: the path
 * @buf: result: without "." and "..", with single slashes, none at the end; "" for the root
 * @size: of @buf
 *
 * Return: 0, -ENAMETOOLONG.
 */
int vif_path_join(const char *base, const char *path, char *buf, size_t size);

#endif
