/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Resolution: of all that has attachments, which VIF a packet belongs to.
 *
 * Each level knows better than the one before what is meant: a control group, a
 * process, a thread, a socket. What an administrator has attached on a level takes
 * the place of all weaker ones. What anybody else has attached counts only if it is
 * below the result so far: he divides, and restrains further. It is found anew after
 * each change of trees and attachments (see cache.h), so that nothing that happens to
 * them loosens anything even for a moment.
 */
#ifndef NETNICE_VIF_RESOLVE_H
#define NETNICE_VIF_RESOLVE_H

#include <linux/types.h>

struct cgroup;
struct vif;
struct vif_dev;
struct vif_subject;

/**
 * vif_resolve() - the VIF of what has these attachments
 * @vdev: the device
 * @self: entry of the socket, or NULL
 * @task: entry of the thread or process, or NULL
 * @cgroup: the control group, or NULL
 *
 * Context: caller holds rcu_read_lock().
 * Return: valid under rcu_read_lock(); the root VIF if there is nothing else.
 */
struct vif *vif_resolve(const struct vif_dev *vdev,
			const struct vif_subject *self,
			const struct vif_subject *task, struct cgroup *cgroup);

/* The same, if no user had attached anything: what administrators have decided. */
struct vif *vif_resolve_given(const struct vif_dev *vdev, const struct vif_subject *task,
			      struct cgroup *cgroup);

/**
 * vif_resolve_is_current() - is what the running task sends a VIF's own?
 * @vif: the VIF
 *
 * Or would it be, if he had chosen nothing. Being below it is not enough: that may be
 * in a VIF which has been given less.
 * Context: process, caller holds rcu_read_lock().
 */
bool vif_resolve_is_current(const struct vif *vif);

/*
 * Would an attachment to a VIF count for the running task, whatever he has chosen? Context:
 * as above.
 */
bool vif_resolve_has_current(const struct vif *vif);

/* Would it for a socket that no task uses, of the running task's control group? */
bool vif_resolve_has_socket(const struct vif *vif);

#endif
