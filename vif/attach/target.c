// SPDX-License-Identifier: GPL-2.0
#include "target.h"

#include <linux/pid.h>
#include <linux/sched.h>
#include <net/sock.h>

#include "../queue/account.h"
#include "../tree/access.h"
#include "../tree/dev.h"
#include "../tree/event.h"
#include "../tree/net.h"
#include "../tree/param.h"
#include "../tree/vif.h"
#include "cgroup.h"
#include "fd_scan.h"
#include "resolve.h"
#include "sock.h"
#include "subject.h"
#include "task.h"

static void *vif_target_find_device(const struct vif_subject_id *id)
{
	return id->ptr;
}

static int vif_target_device_id(struct vif *root, struct vif_subject_id *id)
{
	struct vif_dev *vdev = root->dev;

	lockdep_assert_held(&vdev->net->lock);
	*id = (struct vif_subject_id) {
		.kind = VIF_DEVICE,
		.find = vif_target_find_device,
		.ptr = vdev->dev,
		.number = vdev->dev ? vdev->dev->ifindex : 0,
	};
	return vdev->dev ? 0 : -ESRCH;
}

/* The tree mutex is held: devices stay. */
static int vif_target_get_id(const struct vif_target *target, struct vif_subject_id *up,
			     struct vif_subject_id *id)
{
	switch (target->kind) {
	case VIF_DEVICE:
		return vif_target_device_id(target->root, id);
	case VIF_CGROUP:
		return vif_cgroup_id(target->cgroup, id);
	case VIF_PROCESS:
	case VIF_THREAD:
		return vif_task_id(target->kind, target->pid, up, id);
	case VIF_SOCKET:
		vif_sock_id(target->sk, id);
		return 0;
	default:
		return -EINVAL;
	}
}

/* @now instead of @was: one may be NULL. */
static void vif_target_notify(const struct vif_target *target,
			      const struct vif_subject_id *id, enum vif_origin origin,
			      struct vif *was, struct vif *now)
{
	struct vif_attachment attachment = {
		.vif = now ?: was,
		.origin = origin,
		.kind = target->kind,
		.number = id->number,
		.attached = now,
	};

	if (now == was)
		return;

	if (target->kind == VIF_PROCESS)
		attachment.pid = vif_subject_pid_nr(target->pid);
	else if (target->kind == VIF_THREAD)
		attachment.pid = vif_subject_pid_nr(id->up->pid);
	else if (target->kind == VIF_SOCKET)
		attachment.sk = target->sk;
	vif_event_attachment(&attachment);
}

static int vif_target_replace(const struct vif_target *target, struct vif_dev *vdev,
			      struct vif *old, struct vif *new)
{
	enum vif_origin origin = vif_access_admin(vdev->net) ? VIF_BY_ADMIN : VIF_BY_USER;
	struct vif_subject_id id, up = {};
	struct vif *was[VIF_ORIGINS];
	int err;

	err = vif_target_get_id(target, &up, &id);
	if (!err)
		err = vif_subject_replace(&id, vdev, origin, old, new, was);
	if (!err && origin == VIF_BY_ADMIN) {
		vif_target_notify(target, &id, VIF_BY_USER, was[VIF_BY_USER], NULL);
		vif_target_notify(target, &id, VIF_BY_ADMIN, was[VIF_BY_ADMIN], new);
	} else if (!err) {
		vif_target_notify(target, &id, VIF_BY_USER, was[VIF_BY_USER],
				  new == was[VIF_BY_ADMIN] ? NULL : new);
	}
	put_pid(up.pid);
	return min(err, 0);
}

