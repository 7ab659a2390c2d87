/* SPDX-License-Identifier: GPL-2.0 */
/* Queueing disciplines of devices. */
#ifndef QDISC_H
#define QDISC_H

#include <stdint.h>

/* The module's */
#define QDISC_NETNICE	"netnice"

/**
 * qdisc_each - look at all qdiscs of a device
 * @ifindex: the device
 * @take: called for each, with the class that it is in (TC_H_ROOT: the root) and its kind
 * @arg: its argument
 *
 * Return: 0, or -1 and errno.
 */
int qdisc_each(int ifindex,
	       void (*take)(uint32_t parent, const char *kind, void *arg),
	       void *arg);

#endif
