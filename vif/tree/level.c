// SPDX-License-Identifier: GPL-2.0
#include "level.h"

void vif_levels_init(struct vif_levels *levels)
{
	unsigned int i;

	raw_spin_lock_init(&levels->lock);
	for (i = 0; i < VIF_LEVELS_MAX; i++)
		levels->at[i].level = VIF_LEVEL_NONE;
}

/* Return the entry of a level, or an unused one, or NULL. */
static struct vif_level *__vif_level_find(struct vif_levels *levels, int level)
{
	struct vif_level *at, *unused = NULL;

	lockdep_assert_held(&levels->lock);
	for (at = levels->at; at < levels->at + VIF_LEVELS_MAX; at++) {
		if (at->level == level)
			return at;
		if (!at->count && !unused)
			unused = at;
	}
	return unused;
}

static void __vif_level_count(struct vif_levels *levels, struct vif_level *at, int level, int n)
{
	unsigned int used = VIF_LEVELS_MAX;

	at->count += n;
	WRITE_ONCE(at->level, at->count ? level : VIF_LEVEL_NONE);
	while (used && !levels->at[used - 1].count)
		used--;
	WRITE_ONCE(levels->used, used);
}

bool vif_levels_have_room(struct vif_levels *levels, int level)
{
	unsigned long flags;
	bool room;

	raw_spin_lock_irqsave(&levels->lock, flags);
	room = __vif_level_find(levels, level);
	raw_spin_unlock_irqrestore(&levels->lock, flags);
	return room;
}

void vif_levels_count(struct vif_levels *levels, int level, int n)
{
	struct vif_level *at;
	unsigned long flags;

	raw_spin_lock_irqsave(&levels->lock, flags);
	at = __vif_level_find(levels, level);
	if (!WARN_ON_ONCE(!at))
		__vif_level_count(levels, at, level, n);
	raw_spin_unlock_irqrestore(&levels->lock, flags);
}
