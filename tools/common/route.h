/* SPDX-License-Identifier: GPL-2.0 */
/* Default routes of the caller's network namespace. */
#ifndef NETNICE_ROUTE_H
#define NETNICE_ROUTE_H

#include <net/if.h>
#include <stdbool.h>

#include "netdev.h"

/* Get the device of the best default route, preferring IPv4. Return false if there is none. */
bool route_usual_device(char name[IF_NAMESIZE]);

/* Append the devices of all default routes. Return: 0, or -1 and errno. */
int route_add_default(struct netdev_list *list);

#endif
