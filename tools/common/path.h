/* SPDX-License-Identifier: GPL-2.0 */
/* Paths of VIFs: "eth0/web". */
#ifndef NETNICE_PATH_H
#define NETNICE_PATH_H

#include <net/if.h>
#include <stdbool.h>

/* The path's first part. */
void path_device(const char *path, char dev[IF_NAMESIZE]);

/* "eth0" and "web" are "eth0/web"; to be freed, NULL if one of them is. */
char *path_join(const char *dev, const char *below);

/* How names of VIFs begin that come and go with units of systemd's (tools/units). */
#define PATH_OF_UNIT	"unit."

/* Whether @path is that of such a VIF. */
bool path_is_of_unit(const char *path);

/* Whether @path is @top or below it. */
bool path_is_below(const char *path, const char *top);

#endif
