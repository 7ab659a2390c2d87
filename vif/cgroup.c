// SPDX-License-Identifier: GPL-2.0
#include "cgroup.h"

#include <linux/cgroup.h>
#include <linux/kernfs.h>
#include <linux/nsproxy.h>
#include <net/sock.h>

struct cgroup *vif_cgroup_of_sock(struct sock *sk)
{
	return vif_cgroup_any() ? sock_cgroup_ptr(&sk->sk_cgrp_data) : NULL;
}

struct cgroup *vif_cgroup_of_current(void)
{
	return vif_cgroup_any() ? task_dfl_cgroup(current) : NULL;
}

struct vif *vif_cgroup_vif(struct cgroup *cgroup, const struct vif_dev *vdev)
{
	struct vif *vif[VIF_BYS] = {};

	for (; cgroup && !vif[VIF_GIVEN]; cgroup = cgroup_parent(cgroup))
		vif_subject_vifs(vif_subject_find(cgroup), vdev, vif);
	return vif[VIF_GIVEN];
}

/*
 * The flag goes before the event that retires the entry. That which ends it comes
 * when nobody holds the group any more, before its memory goes.
 */
static const void *cgroup_key(const struct vif_subject_id *id)
{
	struct cgroup *cgroup = id->ptr;

	return READ_ONCE(cgroup->self.flags) & CSS_ONLINE ? cgroup : NULL;
}

int vif_cgroup_id(struct cgroup *cgroup, struct vif_subject_id *id)
{
	*id = (struct vif_subject_id) {
		.kind = VIF_CGROUP,
		.key = cgroup_key,
		.ptr = cgroup,
		.number = cgroup_id(cgroup),
	};
	return cgroup_key(id) ? 0 : -ESRCH;
}

bool vif_cgroup_tryget(struct cgroup *cgroup)
{
	return cgroup_tryget(cgroup);
}

struct cgroup *vif_cgroup_top(void)
{
	struct cgroup *top = current->nsproxy->cgroup_ns->root_cset->dfl_cgrp;

	cgroup_get(top);
	return top;
}

bool vif_cgroup_path(struct cgroup *cgroup, struct cgroup *top, char *buf,
		     size_t size)
{
	int len;

	if (!cgroup_is_descendant(cgroup, top))
		return false;
	len = kernfs_path_from_node(cgroup->kn, top->kn, buf, size);
	return len > 0 && len < size;
}

void vif_cgroup_get(struct cgroup *cgroup)
{
	if (cgroup)
		cgroup_get(cgroup);
}

void vif_cgroup_put(struct cgroup *cgroup)
{
	if (cgroup)
		cgroup_put(cgroup);
}
