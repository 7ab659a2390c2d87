/* SPDX-License-Identifier: GPL-2.0 */
/* Which network devices of this network namespace are ports, lower devices or peers of others. */
#ifndef NETNICE_LINKS_H
#define NETNICE_LINKS_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/**
 * struct link_info - a network device
 * @index: its ifindex
 * @master: ifindex of the bridge or bond of which it is a port; 0: none
 * @lower: ifindex of its lower device, or of its peer; 0: none, or in another network namespace
 * @name: its name
 * @altnames: its alternative names (ip-link(8))
 * @kind: "bridge", "veth", "ifb" and so on; empty: hardware
 */
struct link_info {
	unsigned int index;
	unsigned int master;
	unsigned int lower;
	char name[IF_NAMESIZE];
	struct words altnames;
	char kind[16];
};

struct links {
	struct link_info *link;
	size_t count;
};

/* Read all devices. Return: 0, or -1 and errno. */
int links_read(struct links *links);
void links_free(struct links *links);

/* Find a device by name, or by ifindex. Return NULL if there is none. */
const struct link_info *links_find(const struct links *links, const char *name);
const struct link_info *links_at(const struct links *links, unsigned int index);

#endif
