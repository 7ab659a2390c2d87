// SPDX-License-Identifier: GPL-2.0
#include "access.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/user_namespace.h>

#include "../compat/task.h"
#include "../queue/account.h"
#include "event.h"
#include "find.h"
#include "net.h"
#include "tree.h"

kuid_t vif_uid(const struct vif *vif)
{
	vif_assert_tree_lock(vif);
	return uid_valid(vif->uid) ? vif->uid :
				     make_kuid(vif->dev->net->user_ns, 0);
}

kgid_t vif_gid(const struct vif *vif)
{
	vif_assert_tree_lock(vif);
	return gid_valid(vif->gid) ? vif->gid :
				     make_kgid(vif->dev->net->user_ns, 0);
}

bool __vif_set_owner(struct vif *vif, const struct vif_owner *owner)
{
	bool same = uid_eq(vif_uid(vif), owner->uid);

	vif_assert_tree_lock(vif);
	if (same && gid_eq(vif_gid(vif), owner->gid) &&
	    vif->mode == (owner->mode & 07777))
		return false;
	vif->uid = owner->uid;
	vif->gid = owner->gid;
	vif->mode = owner->mode & 07777;
	WRITE_ONCE(vif->owner_changes, vif->owner_changes + 1);
	vif_event(vif, VIF_EVENT_SET);
	return !same;
}

bool vif_access_admin(const struct vif_net *vn)
{
	return ns_capable(vn->user_ns, CAP_NET_ADMIN);
}

/* Over what belongs to users that the caller's namespace knows. */
static bool vif_access_capable_over(const struct vif_owner *owner, int cap)
{
	struct user_namespace *ns = current_user_ns();

	return kuid_has_mapping(ns, owner->uid) &&
	       kgid_has_mapping(ns, owner->gid) && ns_capable(ns, cap);
}

bool vif_access_owned(const struct vif_owner *owner, int mask)
{
	umode_t mode = owner->mode;

	if (uid_eq(current_fsuid(), owner->uid))
		mode >>= 6;
	else if (in_group_p(owner->gid))
		mode >>= 3;
	if (!(mask & ~mode & (MAY_READ | MAY_WRITE | MAY_EXEC)))
		return true;
	return (!(mask & MAY_WRITE) && vif_access_capable_over(owner, CAP_DAC_READ_SEARCH)) ||
	       vif_access_capable_over(owner, CAP_DAC_OVERRIDE);
}

struct vif_owner __vif_owner(const struct vif *vif)
{
	return (struct vif_owner) { vif_uid(vif), vif_gid(vif), vif->mode };
}

bool __vif_access(const struct vif *vif, int mask)
{
	const struct vif_owner owner = __vif_owner(vif);

	return vif_access_owned(&owner, mask);
}

bool vif_access(const struct vif *vif, int mask)
{
	bool may;

	mutex_lock(vif_tree_lock(vif));
	may = __vif_access(vif, mask);
	mutex_unlock(vif_tree_lock(vif));
	return may;
}

/*
 * Above a root VIF is the top directory, which belongs to the owner of the namespace: capabilities
 * in a user namespace that the owner of the VIF has created do not count.
 */
bool vif_access_restrain(const struct vif *vif)
{
	if (!__vif_access(vif, MAY_WRITE))
		return false;
	return vif->parent ? __vif_access(vif->parent, MAY_WRITE) :
			     ns_capable(vif_net_of_vif(vif)->user_ns,
					CAP_DAC_OVERRIDE);
}

bool vif_access_own(const struct vif *vif)
{
	const struct vif_owner owner = __vif_owner(vif);

	return uid_eq(current_fsuid(), owner.uid) ||
	       vif_access_capable_over(&owner, CAP_DAC_OVERRIDE);
}

/* Its group's number belongs to the owner of its parent. */
static bool vif_access_leaves_group(const struct vif *vif, const struct vif *parent)
{
	return (vif->side[VIF_EGRESS].set.group || vif->side[VIF_INGRESS].set.group) &&
	       !uid_eq(vif_uid(vif->parent), vif_uid(parent));
}

int vif_access_move(const struct vif *vif, const struct vif *parent)
{
	struct vif_net *vn = vif_net_of_vif(vif);
	const struct vif *left;

	if (!__vif_access(vif->parent, MAY_WRITE | MAY_EXEC) ||
	    !__vif_access(parent, MAY_WRITE | MAY_EXEC))
		return vif_fail(vn, -EACCES,
				"mv: '%s': no permission to write to its old or new parent",
				vif->name->text);
	if (vif_access_leaves_group(vif, parent) && !vif_access_restrain(vif))
		return vif_fail(vn, -EPERM,
				"mv: '%s' would leave its group, which restrains it: that requires write permission on it, too",
				vif->name->text);
	for (left = vif->parent; !vif_is_below(parent, left); left = left->parent)
		if (!vif_access_restrain(left))
			return vif_fail(vn, -EPERM,
					"mv: '%s' would leave the VIF '%s', which restrains it, and which you may not change",
					vif->name->text, left->name->text);
	return 0;
}

kuid_t vif_access_user(const struct vif_net *vn)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_fsuid();

	for (; ns != vn->user_ns && ns != &init_user_ns; ns = ns->parent)
		uid = ns->owner;
	return ns == &init_user_ns ? vif_account_user(uid) : uid;
}

static bool vif_access_is_users(const struct cred *cred, const struct cred *of)
{
	return uid_eq(cred->fsuid, of->euid) && uid_eq(cred->fsuid, of->suid) &&
	       uid_eq(cred->fsuid, of->uid) && gid_eq(cred->fsgid, of->egid) &&
	       gid_eq(cred->fsgid, of->sgid) && gid_eq(cred->fsgid, of->gid);
}

/* A task of the same user with capabilities that the caller lacks has more power. */
static bool vif_access_is_no_more(const struct cred *cred, const struct cred *of)
{
	return cred->user_ns == of->user_ns &&
	       cap_issubset(of->cap_permitted, cred->cap_effective);
}

/* Caller holds rcu_read_lock(). */
static bool vif_access_has_power(struct task_struct *task)
{
	const struct cred *cred = current_cred(), *of;
	struct user_namespace *ns;

	if (cred == rcu_access_pointer(current->real_cred) &&
	    same_thread_group(task, current))
		return true;
	of = __task_cred(task);
	if (!(vif_access_is_users(cred, of) && vif_access_is_no_more(cred, of)) &&
	    !ns_capable(of->user_ns, CAP_SYS_PTRACE))
		return false;
	/* a task that gives up privileges sets this first: see commit_creds() */
	smp_rmb();
	return vif_task_dumpable(task, &ns) || ns_capable(ns, CAP_SYS_PTRACE);
}

bool vif_access_task(struct pid *pid)
{
	struct task_struct *task;
	bool has;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_PID);
	has = !task || vif_access_has_power(task);
	rcu_read_unlock();
	return has;
}
