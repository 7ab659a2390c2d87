/* SPDX-License-Identifier: GPL-2.0 */
/* Capabilities of a daemon that runs as root. */
#ifndef PRIVILEGE_H
#define PRIVILEGE_H

#include <linux/capability.h>
#include <stdint.h>

/* The set with only capability @cap, for example CAP_NET_ADMIN. */
#define PRIVILEGE(cap)	(UINT64_C(1) << (cap))

/*
 * Give up all capabilities except those in @kept, also for programs that the caller executes.
 * Capabilities that the caller does not have are not gained. Return: 0, or -1 after a message.
 */
int privilege_keep(uint64_t kept);

#endif
