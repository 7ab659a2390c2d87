/* SPDX-License-Identifier: GPL-2.0 */
/* Default routes of the caller's network namespace. */
#ifndef NETNICE_ROUTE_H
#define NETNICE_ROUTE_H

#include <net/if.h>
#include <stdbool.h>

#include "netdev.h"

/* That of the best one, IPv4's first. Return: whether there is one. */
bool route_usual_device(char name[IF_NAMESIZE]);

/* Appends the devices of all of them. Return: 0, or -1 and errno. */
int route_add_default(struct netdev_list *list);

#endif
