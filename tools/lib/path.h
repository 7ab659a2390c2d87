/* SPDX-License-Identifier: GPL-2.0 */
/* Paths of VIFs: "eth0/web". */
#ifndef NETNICE_PATH_H
#define NETNICE_PATH_H

#include <net/if.h>
#include <stdbool.h>

/* Get the device of a path: its first part. */
void path_device(const char *path, char dev[IF_NAMESIZE]);

/* Join "eth0" and "web" to "eth0/web"; the caller frees it. Return NULL if one of them is NULL. */
char *path_join(const char *dev, const char *below);

/* Prefix of the names of VIFs that tools/units creates and removes with systemd units. */
#define PATH_OF_UNIT	"unit."

/* Does the last name of @path have this prefix? */
bool path_is_of_unit(const char *path);

/* Is @path equal to @top, or below it? */
bool path_is_below(const char *path, const char *top);

#endif
