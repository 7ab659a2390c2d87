/* SPDX-License-Identifier: GPL-2.0 */
/* The settings that a VIF has: read and changed in its directory. */
#ifndef VIFCTL_SETTING_H
#define VIFCTL_SETTING_H

#include "nnfs.h"
#include "param.h"

/* Return: the value that the VIF has, normal, to be freed; or NULL and errno. */
char *setting_read(const struct param *param, int dirfd);

/* Return: 0, or -1 and errno. */
int setting_write(const struct param *param, const struct nnfs *fs,
		  const char *path, const char *value);

#endif
