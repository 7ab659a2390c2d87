/* SPDX-License-Identifier: GPL-2.0 */
/* Network devices of the caller's network namespace. */
#ifndef NETDEV_H
#define NETDEV_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

struct netdev_list {
	char (*name)[IF_NAMESIZE];
	size_t count;
};

/**
 * netdev_find - a device by any of its names
 * @word: what the user calls it
 * @name: set to the device's own name, which its directory has
 */
bool netdev_find(const char *word, char name[IF_NAMESIZE]);

/* What to say behind "no device WORD", if anything: what it is, or which device may be meant. */
const char *netdev_hint(const char *word);

/* Appends @name unless it is there. Return: 0, or -1 and errno. */
int netdev_list_add(struct netdev_list *list, const char *name);

void netdev_list_free(struct netdev_list *list);

/* Appends all devices that are up, but the loopback device. */
int netdev_list_add_up(struct netdev_list *list);

/* As the driver tells it, bytes per second; 0: it does not. */
unsigned long long netdev_speed_bytes_per_s(const char *name);

#endif
