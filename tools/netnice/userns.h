/* SPDX-License-Identifier: GPL-2.0 */
/* What we are in a user namespace of our own, as that of `podman unshare`. */
#ifndef NETNICE_TOOL_USERNS_H
#define NETNICE_TOOL_USERNS_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether our network namespace belongs to a user namespace above ours. */
bool userns_is_below(void);

/*
 * Our user ID in the user namespace that owns our network namespace, if that is ours or the next
 * above. The creator of our user namespace, usually root in it, has a VIF with that number.
 */
uid_t userns_number(void);

#endif