int vif_target_explain(struct vif_net *vn, enum vif_kind kind, int err)
{
	static const char *const gone[VIF_KINDS] = {
		[VIF_DEVICE] = "the device has been removed",
		[VIF_CGROUP] = "the control group has been removed",
		[VIF_PROCESS] = "the process has exited",
		[VIF_THREAD] = "the thread has exited",
		[VIF_SOCKET] = "the socket has been closed",
	};

	switch (err) {
	case -EPERM:
		return vif_fail(vn, err,
				"an administrator has attached it: you may attach it to VIFs below that one, and detach it from these");
	case -ESRCH:
		return vif_fail(vn, err, "%s", gone[kind]);
	case -EINVAL:
		return vif_fail(vn, err,
				"a kernel thread cannot be attached: name a process");
	case -EAGAIN:
		return vif_fail(vn, err,
				"the process is being created: try again");
	case -EDQUOT:
		return vif_fail(vn, err,
				"a user may make %u attachments, counted for each object and device (module parameter user_attachments)",
				vif_account_most(VIF_CHARGE_ATTACHMENT));
	case -ENOSPC:
		return vif_fail(vn, err,
				"too many attachments: up to 65536 of each kind (processes, threads, sockets, control groups, devices) in a network namespace, and each on up to 256 devices of it, 320 of all, some of which are reserved for administrators; control groups of up to 32 levels of their tree on a device");
	default:
		return err;
	}
}

static void vif_target_note_any(struct vif_subject *subject, void *arg)
{
	*(bool *)arg = vif_set_count(rcu_dereference(subject->set), NULL);
}

/* An incoming device has its hook while it has attachments. Caller holds the tree mutex. */
static void vif_target_settle_device(struct vif_dev *vdev)
{
	struct vif_subject_id id;
	bool any = false;

	if (!vif_target_device_id(vdev->root, &id))
		vif_subject_run(&id, vif_target_note_any, &any);
	if (!any)
		vif_dev_set_incoming(vdev, false);
}

static int __vif_target_attach(struct vif *vif, const struct vif_target *target)
{
	struct vif_net *vn = vif_net_of_vif(vif);
	int err;

	err = __vif_check_alive(vif);
	if (!err && !vif->parent)
		err = vif_dev_set_attached(vif->dev, true);
	if (err)
		return err;
	if (target->kind == VIF_DEVICE)
		err = vif_dev_set_incoming(target->root->dev, true);
	if (target->kind == VIF_CGROUP)
		vif_cgroup_attaching();
	if (!err)
		err = vif_target_replace(target, vif->dev, NULL, vif);
	if (!vif->parent && !atomic_read(&vif->attached))
		vif_dev_set_attached(vif->dev, false);
	if (target->kind == VIF_DEVICE)
		vif_target_settle_device(target->root->dev);
	return vif_target_explain(vn, target->kind, err);
}

int vif_target_attach(struct vif *vif, const struct vif_target *target)
{
	struct vif_net *vn = vif_net_of_vif(vif);
	int err = 0;

	if (target->kind == VIF_PROCESS || target->kind == VIF_THREAD)
		vif_task_settle(target->pid);
	if (target->kind == VIF_SOCKET)
		err = vif_sock_prepare(target->sk);
	if (err)
		return err;
	mutex_lock(&vn->lock);
	err = __vif_target_attach(vif, target);
	mutex_unlock(&vn->lock);
	if (!err && target->kind == VIF_PROCESS)
		vif_fd_scan_open(target->pid);
	if (!err && target->kind == VIF_THREAD)
		vif_fd_scan_renew(target->pid);
	if (!err && target->kind == VIF_SOCKET) {
		vif_sock_attached(target->sk);
		/* an MPTCP socket's subflows, whose numbers are not known here */
		vif_genid_change(&vif->dev->genid);
	}
	return err;
}

void __vif_target_retire(struct vif *vif, const struct vif_target *target, bool tells)
{
	struct vif_subject_id id;
	struct vif *was[VIF_ORIGINS];
	enum vif_origin origin;

	vif_assert_tree_lock(vif);
	vif_sock_id(target->sk, &id);
	vif_subject_retire_now(&id, vif->dev, was);
	/* a device has told of its end itself */
	for (origin = 0; tells && vif->dev->dev && origin < VIF_ORIGINS; origin++)
		vif_target_notify(target, &id, origin, was[origin], NULL);
}

