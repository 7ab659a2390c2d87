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
 * struct vif_target - an object to attach
 * @kind: kind of the object
 * @any: the object, of any kind; NULL for none
 * @pid: the pid of a process's leader, or of a thread
 * @sk: the socket
 * @cgroup: the control group
 * @root: root VIF of the incoming device
 *
 * Its holder has a reference to the object.
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
 * vif_target_attach() - attach an object to a VIF
 * @vif: the VIF; it replaces the object's attachment on the same device at once
 * @target: the object
 *
 * With a process, all its threads and open sockets are attached. If the caller's credentials are an
 * administrator's, other users can attach the object only to VIFs below @vif; see struct vif_set.
 * Context: process; takes the tree mutex. Sets last_error if it fails.
 * Return: 0, -EPERM an administrator has attached it elsewhere, -ESRCH the object is gone, -ENOENT
 *	the VIF is gone, -EINVAL a kernel thread, or a socket of another namespace, -ENOSPC,
 *	-EDQUOT, -ENOMEM, or the error of registering the hooks.
 */
int vif_target_attach(struct vif *vif, const struct vif_target *target);

/* Describe the result of an attempt to attach. Return: @err. */
int vif_target_explain(struct vif_net *vn, enum vif_kind kind, int err);

/**
 * vif_target_detach() - detach an object
 * @vif: the VIF to which it is attached
 * @target: the object
 *
 * Context: process; takes the tree mutex.
 * Return: 0, -ENOENT it is not attached there, -EPERM an administrator has attached it.
 */
int vif_target_detach(struct vif *vif, const struct vif_target *target);

/**
 * __vif_target_retire() - end the attachment of a socket that is about to be closed
 * @vif: the VIF to which it is attached, by any user
 * @target: the socket
 * @tells: send an event to listeners; false if another event implies this one
 *
 * Packets that it has already sent still pass the VIF.
 * Context: process; caller holds the tree mutex.
 */
void __vif_target_retire(struct vif *vif, const struct vif_target *target, bool tells);

/**
 * vif_target_vif() - find the VIF to which an object is attached on a device
 * @vn: the device's namespace
 * @target: the object
 * @root_ino: inode number of the device's root VIF, not 0
 *
 * Context: process; takes the tree mutex.
 * Return: the VIF, referenced, or NULL.
 */
struct vif *vif_target_vif(struct vif_net *vn, const struct vif_target *target,
			   u64 root_ino);

/**
 * vif_target_next() - walk the VIFs to which an object is attached, device by device
 * @vn: only devices of this namespace count
 * @target: the object
 * @index: in: where to begin, 0 for the first; out: where the VIF was found
 *
 * Context: process; takes the tree mutex.
 * Return: the VIF, referenced, or NULL.
 */
struct vif *vif_target_next(struct vif_net *vn, const struct vif_target *target,
			    unsigned int *index);

/**
 * struct vif_belonging - the VIFs of an object on a device, and who has decided them
 * @now: the VIF of its packets
 * @base: the VIF that its packets would have if there were only administrators' attachments
 * @own: the VIFs to which the object itself is attached, by origin
 *
 * Each is referenced, or NULL. A socket has no @now and no @base, which depend on the tasks that
 * use it.
 */
struct vif_belonging {
	struct vif *now;
	struct vif *base;
	struct vif *own[VIF_ORIGINS];
};

/**
 * __vif_target_belonging() - find the VIFs of an object on a device
 * @target: a process, thread or socket
 * @vdev: the device
 * @belonging: result, for vif_belonging_put() in any case
 *
 * Context: process; caller holds the tree mutex.
 * Return: 0, -ESRCH the object is gone, -EINVAL a kernel thread, -EAGAIN it has not begun to run.
 */
int __vif_target_belonging(const struct vif_target *target, const struct vif_dev *vdev,
			   struct vif_belonging *belonging);
void vif_belonging_put(struct vif_belonging *belonging);

/* Does the object still exist? Context: process; takes the tree mutex. */
bool vif_target_alive(struct vif_net *vn, const struct vif_target *target);

/**
 * vif_attached_after() - walk attached objects
 * @vn: only devices of this namespace count
 * @vif: only objects that are attached to this VIF; NULL: to any VIF
 * @pos: see vif_subject_after()
 *
 * Context: process, may sleep.
 * Return: the entry, referenced, or NULL.
 */
struct vif_subject *vif_attached_after(const struct vif_net *vn,
				       const struct vif *vif, u64 *pos);

/**
 * vif_target_of() - get the object of an entry
 * @subject: the entry, referenced
 * @target: result, for vif_target_put() in any case
 *
 * Context: process.
 * Return: false if the object is gone; and for a device, of which only the number is known.
 */
bool vif_target_of(struct vif_subject *subject, struct vif_target *target);

/**
 * struct vif_task_nr - the numbers of a process or thread in a PID namespace
 * @pid: the process
 * @tid: the thread, 0 for the process itself
 */
struct vif_task_nr {
	pid_t pid;
	pid_t tid;
};

/* Get the numbers of a process or thread. Return false if it has none in @ns, or not any more. */
bool vif_target_nr(const struct vif_target *target, struct pid_namespace *ns,
		   struct vif_task_nr *nr);

/* Take or drop the reference to the object of @target, if there is one. Context: process. */
void vif_target_get(const struct vif_target *target);
void vif_target_put(const struct vif_target *target);

#endif
