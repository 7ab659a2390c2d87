// SPDX-License-Identifier: GPL-2.0
/*
 * A socket that is attached has an entry (subject.h), which holds it, and a record, by
 * which its packets find the entry: of the connections that a listener accepts, too.
 */
#include "sock_self.h"

#include <linux/cred.h>

#include "../tree/genid.h"
#include "sock_record_priv.h"
#include "sock_sweep.h"
#include "subject_walk.h"

static void *vif_sock_self_find(const struct vif_subject_id *id)
{
	return id->ptr;
}

void vif_sock_id(struct sock *sk, struct vif_subject_id *id)
{
	*id = (struct vif_subject_id) {
		.kind = VIF_SOCKET,
		.find = vif_sock_self_find,
		.ptr = sk,
	};
}

int vif_sock_prepare(struct sock *sk)
{
	struct vif_sock_hold hold;
	struct vif_sock *record;

	vif_sock_lock_for(&hold, sk, current_cred(), false);
	record = __vif_sock_get(&hold);
	vif_sock_unlock(&hold);
	return record ? 0 : -ENOMEM;
}

/* The reference to @self passes to the record. */
static void __vif_sock_self_set(struct vif_sock *record, struct vif_subject *self)
{
	struct vif_subject *was = __vif_sock_self(record);

	rcu_assign_pointer(record->self, self);
	vif_genid_change_sock(record->id);
	record->own = true;
	__vif_sock_open(record);
	__vif_sock_line_up(record, VIF_SOCK_ATTACHED);
	if (was)
		vif_subject_put(was);
}

void vif_sock_attached(struct sock *sk)
{
	struct vif_sock_hold hold;
	struct vif_subject *self;
	struct vif_sock *record;

	/* it is not buried meanwhile */
	vif_subject_lock();
	vif_sock_lock_for(&hold, sk, current_cred(), false);
	self = vif_subject_find(sk);
	record = self ? __vif_sock_get(&hold) : NULL;
	if (record && vif_subject_get(self))
		__vif_sock_self_set(record, self);
	vif_sock_unlock(&hold);
	vif_subject_unlock();
	vif_sock_sweep_soon();
}
