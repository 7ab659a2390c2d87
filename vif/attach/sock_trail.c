// SPDX-License-Identifier: GPL-2.0
#include "sock_trail.h"

#include "../tree/dev.h"

/* A record that is new may take over from none, under which all went by the root. */
struct vif *vif_sock_goes_by(struct vif_sock_trail *trail, const struct vif *vif,
			     enum vif_dir dir)
{
	u64 was = READ_ONCE(trail->by[dir]);

	if (was == vif->ino || cmpxchg64(&trail->by[dir], was, vif->ino) != was)
		return NULL;
	if (!was)
		was = vif->dev->root->ino;
	return was == vif->ino ? NULL : vif_get_by_ino(was);
}
