/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Resolution: selects a packet's VIF from all attachments that apply.
 *
 * Each level is more specific than the one before: control group, process, thread, socket. An
 * administrator's attachment on a level replaces all weaker ones. A user's attachment is in force
 * only if it is below the result so far: users can only divide and restrain further. The result is
 * computed again after each change of trees and attachments (see cache.h), so no change loosens a
 * limit even for a moment.
 *
 * Two groups may apply to a socket: the group in which it was made, and the group of the task that
 * used it last. The VIF of the latter is in force: no task leaves its group's limit by a socket
 * from elsewhere. If the VIF of the former is below, this one is in force: a socket that is passed
 * to a group without a VIF keeps its limit.
 */
#ifndef NETNICE_VIF_RESOLVE_H
#define NETNICE_VIF_RESOLVE_H

#include <linux/types.h>

struct cgroup;
struct vif;
struct vif_dev;
struct vif_subject;

/**
 * vif_resolve() - select the VIF from all attachments
 * @vdev: the device
 * @self: entry of the socket, or NULL
 * @task: entry of the thread or process, or NULL
 * @cgroup: the control group, of a socket the one in which it was made, or NULL
 * @used_in: the control group of the task that used the socket last, if it is another one, or NULL
 *
 * Context: caller holds rcu_read_lock().
 * Return: valid under rcu_read_lock(); the root VIF if there is nothing else.
 */
struct vif *vif_resolve(const struct vif_dev *vdev,
			const struct vif_subject *self,
			const struct vif_subject *task, struct cgroup *cgroup,
			struct cgroup *used_in);

/* Do the same with the attachments of administrators alone. */
struct vif *vif_resolve_given(const struct vif_dev *vdev, const struct vif_subject *task,
			      struct cgroup *cgroup);

/**
 * vif_resolve_is_current() - do the running task's packets belong to a VIF itself?
 * @vif: the VIF
 *
 * Also true if they would without the task's own attachments. A VIF below is not enough: it may
 * have less bandwidth.
 * Context: process, caller holds rcu_read_lock().
 */
bool vif_resolve_is_current(const struct vif *vif);

/*
 * Would an attachment to a VIF be in force for the running task, whatever its user has attached?
 * Context: as above.
 */
bool vif_resolve_has_current(const struct vif *vif);

/* Would it for a socket that no task uses, of the running task's control group? */
bool vif_resolve_has_socket(const struct vif *vif);

#endif
