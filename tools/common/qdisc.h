/* SPDX-License-Identifier: GPL-2.0 */
/* Qdiscs of devices. */
#ifndef QDISC_H
#define QDISC_H

#include <stdint.h>

/* The kind of the module's qdisc. */
#define QDISC_NETNICE	"netnice"

/**
 * qdisc_each - visit all qdiscs of a device
 * @ifindex: the device
 * @take: called for each, with the class that it is in (TC_H_ROOT: the root) and its kind
 * @arg: argument for @take
 *
 * Return: 0, or -1 and errno.
 */
int qdisc_each(int ifindex,
	       void (*take)(uint32_t parent, const char *kind, void *arg),
	       void *arg);

#endif
