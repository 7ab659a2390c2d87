/* SPDX-License-Identifier: GPL-2.0 */
/* The host's resolvers, and the routes to them. */
#ifndef NETNICED_RESOLVER_H
#define NETNICED_RESOLVER_H

#include <stdint.h>

/**
 * resolver_device - find the device through which the host reaches one of its resolvers
 * @address: an address, IPv4 as ::ffff:a.b.c.d
 *
 * It uses the present resolv.conf(5) and routes.
 *
 * Return: the device's number; 0: the address is not a resolver's, or there is no route.
 */
unsigned int resolver_device(const uint8_t address[16]);

#endif
