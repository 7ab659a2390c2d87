// SPDX-License-Identifier: GPL-2.0
#include "hint.h"

#include "subject.h"

struct vif_hints __percpu *vif_hints;

/*
 * A process or thread may go, and another one come with its address. If either is
 * attached, an entry comes or goes, too, and the stamp holds no more.
 */
void vif_hint_note(u64 cookie, const struct vif_stamp *stamp, struct vif *vif,
		   struct vif_sock_trail *trail, bool sent)
{
	/* there another packet's way may be taken in the middle of ours */
	if (!cookie || IS_ENABLED(CONFIG_PREEMPT_RT))
		return;
	*this_cpu_ptr(&vif_hints->hint[cookie % VIF_HINTS]) = (struct vif_hint) {
		.cookie = cookie,
		.stamp = *stamp,
		.process = sent ? current->signal : NULL,
		.thread = sent && vif_subject_any(VIF_THREAD) ? current : NULL,
		.vif = vif,
		.trail = trail,
	};
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
