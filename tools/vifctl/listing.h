/* SPDX-License-Identifier: GPL-2.0 */
/* VIFs as they are shown: what they may and what they have counted, by netlink. */
#ifndef VIFCTL_LISTING_H
#define VIFCTL_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attrs.h"
#include "genl.h"
#include "vif_counters.h"

/* Lines of the file stat, in its order. */
enum counter {
	COUNTER_PACKETS,
	COUNTER_BYTES,
	COUNTER_DROPS,
	COUNTER_MARKS,
	COUNTER_OVERLIMITS,
	COUNTER_P_QUEUE_PACKETS,
	COUNTER_P_QUEUE_BYTES,
	COUNTER_D_QUEUE_PACKETS,
	COUNTER_D_QUEUE_BYTES,
	COUNTER_SOJOURN_MIN,
	COUNTER_SOJOURN_MEAN,
	COUNTER_SOJOURN_P99,
	COUNTER_SOJOURN_MAX,
	COUNTERS
};

const char *counter_name(enum counter counter);

/* "egress" and "ingress" */
extern const char *const direction_names[DIRECTIONS];

struct listed_side {
	char *rate;			/* "256kbit", "max" */
	char *minimum;			/* "256kbit", "none" */
	char *link_layer;		/* "overhead 44 atm", "none" */
	unsigned int weight;
	unsigned int priority;
	unsigned long long counter[COUNTERS];
};

struct listed {
	char *path;			/* "eth0/web" */
	const char *name;		/* its last part; points into @path */
	uint64_t id;			/* of its directory's inode */
	unsigned int depth;		/* below where reading began */
	bool last;			/* of its siblings */
	bool is_readable;		/* otherwise the sides are empty */
	struct listed_side side[DIRECTIONS];
};

/* Parents before their children, siblings by name, as "ls -v" has them. */
struct listing {
	struct listed *vif;
	size_t count;
	bool has_counters;
};

/**
 * listing_read - read VIFs and all below them
 * @listing: to be filled
 * @genl: the family
 * @path: the VIF to start with; NULL for all devices
 * @with_counters: and what they have counted
 *
 * Return: 0, or -1 and errno; ENOENT where @path is not there.
 */
int listing_read(struct listing *listing, const struct genl *genl,
		 const char *path, bool with_counters);

/* The link layer of a message's VIF in one direction: to be freed, NULL without memory. */
char *listing_link_layer(const struct attrs *side);

void listing_free(struct listing *listing);

#endif