int vif_target_detach(struct vif *vif, const struct vif_target *target)
{
	struct vif_net *vn = vif_net_of_vif(vif);
	int err;

	mutex_lock(&vn->lock);
	err = vif_target_replace(target, vif->dev, vif, NULL);
	if (target->kind == VIF_DEVICE)
		vif_target_settle_device(target->root->dev);
	mutex_unlock(&vn->lock);
	if (err == -EPERM)
		return vif_target_explain(vn, target->kind, err);
	return err == -ESRCH ? -ENOENT : err;
}

/**
 * struct vif_target_search - a search in what a target is attached to
 * @vn: of the devices that count
 * @root_ino: see vif_target_vif(); 0: any device
 * @index: see vif_target_next()
 * @vif: result, referenced, or NULL
 */
struct vif_target_search {
	struct vif_net *vn;
	u64 root_ino;
	unsigned int index;
	struct vif *vif;
};

static void vif_target_lookup_id(struct vif_subject *subject, void *arg)
{
	struct vif_target_search *lookup = arg;
	const struct vif_set *set = rcu_dereference(subject->set);
	struct vif *vif;

	if (lookup->root_ino)
		vif = vif_set_shown_on(set, lookup->vn, lookup->root_ino);
	else
		vif = vif_set_next(set, lookup->vn, &lookup->index);
	if (vif && refcount_inc_not_zero(&vif->refs))
		lookup->vif = vif;
}

static void vif_target_lookup(const struct vif_target *target, struct vif_target_search *lookup)
{
	struct vif_subject_id id, up = {};

	mutex_lock(&lookup->vn->lock);
	if (!vif_target_get_id(target, &up, &id))
		vif_subject_run(&id, vif_target_lookup_id, lookup);
	mutex_unlock(&lookup->vn->lock);
	put_pid(up.pid);
}

struct vif *vif_target_vif(struct vif_net *vn, const struct vif_target *target,
			   u64 root_ino)
{
	struct vif_target_search lookup = { .vn = vn, .root_ino = root_ino };

	vif_target_lookup(target, &lookup);
	return lookup.vif;
}

struct vif *vif_target_next(struct vif_net *vn, const struct vif_target *target,
			    unsigned int *index)
{
	struct vif_target_search lookup = { .vn = vn, .index = *index };

	vif_target_lookup(target, &lookup);
	*index = lookup.index;
	return lookup.vif;
}

/* A VIF in a set may be about to end. Caller holds rcu_read_lock(). */
static struct vif *vif_target_get_unless_gone(struct vif *vif)
{
	return vif && refcount_inc_not_zero(&vif->refs) ? vif : NULL;
}

/* A thread without attachments of its own has its process's. Caller holds rcu_read_lock(). */
static void vif_target_resolve_task(const struct vif_subject_id *id,
				    const struct vif_subject *subject, const struct vif_dev *vdev,
				    struct vif_belonging *belonging)
{
	struct task_struct *task = id->find(id);
	struct cgroup *cgroup = task ? vif_cgroup_of_task(task) : NULL;

	if (!subject && id->up)
		subject = vif_subject_find_live(id->up);
	belonging->now = vif_target_get_unless_gone(vif_resolve(vdev, NULL, subject, cgroup, NULL));
	belonging->base = vif_target_get_unless_gone(vif_resolve_given(vdev, subject, cgroup));
}

int __vif_target_belonging(const struct vif_target *target, const struct vif_dev *vdev,
			   struct vif_belonging *belonging)
{
	struct vif_subject_id id, up = {};
	const struct vif_subject *subject;
	enum vif_origin origin;
	int err;

	lockdep_assert_held(&vdev->net->lock);
	*belonging = (struct vif_belonging) {};
	err = vif_target_get_id(target, &up, &id);
	if (!err) {
		rcu_read_lock();
		subject = vif_subject_find_live(&id);
		vif_subject_vifs(subject, vdev, belonging->own);
		for (origin = 0; origin < VIF_ORIGINS; origin++)
			belonging->own[origin] = vif_target_get_unless_gone(belonging->own[origin]);
		if (target->kind != VIF_SOCKET)
			vif_target_resolve_task(&id, subject, vdev, belonging);
		rcu_read_unlock();
	}
	put_pid(up.pid);
	return err;
}

