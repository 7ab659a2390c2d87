// SPDX-License-Identifier: GPL-2.0
/*
 * One listener; a semaphore keeps it while it is being called. It is taken under
 * tree mutexes.
 */
#include "event.h"

#include <linux/rwsem.h>

#include "../trace/events.h"
#include "tree.h"

static DECLARE_RWSEM(listener_sem);
static const struct vif_event_ops *listener;

void vif_event_listen(const struct vif_event_ops *ops)
{
	down_write(&listener_sem);
	listener = ops;
	up_write(&listener_sem);
}

/* 0 is for dumps that have not begun. */
static void __changed(struct vif *vif)
{
	struct vif_net *vn = vif_net_of_vif(vif);

	lockdep_assert_held(&vn->lock);
	if (!++vn->changes)
		vn->changes++;
}

static void tell(struct vif *vif, enum vif_event what,
		 const struct vif_place *to)
{
	__changed(vif);
	down_read(&listener_sem);
	if (listener)
		listener->vif(vif, what, to);
	up_read(&listener_sem);
}

void vif_event(struct vif *vif, enum vif_event what)
{
	tell(vif, what, NULL);
}

void vif_event_move(struct vif *vif, const struct vif_place *to)
{
	tell(vif, VIF_EVENT_MOVE, to);
}

void vif_event_attachment(const struct vif_attachment *attachment)
{
	struct vif *vif = attachment->vif;

	__changed(vif);
	trace_netnice_attach(vif->dev->dev, vif->ino, attachment->attached, attachment->kind,
			     attachment->pid, attachment->number);
	down_read(&listener_sem);
	if (listener)
		listener->attachment(attachment);
	up_read(&listener_sem);
}
