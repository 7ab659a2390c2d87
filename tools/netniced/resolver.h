/* SPDX-License-Identifier: GPL-2.0 */
/* The host's resolvers, and the routes to them. */
#ifndef NETNICED_RESOLVER_H
#define NETNICED_RESOLVER_H

#include <stdint.h>

/**
 * resolver_device - by which device the host reaches one of its resolvers
 * @address: whose it may be; IPv4 as ::ffff:a.b.c.d
 *
 * As resolv.conf(5) has them, and routes are, at this moment.
 *
 * Return: the device's number; 0: it is none of them, or no route leads there.
 */
unsigned int resolver_device(const uint8_t address[16]);

#endif