void vif_belonging_put(struct vif_belonging *belonging)
{
	enum vif_origin origin;

	for (origin = 0; origin < VIF_ORIGINS; origin++)
		vif_put(belonging->own[origin]);
	vif_put(belonging->base);
	vif_put(belonging->now);
}

bool vif_target_alive(struct vif_net *vn, const struct vif_target *target)
{
	struct vif_subject_id id, up = {};
	bool alive;

	mutex_lock(&vn->lock);
	alive = !vif_target_get_id(target, &up, &id);
	rcu_read_lock();
	alive = alive && id.find(&id);
	rcu_read_unlock();
	mutex_unlock(&vn->lock);
	put_pid(up.pid);
	return alive;
}

/* vif_attached_after() passes this filter. */
struct vif_attached_filter {
	struct vif_subject_filter filter;
	const struct vif_net *vn;
	const struct vif *vif;
};

static bool vif_target_is_attached(const struct vif_subject *subject,
				   const struct vif_subject_filter *filter)
{
	const struct vif_attached_filter *to = container_of(filter, struct vif_attached_filter,
							    filter);
	const struct vif_set *set = rcu_dereference(subject->set);

	return to->vif ? vif_set_has(set, to->vif) : vif_set_count(set, to->vn);
}

struct vif_subject *vif_attached_after(const struct vif_net *vn,
				       const struct vif *vif, u64 *pos)
{
	const struct vif_attached_filter to = { { vif_target_is_attached }, vn, vif };

	return vif_subject_after(pos, &to.filter);
}

/* Caller holds rcu_read_lock(), while the entry is in the table. */
static void vif_target_hold(struct vif_subject *subject, void *arg)
{
	struct vif_target *target = arg;

	switch (subject->kind) {
	case VIF_CGROUP:
		target->cgroup = vif_cgroup_of_node(subject->group);
		break;
	case VIF_PROCESS:
		target->pid = get_pid(subject->pid);
		break;
	case VIF_THREAD:
		target->pid = get_pid(task_pid(subject->task));
		break;
	case VIF_SOCKET:
		target->sk = subject->sk;
		sock_hold(target->sk);
		break;
	default:
		break;
	}
}

bool vif_target_of(struct vif_subject *subject, struct vif_target *target)
{
	*target = (struct vif_target) { .kind = subject->kind };
	if (READ_ONCE(subject->retired))
		return false;
	rcu_read_lock();
	vif_subject_run_locked(subject, vif_target_hold, target);
	rcu_read_unlock();
	return target->any;
}

bool vif_target_nr(const struct vif_target *target, struct pid_namespace *ns,
		   struct vif_task_nr *nr)
{
	struct task_struct *task;

	*nr = (struct vif_task_nr) {};
	if (target->kind == VIF_PROCESS) {
		nr->pid = pid_nr_ns(target->pid, ns);
		return nr->pid;
	}
	rcu_read_lock();
	task = pid_task(target->pid, PIDTYPE_PID);
	if (task) {
		nr->pid = task_tgid_nr_ns(task, ns);
		nr->tid = task_pid_nr_ns(task, ns);
	}
	rcu_read_unlock();
	return nr->pid && nr->tid;
}

void vif_target_get(const struct vif_target *target)
{
	if (!target->any)
		return;
	switch (target->kind) {
	case VIF_DEVICE:
		vif_get(target->root);
		break;
	case VIF_CGROUP:
		vif_cgroup_get(target->cgroup);
		break;
	case VIF_SOCKET:
		sock_hold(target->sk);
		break;
	default:
		get_pid(target->pid);
		break;
	}
}

void vif_target_put(const struct vif_target *target)
{
	if (!target->any)
		return;
	switch (target->kind) {
	case VIF_DEVICE:
		vif_put(target->root);
		break;
	case VIF_CGROUP:
		vif_cgroup_put(target->cgroup);
		break;
	case VIF_SOCKET:
		sock_put(target->sk);
		break;
	default:
		put_pid(target->pid);
		break;
	}
}
