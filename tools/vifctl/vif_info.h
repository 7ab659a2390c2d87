/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A VIF, as a message of netlink tells of it: what it may, and what it has counted. All
 * verbs know VIFs from here; vif_list.h has many of them.
 */
#ifndef VIFCTL_VIF_INFO_H
#define VIFCTL_VIF_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attrs.h"
#include "param.h"
#include "target.h"

/* Lines of the file stat, in its order, and sums of them. */
enum counter {
	COUNTER_PACKETS,
	COUNTER_BYTES,
	COUNTER_DROPS,
	COUNTER_MARKS,
	COUNTER_ACK_DROPS,
	COUNTER_OVERLIMITS,
	COUNTER_P_QUEUE_PACKETS,
	COUNTER_P_QUEUE_BYTES,
	COUNTER_D_QUEUE_PACKETS,
	COUNTER_D_QUEUE_BYTES,
	COUNTER_SOJOURN_MIN,
	COUNTER_SOJOURN_MEAN,
	COUNTER_SOJOURN_P99,
	COUNTER_SOJOURN_MAX,
	COUNTERS,
	COUNTER_BACKLOG_PACKETS = COUNTERS,
	COUNTER_BACKLOG_BYTES,
	COUNTERS_AND_SUMS
};

const char *counter_name(enum counter counter);

/**
 * struct vif_side - one direction of a VIF
 * @param: its settings, normal
 * @bandwidth: bytes per second; 0: no limit
 * @minimum: bytes per second
 * @has_quota: or the next two are 0
 * @quota: bytes
 * @quota_left: of these
 * @limit: bytes per second, as @bandwidth, or what a quota that is used up leads to
 * @is_stopped: which is that nothing passes
 * @program: its instructions; 0: it has none
 * @program_uid: of whose packets it is asked; -1: of all
 * @counter: what it has counted
 * @waits: packets by how long they waited, as netnice_netlink.h has it
 * @n_waits: its size
 */
struct vif_side {
	char *param[PARAM_DIRECTED];
	unsigned long long bandwidth;
	unsigned long long minimum;
	bool has_quota;
	unsigned long long quota;
	unsigned long long quota_left;
	unsigned long long limit;
	bool is_stopped;
	unsigned long long program;
	long long program_uid;
	unsigned long long counter[COUNTERS_AND_SUMS];
	uint64_t *waits;
	size_t n_waits;
};

/**
 * struct vif_info - a VIF
 * @id: of its directory's inode
 * @path: "eth0/web"
 * @name: its last part; points into @path
 * @is_readable: otherwise @side is empty, and of @param are only owner and mode
 * @param: its settings in both directions, normal; NULL: unreadable, or a program (kept.h)
 * @side: by direction
 * @depth: how many of those above it are in its list
 * @above: place of the one above in that, or -1
 * @is_top: it is there though the one above is not
 * @is_last: of its siblings
 * @stack: the device of its user-level stack; NULL: none, or unreadable
 * @link: groups and devices that are attached to it (kept.h)
 */
struct vif_info {
	uint64_t id;
	char *path;
	const char *name;
	bool is_readable;
	char *param[PARAM_COUNT];
	struct vif_side side[VIF_DIRS];
	unsigned int depth;
	int above;
	bool is_top;
	bool is_last;
	char *stack;
	struct target *link;
	size_t n_links;
};

/* What is wanted of VIFs, but where they are */
enum {
	VIF_SETTINGS	= 1,
	VIF_COUNTERS	= 2,
};

/* Return: 0, or -1 where it is no VIF, or without memory; to be freed in any case. */
int vif_info_take(struct vif_info *vif, const struct attrs *attrs,
		  unsigned int what);
void vif_info_free(struct vif_info *vif);

#endif
