/* SPDX-License-Identifier: GPL-2.0 */
/* A VIF from a netlink message: its settings and counters. All verbs get VIFs from here (vif_list.h). */
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
 * @param: its settings, in the form of param_normal()
 * @bandwidth: bytes per second; 0: no limit
 * @minimum: bytes per second
 * @has_quota: it has a quota; otherwise the next two are 0
 * @quota: bytes
 * @quota_left: bytes that are left of it
 * @limit: bytes per second: @bandwidth, or the limit after the quota is used up
 * @is_stopped: the quota is used up, and no packet passes
 * @program: number of its program's instructions; 0: it has none
 * @program_uid: the user whose packets the program sees; -1: all packets
 * @counter: its counters
 * @waits: histogram of queueing delays (netnice_netlink.h)
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
 * @id: its number: the inode number of its directory
 * @path: "eth0/web"
 * @name: its last part; points into @path
 * @is_readable: the caller may read it; otherwise @side is empty, and @param has only owner and mode
 * @param: its settings in the form of param_normal(); NULL: unreadable, or a program (kept.h)
 * @side: its directions
 * @depth: number of VIFs above it in the same list
 * @above: index of its parent in the list, or -1
 * @is_top: the list does not have its parent
 * @is_last: it is the last of its siblings
 * @stack: device of its user-level stack; NULL: none, or unreadable
 * @link: its attached groups and devices (kept.h)
 * @n_links: number of these
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

/* The parts of VIFs to read, besides their paths. */
enum {
	VIF_SETTINGS	= 1,
	VIF_COUNTERS	= 2,
};

/* Parse a VIF. Return: 0, or -1: it is no VIF, or no memory. The caller frees @vif even after an error. */
int vif_info_take(struct vif_info *vif, const struct attrs *attrs,
		  unsigned int what);
void vif_info_free(struct vif_info *vif);

#endif
