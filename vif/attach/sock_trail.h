/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which way a socket's packets went last: what waits there is moved when they go another
 * way. It is part of the socket's record, and tells that the record is in use.
 */
#ifndef NETNICE_VIF_SOCK_TRAIL_H
#define NETNICE_VIF_SOCK_TRAIL_H

#include <linux/types.h>

#include "../tree/vif.h"

/**
 * struct vif_sock_trail - what packets leave in a socket's record
 * @by: numbers of the VIFs that they go by, 0 as long as none has
 * @used: looked up since it was last passed over
 */
struct vif_sock_trail {
	u64 by[VIF_DIRS];
	bool used;
};

static inline void vif_sock_trail_use(struct vif_sock_trail *trail)
{
	if (!READ_ONCE(trail->used))
		WRITE_ONCE(trail->used, true);
}

/* Was that the VIF so far? Then its record is in use. Caller holds rcu_read_lock(). */
static inline bool vif_sock_went_by(struct vif_sock_trail *trail,
				    const struct vif *vif, enum vif_dir dir)
{
	if (READ_ONCE(trail->by[dir]) != vif->ino)
		return false;
	vif_sock_trail_use(trail);
	return true;
}

/**
 * vif_sock_goes_by() - note the VIF that a socket's packets go by
 * @trail: from vif_sock_owners()
 * @vif: the VIF
 * @dir: direction
 *
 * Context: packet, caller holds rcu_read_lock().
 * Return: where they have gone by so far, if that was another VIF, referenced;
 *	otherwise NULL.
 */
struct vif *vif_sock_goes_by(struct vif_sock_trail *trail, const struct vif *vif,
			     enum vif_dir dir);

#endif
