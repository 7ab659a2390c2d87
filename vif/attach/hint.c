// SPDX-License-Identifier: GPL-2.0
#include "hint.h"

#include "subject.h"

struct vif_hints __percpu *vif_hints;

/* Any thread of a process sends alike, unless there may be some that are attached. */
static void note_sender(struct vif_hint *hint)
{
	if (vif_subject_any(VIF_THREAD)) {
		hint->sender = (unsigned long)current | VIF_HINT_THREAD;
		hint->since = current->start_boottime;
	} else {
		hint->sender = (unsigned long)current->group_leader;
		hint->since = current->group_leader->start_boottime;
	}
}

void vif_hint_note(u64 cookie, const struct vif_genid *genid, struct vif *vif,
		   struct vif_sock_trail *trail, bool sent)
{
	struct vif_hint *hint;

	/* there another packet's way may be taken in the middle of ours */
	if (!cookie || IS_ENABLED(CONFIG_PREEMPT_RT))
		return;
	hint = this_cpu_ptr(&vif_hints->hint[cookie % VIF_HINTS]);
	*hint = (struct vif_hint) {
		.cookie = cookie,
		.genid = *genid,
		.vdev = vif->dev,
		.vif = vif,
		.trail = trail,
	};
	if (sent)
		note_sender(hint);
}

int vif_hint_init(void)
{
	vif_hints = alloc_percpu(struct vif_hints);
	return vif_hints ? 0 : -ENOMEM;
}

void vif_hint_exit(void)
{
	free_percpu(vif_hints);
}
