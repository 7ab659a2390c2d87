// SPDX-License-Identifier: GPL-2.0
#include "task.h"

#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "attach.h"
#include "dev.h"
#include "net.h"
#include "sock.h"
#include "vif.h"

/* The number of the process of which @pid is a thread. */
static struct pid *get_tgid(struct pid *pid)
{
	struct task_struct *task;
	struct pid *tgid = NULL;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_PID);
	if (task)
		tgid = get_pid(task_tgid(task));
	rcu_read_unlock();
	return tgid;
}

static int __attach(struct vif *vif, struct pid *tgid)
{
	struct vif_net *vn = vif_net_of_vif(vif);
	int err;

	if (vif->dead)
		return vif_fail(vn, -ENOENT, "the VIF '%s' has been removed",
				vif->name);
	if (!vif->parent) {
		err = vif_dev_set_attached(vif->dev, true);
		if (err)
			return err;
	}
	err = vif_attach_replace(tgid, vif->dev, NULL, vif);
	if (!vif->parent && !atomic_read(&vif->tasks))
		vif_dev_set_attached(vif->dev, false);
	if (err == -ESRCH)
		return vif_fail(vn, err, "the process has exited");
	if (err == -EINVAL)
		return vif_fail(vn, err,
				"a kernel thread can not be attached: name a process");
	return err;
}

int vif_task_attach(struct vif *vif, struct pid *pid)
{
	struct vif_net *vn = vif_net_of_vif(vif);
	struct pid *tgid = get_tgid(pid);
	int err;

	if (!tgid)
		return vif_fail(vn, -ESRCH, "the process has exited");
	mutex_lock(&vn->lock);
	err = __attach(vif, tgid);
	mutex_unlock(&vn->lock);
	if (!err)
		vif_sock_learn_open(tgid);
	put_pid(tgid);
	return err;
}

int vif_task_detach(struct vif *vif, struct pid *pid)
{
	struct vif_net *vn = vif_net_of_vif(vif);
	int err;

	mutex_lock(&vn->lock);
	err = vif_attach_replace(pid, vif->dev, vif, NULL);
	mutex_unlock(&vn->lock);
	return err == -ESRCH ? -ENOENT : err;
}

/* The @index'th VIF of a process in @vn, or NULL; valid inside RCU. */
static struct vif *nth_vif(const struct vif_task *task,
			   const struct vif_net *vn, unsigned int index)
{
	struct vif_set *set = rcu_dereference(task->set);
	unsigned int i;

	for (i = 0; i < set->count; i++) {
		struct vif *vif = rcu_dereference(set->vif[i]);

		if (vif && vif->dev->net == vn && index-- == 0)
			return vif;
	}
	return NULL;
}

struct nth {
	struct vif_net *vn;
	unsigned int index;
	struct vif *vif;
};

static void find_nth(struct vif_task *task, void *arg)
{
	struct nth *nth = arg;
	struct vif *vif = nth_vif(task, nth->vn, nth->index);

	if (vif && refcount_inc_not_zero(&vif->refs))
		nth->vif = vif;
}

struct vif *vif_task_vif(struct vif_net *vn, struct pid *pid,
			 unsigned int index)
{
	struct nth nth = {
		.vn = vn,
		.index = index,
	};

	mutex_lock(&vn->lock);
	vif_attach_entry(pid, find_nth, &nth);
	mutex_unlock(&vn->lock);
	return nth.vif;
}

struct next {
	struct vif_net *vn;
	struct vif *vif;
	struct pid_namespace *ns;
	pid_t after;
	pid_t found;
};

static bool attached_to(const struct vif_task *task, const struct next *next)
{
	if (!next->vif)
		return nth_vif(task, next->vn, 0);
	return vif_attach_find(task, next->vif->dev) == next->vif;
}

static void find_next(struct vif_task *task, void *arg)
{
	struct next *next = arg;
	pid_t nr = pid_nr_ns(task->pid, next->ns);

	if (nr > next->after && (!next->found || nr < next->found) &&
	    attached_to(task, next))
		next->found = nr;
}

bool vif_task_next(struct vif_net *vn, struct vif *vif,
		   struct pid_namespace *ns, pid_t *nr)
{
	struct next next = {
		.vn = vn,
		.vif = vif,
		.ns = ns,
		.after = *nr,
	};

	mutex_lock(&vn->lock);
	vif_attach_for_each(find_next, &next);
	mutex_unlock(&vn->lock);
	*nr = next.found;
	return next.found;
}
