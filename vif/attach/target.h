/* SPDX-License-Identifier: GPL-2.0 */
/* Targets: objects that a user names in order to attach them. A target holds its object. */
#ifndef NETNICE_VIF_TARGET_H
#define NETNICE_VIF_TARGET_H

#include <linux/types.h>

#include "subject.h"

struct cgroup;
struct pid;
struct pid_namespace;
struct sock;
struct vif;
struct vif_dev;
struct vif_net;

/**
 * struct vif_target - something to attach
 * @kind: what it is
 * @any: whatever it is; NULL for nothing
 * @pid: of a process its leader's, of a thread its own
 * @sk: the socket
 * @cgroup: the control group
 * @root: root VIF of the incoming device
 *
 * Its holder has a reference to the object that it names.
 */
struct vif_target {
	enum vif_kind kind;
	union {
		const void *any;
		struct pid *pid;
		struct sock *sk;
		struct cgroup *cgroup;
		struct vif *root;
	};
};

/**
 * vif_target_attach() - attach something to a VIF
 * @vif: the VIF; replaces at once what the target had on the same device
 * @target: what
 *
 * Of a process, all threads and the sockets that it has open now are covered. What
 * an administrator attaches, by the caller's credentials, others can attach to VIFs
 * below that one only; see struct vif_set.
 * Context: process; takes the tree mutex. Sets last_error where it fails.
 * Return: 0, -EPERM an administrator has attached it elsewhere, -ESRCH the target has
 *	gone, -ENOENT the VIF has gone, -EINVAL a
 *	kernel thread, or a socket of another namespace, -ENOSPC, -EDQUOT, -ENOMEM, or what
 *	registering the hooks said.
 */
int vif_target_attach(struct vif *vif, const struct vif_target *target);

/* Describe the result of an attempt to attach. Return: @err. */
int vif_target_explain(struct vif_net *vn, enum vif_kind kind, int err);

/**
 * vif_target_detach() - detach something
 * @vif: the VIF it is attached to
 * @target: what
 *
 * Context: process; takes the tree mutex.
 * Return: 0, -ENOENT it is not attached there, -EPERM an administrator has done that.
 */
int vif_target_detach(struct vif *vif, const struct vif_target *target);

/**
 * __vif_target_retire() - a socket, about to be closed, is attached no more
 * @vif: the VIF it is attached to, by any user
 * @target: the socket
 * @tells: listeners get an event; not for an end caused by another end
 *
 * Packets that it has already sent still pass the VIF.
 * Context: process; caller holds the tree mutex.
 */
void __vif_target_retire(struct vif *vif, const struct vif_target *target, bool tells);

/**
 * vif_target_vif() - what a target is attached to on a device
 * @vn: the device's namespace
 * @target: what
 * @root_ino: inode number of the device's root VIF, not 0
 *
 * Context: process; takes the tree mutex.
 * Return: the VIF, referenced, or NULL where there is none.
 */
struct vif *vif_target_vif(struct vif_net *vn, const struct vif_target *target,
			   u64 root_ino);

/**
 * vif_target_next() - what a target is attached to, device by device
 * @vn: only devices of this namespace count
 * @target: what
 * @index: in: where to look from, 0 for the first; out: where it was found
 *
 * Context: process; takes the tree mutex.
 * Return: the VIF, referenced, or NULL where there is none.
 */
struct vif *vif_target_next(struct vif_net *vn, const struct vif_target *target,
			    unsigned int *index);

/**
 * struct vif_belonging - where something belongs on a device, and by whose decision
 * @now: the VIF that its packets go by
 * @base: the one they would go by if no user had attached anything
 * @own: what it is attached to itself, by origin
 *
 * Each is referenced, or NULL. A socket has no @now and no @base: these depend on the tasks
 * that use it.
 */
struct vif_belonging {
	struct vif *now;
	struct vif *base;
	struct vif *own[VIF_ORIGINS];
};

/**
 * __vif_target_belonging() - find out where a target belongs
 * @target: a process, thread or socket
 * @vdev: the device
 * @belonging: result; to be put in any case
 *
 * Context: process; caller holds the tree mutex.
 * Return: 0, -ESRCH it has gone, -EINVAL a kernel thread, -EAGAIN it has not begun to run.
 */
int __vif_target_belonging(const struct vif_target *target, const struct vif_dev *vdev,
			   struct vif_belonging *belonging);
void vif_belonging_put(struct vif_belonging *belonging);

/* Is it still there? Context: process; takes the tree mutex. */
bool vif_target_alive(struct vif_net *vn, const struct vif_target *target);

/**
 * vif_attached_after() - walk what is attached
 * @vn: only devices of this namespace count
 * @vif: only what is attached to this VIF; NULL: to any
 * @pos: see vif_subject_after()
 *
 * Context: process, may sleep.
 * Return: the entry, referenced, or NULL.
 */
struct vif_subject *vif_attached_after(const struct vif_net *vn,
				       const struct vif *vif, u64 *pos);

/**
 * vif_target_of() - what an entry is of, while it is there
 * @subject: the entry, referenced
 * @target: result, to be put in any case
 *
 * Context: process.
 * Return: false if it has gone; and for a device, whose number is all there is.
 */
bool vif_target_of(struct vif_subject *subject, struct vif_target *target);

/**
 * struct vif_task_nr - a process or thread, as a namespace numbers it
 * @pid: the process
 * @tid: the thread, 0 for the process itself
 */
struct vif_task_nr {
	pid_t pid;
	pid_t tid;
};

/* False if it has no numbers in @ns, or not any more. @target is a process or thread. */
bool vif_target_nr(const struct vif_target *target, struct pid_namespace *ns,
		   struct vif_task_nr *nr);

/* Take, and give back, the reference on what @target names, if anything. Process context. */
void vif_target_get(const struct vif_target *target);
void vif_target_put(const struct vif_target *target);

#endif
