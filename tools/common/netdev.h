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
 * netdev_find - find a device by any of its names
 * @word: the name that the user has given
 * @name: result: the device's main name, which is also its directory's
 */
bool netdev_find(const char *word, char name[IF_NAMESIZE]);

/*
 * Return a hint for a message "no device WORD": what WORD is, or a similar name; or an empty text.
 */
const char *netdev_hint(const char *word);

/* Append @name, unless the list has it. Return: 0, or -1 and errno. */
int netdev_list_add(struct netdev_list *list, const char *name);

void netdev_list_free(struct netdev_list *list);

/* Append all devices that are up, except the loopback device. Return: 0, or -1 and errno. */
int netdev_list_add_up(struct netdev_list *list);

/* Return the link speed that the driver reports, in bytes per second, or 0: it reports none. */
unsigned long long netdev_speed_bytes_per_s(const char *name);

#endif
