/* SPDX-License-Identifier: GPL-2.0 */
/* What we are in a user namespace of our own, as that of `podman unshare`. */
#ifndef NETNICE_TOOL_USERNS_H
#define NETNICE_TOOL_USERNS_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether our network namespace belongs to a user namespace above ours. */
bool userns_is_below(void);

/*
 * Our number in the user namespace of our network namespace, if that is ours or the next above.
 * Who made ours and is it, as root there usually is, has his own VIF by that number.
 */
uid_t userns_number(void);

#endif
