/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Levels of the control groups that are attached on a device. A packet's group is checked for
 * ancestors on these levels only, however deep it is.
 */
#ifndef NETNICE_VIF_LEVEL_H
#define NETNICE_VIF_LEVEL_H

#include <linux/spinlock.h>
#include <linux/types.h>

/*
 * The maximum number of levels with attached groups: a packet's group is checked on each of them.
 */
#define VIF_LEVELS_MAX	32

/* No group is on this level. */
#define VIF_LEVEL_NONE	(-1)

/**
 * struct vif_level - a level at which groups are attached
 * @level: as in struct cgroup, VIF_LEVEL_NONE while @count is 0; read without the lock
 * @count: number of attachments; an administrator's and a user's attachment of a group count twice
 */
struct vif_level {
	int level;
	unsigned int count;
};

/**
 * struct vif_levels - the levels of a device
 * @lock: guards changes; any context
 * @used: number of entries of @at that are used; read without the lock
 * @at: the levels, in no order
 */
struct vif_levels {
	raw_spinlock_t lock;
	unsigned int used;
	struct vif_level at[VIF_LEVELS_MAX];
};

void vif_levels_init(struct vif_levels *levels);

/*
 * Is there room for a group's level? Only the caller can take it, by vif_levels_count(), because it
 * holds the attach mutex.
 */
bool vif_levels_have_room(struct vif_levels *levels, int level);

/*
 * Add @n to the number of attachments. Context: any. If @n is positive, the caller holds the attach
 * mutex, and there is room.
 */
void vif_levels_count(struct vif_levels *levels, int level, int n);

#endif
