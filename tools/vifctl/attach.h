/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIFCTL_ATTACH_H
#define VIFCTL_ATTACH_H

#include "vifctl.h"

/**
 * detach_all - detach whatever is attached to a VIF
 * @verb: for messages
 * @options: with the file system
 * @path: the VIF
 * @is_recursive: and from those below it
 *
 * Return: the exit status; EXIT_PART where sockets stay, which have no name by which to detach them.
 */
int detach_all(const char *verb, struct options *options, const char *path, bool is_recursive);

#endif
