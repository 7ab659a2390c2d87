/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIFCTL_ATTACH_H
#define VIFCTL_ATTACH_H

#include "vifctl.h"

/**
 * detach_all - detach everything that is attached to a VIF
 * @verb: the verb, for messages
 * @options: options of vifctl, with the file system
 * @path: the VIF
 * @is_recursive: also detach from all VIFs below it
 *
 * This is a part of the caller's transaction.
 *
 * Return: the exit status; EXIT_PART: sockets remain, which have no name by which to detach them, or
 * processes, which start others faster than they are detached.
 */
int detach_all(const char *verb, struct options *options, const char *path, bool is_recursive);

#endif
