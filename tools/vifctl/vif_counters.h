/* SPDX-License-Identifier: GPL-2.0 */
/* What a VIF has counted, by one look at it. */
#ifndef VIFCTL_VIF_COUNTERS_H
#define VIFCTL_VIF_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

enum { EGRESS, INGRESS, DIRECTIONS };

/**
 * struct vif_counters - of one direction of a VIF
 * @bandwidth: bytes per second; 0: no limit
 * @packets: have left it
 * @bytes: theirs
 * @drops: packets
 * @marks: packets
 * @overlimits: packets
 * @backlog_bytes: wait now
 * @backlog_packets: theirs
 * @waits: packets by how long they waited, as netnice_netlink.h has it
 * @n_waits: its size
 */
struct vif_counters {
	unsigned long long bandwidth;
	unsigned long long packets, bytes, drops, marks, overlimits;
	unsigned long long backlog_bytes, backlog_packets;
	uint64_t *waits;
	size_t n_waits;
};

void vif_counters_free(struct vif_counters *counters);

#endif
