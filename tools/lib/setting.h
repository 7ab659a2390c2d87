/* SPDX-License-Identifier: GPL-2.0 */
/* Settings of a VIF, read and changed in its directory. */
#ifndef NETNICE_SETTING_H
#define NETNICE_SETTING_H

#include "nnfs.h"
#include "param.h"

/* Return the VIF's value in the form of param_normal(), which the caller frees; or NULL and errno. */
char *setting_read(const struct param *param, int dirfd);

/* Set a VIF's value. Return: 0, or -1 and errno. */
int setting_write(const struct param *param, const struct nnfs *fs,
		  const char *path, const char *value);

#endif
