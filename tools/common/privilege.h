/* SPDX-License-Identifier: GPL-2.0 */
/* Capabilities of a program that runs as root for long. */
#ifndef PRIVILEGE_H
#define PRIVILEGE_H

#include <linux/capability.h>
#include <stdint.h>

/* A set that has only capability @cap, CAP_NET_ADMIN for example */
#define PRIVILEGE(cap)	(UINT64_C(1) << (cap))

/*
 * Give up all capabilities except those in @kept, also for programs that the caller executes.
 * Capabilities that the caller does not have are not gained. Return: 0, or -1 after a message.
 */
int privilege_keep(uint64_t kept);

#endif
