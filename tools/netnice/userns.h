/* SPDX-License-Identifier: GPL-2.0 */
/* Running in a user namespace, for example of `podman unshare`. */
#ifndef NETNICE_TOOL_USERNS_H
#define NETNICE_TOOL_USERNS_H

#include <stdbool.h>
#include <sys/types.h>

/* Does a user namespace above the caller's own the caller's network namespace? */
bool userns_is_below(void);

/*
 * Return the caller's user ID in the user namespace that owns its network namespace, if this is the
 * caller's user namespace or its parent. The creator of the caller's user namespace, usually root in it,
 * has a VIF with this number.
 */
uid_t userns_number(void);

#endif
