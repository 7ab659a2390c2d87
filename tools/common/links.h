/* SPDX-License-Identifier: GPL-2.0 */
/* How the network devices of this network namespace hang together. */
#ifndef NETNICE_LINKS_H
#define NETNICE_LINKS_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/**
 * struct link_info - a network device
 * @index: its number
 * @master: that of the bridge or bond of which it is a port; 0: none
 * @lower: that of the device on which it is, or that is its other end; 0: none, or in another
 *	network namespace
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

/* Return: 0, or -1 and errno. */
int links_read(struct links *links);
void links_free(struct links *links);

/* NULL: there is none. */
const struct link_info *links_find(const struct links *links, const char *name);
const struct link_info *links_at(const struct links *links, unsigned int index);

#endif
