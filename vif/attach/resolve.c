// SPDX-License-Identifier: GPL-2.0
/* Which of the attachments of a socket, its tasks and control groups is in force: see resolve.h. */
#include "resolve.h"

#include "../tree/dev.h"
#include "../tree/find.h"
#include "../tree/vif.h"
#include "cgroup.h"
#include "task.h"

/* The levels on which any user may attach: socket, thread, process. */
#define LEVELS	3

/*
 * Is a VIF below another one, and may members of the upper VIF be in it? In a user's VIF only if
 * this is directly below: another place may have better settings.
 */
static bool vif_resolve_permits(const struct vif *chosen, const struct vif *vif)
{
	const struct vif *above;

	for (; chosen != vif; chosen = above) {
		above = READ_ONCE(chosen->parent);
		if (!above || (READ_ONCE(chosen->users) && above != vif))
			return false;
	}
	return true;
}

/* Return the lower of the VIFs of both groups. If neither is below the other: the using group's. */
static struct vif *vif_resolve_groups(const struct vif_dev *vdev, struct cgroup *cgroup,
				      struct cgroup *used_in)
{
	struct vif *made = vif_cgroup_vif(cgroup, vdev) ?: vdev->root;
	struct vif *used = vif_cgroup_vif(used_in, vdev);

	return used && !vif_is_below(made, used) ? used : made;
}

static noinline struct vif *vif_resolve_subjects(const struct vif_dev *vdev,
						 const struct vif_subject *self,
						 const struct vif_subject *task,
						 struct cgroup *cgroup, struct cgroup *used_in,
						 bool with_chosen)
{
	const struct vif_subject *level[LEVELS] = { self, task };
	struct vif *chosen[LEVELS], *here[VIF_ORIGINS], *vif = NULL;
	unsigned int i, n = 0;

	if (task && task->kind == VIF_THREAD)
		level[2] = task->up;
	/* from the strongest on, because an administrator's attachment ends it */
	for (i = 0; i < LEVELS && !vif; i++) {
		if (!level[i])
			continue;
		vif_subject_vifs(level[i], vdev, here);
		if (with_chosen && here[VIF_BY_USER])
			chosen[n++] = here[VIF_BY_USER];
		vif = here[VIF_BY_ADMIN];
	}
	if (!vif)
		vif = vif_resolve_groups(vdev, cgroup, used_in);
	while (n--)
		if (vif_resolve_permits(chosen[n], vif))
			vif = chosen[n];
	return vif;
}

struct vif *vif_resolve(const struct vif_dev *vdev,
			const struct vif_subject *self,
			const struct vif_subject *task, struct cgroup *cgroup,
			struct cgroup *used_in)
{
	struct vif *here[VIF_ORIGINS];

	/* most are attached in one way */
	vif_subject_vifs(self ?: task, vdev, here);
	if (here[VIF_BY_ADMIN] && !here[VIF_BY_USER])
		return here[VIF_BY_ADMIN];
	return vif_resolve_subjects(vdev, self, task, cgroup, used_in, true);
}

struct vif *vif_resolve_given(const struct vif_dev *vdev, const struct vif_subject *task,
			      struct cgroup *cgroup)
{
	return vif_resolve_subjects(vdev, NULL, task, cgroup, NULL, false);
}

bool vif_resolve_has_current(const struct vif *vif)
{
	return vif_resolve_permits(vif, vif_resolve_subjects(vif->dev, NULL, vif_task_current(),
							     vif_cgroup_of_current(), NULL, false));
}

bool vif_resolve_has_socket(const struct vif *vif)
{
	return vif_resolve_permits(vif, vif_resolve_subjects(vif->dev, NULL, NULL,
							     vif_cgroup_of_current(), NULL, false));
}

bool vif_resolve_is_current(const struct vif *vif)
{
	const struct vif_subject *task = vif_task_current();
	struct cgroup *cgroup = vif_cgroup_of_current();

	return vif_resolve_subjects(vif->dev, NULL, task, cgroup, NULL, true) == vif ||
	       vif_resolve_subjects(vif->dev, NULL, task, cgroup, NULL, false) == vif;
}
