// SPDX-License-Identifier: GPL-2.0
/*
 * An attachment as a message. The VIF of an attachment is found under the tree mutex; the other
 * properties are read without it.
 */
#include "netlink.h"

#include <linux/cred.h>
#include <linux/netnice_netlink.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "../attach/cgroup.h"
#include "../attach/sock_cookie.h"
#include "../attach/target.h"
#include "../compat/netlink.h"
#include "../tree/access.h"
#include "../tree/dev.h"
#include "../tree/event.h"
#include "../tree/net.h"
#include "../tree/option.h"
#include "../tree/vif.h"
#include "nl_gen.h"

static const struct nn_nl_names names = {
	.id = NETNICE_A_ATTACHMENT_VIF_ID,
	.ifindex = NETNICE_A_ATTACHMENT_IFINDEX,
	.device = NETNICE_A_ATTACHMENT_DEVICE,
	.path = NETNICE_A_ATTACHMENT_PATH,
};

static const struct nn_nl_where where = {
	.ifindex = NETNICE_A_ATTACHMENT_IFINDEX,
	.device = NETNICE_A_ATTACHMENT_DEVICE,
	.path = NETNICE_A_ATTACHMENT_PATH,
};

/**
 * struct nn_nl_who - an attached object, as a reader may see it
 * @attachment: its properties, without the VIF
 * @target: holds the object
 * @nr: the numbers of a process or thread
 * @comm: its command, "" if the reader may not know it
 * @cgroup: the group's path, or NULL
 */
struct nn_nl_who {
	struct vif_attachment attachment;
	struct vif_target target;
	struct vif_task_nr nr;
	char comm[TASK_COMM_LEN];
	const char *cgroup;
};

/**
 * struct nn_nl_attachment_dump - state of a dump
 * @top: number of the requested VIF, 0: all
 * @pos: position of the last subject
 * @partial: number of a subject whose VIFs did not all fit into a message, or 0
 * @index: number of its VIFs that are done
 * @pid_ns: the reader's PID namespace (referenced)
 * @cgroup: the root of the reader's cgroup namespace (referenced), or NULL
 * @path: room for a control group's path
 */
struct nn_nl_attachment_dump {
	u64 top;
	u64 pos;
	u64 partial;
	unsigned int index;
	struct pid_namespace *pid_ns;
	struct cgroup *cgroup;
	char path[PATH_MAX];
};

int nn_nl_put_pids(struct sk_buff *skb, u32 pid, u32 tid)
{
	if (nla_put_u32(skb, NETNICE_A_ATTACHMENT_PID, pid))
		return -EMSGSIZE;
	return tid ? nla_put_u32(skb, NETNICE_A_ATTACHMENT_TID, tid) : 0;
}

static int vif_nl_put_sock(struct sk_buff *skb, struct sock *sk)
{
	if (nla_put_u64_64bit(skb, NETNICE_A_ATTACHMENT_COOKIE,
			      vif_sock_cookie(sk), NETNICE_A_ATTACHMENT_PAD) ||
	    nla_put_u32(skb, NETNICE_A_ATTACHMENT_FAMILY, sk->sk_family) ||
	    nla_put_u32(skb, NETNICE_A_ATTACHMENT_TYPE, sk->sk_type))
		return -EMSGSIZE;
	return nla_put_u32(skb, NETNICE_A_ATTACHMENT_PROTOCOL,
			   sk->sk_protocol);
}

static int vif_nl_put_what(struct sk_buff *skb,
			   const struct vif_attachment *attachment)
{
	switch (attachment->kind) {
	case VIF_SOCKET:
		return vif_nl_put_sock(skb, attachment->sk);
	case VIF_CGROUP:
		return nla_put_u64_64bit(skb, NETNICE_A_ATTACHMENT_CGROUP_ID,
					 attachment->number,
					 NETNICE_A_ATTACHMENT_PAD);
	case VIF_DEVICE:
		return nla_put_u32(skb, NETNICE_A_ATTACHMENT_FROM_IFINDEX,
				   attachment->number);
	default:
		return 0;
	}
}

int __nn_nl_put_attachment(struct sk_buff *skb,
			   const struct vif_attachment *attachment)
{
	const struct vif *vif = attachment->vif;

	BUILD_BUG_ON((int)VIF_SOCKET != NETNICE_KIND_SOCKET);
	BUILD_BUG_ON((int)VIF_BY_USER != NETNICE_ORIGIN_USER);
	if (nla_put_u64_64bit(skb, NETNICE_A_ATTACHMENT_VIF_ID, vif->ino,
			      NETNICE_A_ATTACHMENT_PAD) ||
	    __nn_nl_put_where(skb, vif, &where) ||
	    nla_put_u32(skb, NETNICE_A_ATTACHMENT_KIND, attachment->kind) ||
	    nla_put_u32(skb, NETNICE_A_ATTACHMENT_ORIGIN, attachment->origin))
		return -EMSGSIZE;
	return vif_nl_put_what(skb, attachment);
}

static void vif_nl_read_comm(struct nn_nl_who *who)
{
	struct task_struct *task;

	if (!vif_access_task(who->target.pid))
		return;
	rcu_read_lock();
	task = pid_task(who->target.pid, PIDTYPE_PID);
	if (task)
		get_task_comm(who->comm, task);
	rcu_read_unlock();
}

/*
 * False if there is nothing to tell: a process that the reader's namespace has no number
 * for is not there. The target is to be put in any case.
 */
static bool vif_nl_describe(struct vif_subject *subject, struct nn_nl_attachment_dump *dump,
			    struct nn_nl_who *who)
{
	*who = (struct nn_nl_who) {
		.attachment.kind = subject->kind,
		.attachment.number = subject->number,
	};
	if (!vif_target_of(subject, &who->target))
		return subject->kind == VIF_DEVICE;
	switch (subject->kind) {
	case VIF_SOCKET:
		who->attachment.sk = who->target.sk;
		return true;
	case VIF_CGROUP:
		who->cgroup = dump->path;
		return vif_cgroup_path(who->target.cgroup, dump->cgroup,
				       dump->path, sizeof(dump->path));
	default:
		vif_nl_read_comm(who);
		return vif_target_nr(&who->target, dump->pid_ns, &who->nr);
	}
}

/* Put the name of an incoming device, unless the device has gone. */
static int __vif_nl_put_from(struct sk_buff *skb, const struct vif_net *vn,
			     const struct vif_attachment *attachment)
{
	const struct vif_dev *vdev;

	lockdep_assert_held(&vn->lock);
	list_for_each_entry(vdev, &vn->devs, link)
		if (vdev->dev->ifindex == attachment->number)
			return nla_put_string(skb,
					      NETNICE_A_ATTACHMENT_FROM_DEVICE,
					      vdev->dev->name);
	return 0;
}

static int vif_nl_put_port(struct sk_buff *skb, const struct sock *sk)
{
	const struct vif_option *option = vif_option_find(VIF_OPTION_STACK);
	bool is = option && vif_stack_ops_of(option)->is_port(sk);

	vif_option_put(option);
	return is ? nla_put_u32(skb, NETNICE_A_ATTACHMENT_PORT, sk->sk_num) : 0;
}

static int __vif_nl_put_private(struct sk_buff *skb, const struct vif_net *vn,
				const struct nn_nl_who *who)
{
	if (who->attachment.kind == VIF_DEVICE)
		return __vif_nl_put_from(skb, vn, &who->attachment);
	if (who->attachment.kind == VIF_SOCKET)
		return vif_nl_put_port(skb, who->attachment.sk);
	if (who->cgroup)
		return nla_put_string(skb, NETNICE_A_ATTACHMENT_CGROUP,
				      who->cgroup);
	if (!who->nr.pid)
		return 0;
	if (nn_nl_put_pids(skb, who->nr.pid, who->nr.tid))
		return -EMSGSIZE;
	return *who->comm ? nla_put_string(skb, NETNICE_A_ATTACHMENT_COMM,
					   who->comm) : 0;
}

static int __vif_nl_dump_one(struct sk_buff *skb, struct netlink_callback *cb,
			     const struct vif_net *vn, const struct nn_nl_who *who)
{
	void *head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				 cb->nlh->nlmsg_seq, &netnice_nl_family, NLM_F_MULTI,
				 NETNICE_CMD_ATTACHMENT_GET);

	if (!head)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, head);
	if (__nn_nl_put_attachment(skb, &who->attachment) ||
	    __vif_nl_put_private(skb, vn, who)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

static struct vif_net *vif_nl_attachment_net(const struct netlink_callback *cb)
{
	return vif_net_of(sock_net(cb->skb->sk));
}

/* Is it in the tree, visible to this reader, and in the requested subtree? */
static bool __vif_nl_is_asked(const struct vif *vif, u64 top_ino)
{
	struct vif *top = top_ino ? vif_get_by_ino(top_ino) : NULL;
	bool is = !vif->dead && (top || !top_ino) &&
		  (!top || __nn_nl_may_find(top)) && __nn_nl_sees(vif, top);

	vif_put(top);
	return is;
}

static int vif_nl_dump_vif(struct sk_buff *skb, struct netlink_callback *cb,
			   const struct nn_nl_attachment_dump *dump, const struct nn_nl_who *who)
{
	struct vif *vif = who->attachment.vif;
	struct vif_net *vn = vif_nl_attachment_net(cb);
	int err = 0;

	if (vif->dev->net != vn)
		return 0;
	mutex_lock(&vn->lock);
	cb->seq = vn->changes;
	if (__vif_nl_is_asked(vif, dump->top))
		err = __vif_nl_dump_one(skb, cb, vn, who);
	mutex_unlock(&vn->lock);
	return err;
}

static int vif_nl_dump_vifs(struct sk_buff *skb, struct netlink_callback *cb,
			    struct vif_subject *subject, struct nn_nl_attachment_dump *dump,
			    struct nn_nl_who *who)
{
	int err = 0;

	while (!err && vif_subject_nth(subject, &dump->index,
				       &who->attachment.vif,
				       &who->attachment.origin)) {
		err = vif_nl_dump_vif(skb, cb, dump, who);
		vif_put(who->attachment.vif);
		if (!err)
			dump->index++;
	}
	return err;
}

static int vif_nl_dump_subject(struct sk_buff *skb, struct netlink_callback *cb,
			       struct vif_subject *subject, struct nn_nl_attachment_dump *dump)
{
	struct nn_nl_who who;
	int err = 0;

	if (subject->id != dump->partial)
		dump->index = 0;
	if (vif_nl_describe(subject, dump, &who))
		err = vif_nl_dump_vifs(skb, cb, subject, dump, &who);
	vif_target_put(&who.target);
	return err;
}

static int vif_nl_dump_all(struct sk_buff *skb, struct netlink_callback *cb,
			   struct nn_nl_attachment_dump *dump)
{
	struct vif_subject *subject;
	int err = 0;

	while (!err && (subject = vif_attached_after(vif_nl_attachment_net(cb), NULL,
							&dump->pos))) {
		err = vif_nl_dump_subject(skb, cb, subject, dump);
		/* it comes once more, if it is still there */
		if (err) {
			dump->partial = subject->id;
			dump->pos--;
		}
		vif_subject_put(subject);
		cond_resched();
	}
	return !err && fatal_signal_pending(current) ? -EINTR : err;
}

int netnice_nl_attachment_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct cred *cred = nn_nl_act_as_reader(cb->skb);
	struct vif_net *vn = vif_nl_attachment_net(cb);
	int err;

	err = vif_nl_dump_all(skb, cb, (struct nn_nl_attachment_dump *)cb->args[0]);
	/* the final message has the number of changes at the end */
	mutex_lock(&vn->lock);
	cb->seq = vn->changes;
	mutex_unlock(&vn->lock);
	revert_creds(cred);
	return skb->len ?: err;
}

static int vif_nl_attachment_find_top(struct netlink_callback *cb,
				      struct nn_nl_attachment_dump *dump)
{
	const struct cred *cred = nn_nl_act_as_reader(cb->skb);
	struct vif_net *vn = vif_nl_attachment_net(cb);
	struct vif *top;

	mutex_lock(&vn->lock);
	top = __nn_nl_find(vn, &names, nn_nl_dump_attrs(cb), cb->extack);
	if (!IS_ERR_OR_NULL(top))
		dump->top = top->ino;
	mutex_unlock(&vn->lock);
	revert_creds(cred);
	return PTR_ERR_OR_ZERO(top);
}

int netnice_nl_attachment_get_start(struct netlink_callback *cb)
{
	struct nn_nl_attachment_dump *dump = kvzalloc(sizeof(*dump), GFP_KERNEL_ACCOUNT);
	int err;

	if (!dump)
		return -ENOMEM;
	err = vif_nl_attachment_find_top(cb, dump);
	if (err) {
		kvfree(dump);
		return err;
	}
	dump->pid_ns = get_pid_ns(task_active_pid_ns(current));
	dump->cgroup = vif_cgroup_top();
	cb->min_dump_alloc = NN_NL_MESSAGE_SIZE;
	cb->args[0] = (long)dump;
	return 0;
}

int netnice_nl_attachment_get_done(struct netlink_callback *cb)
{
	struct nn_nl_attachment_dump *dump = (struct nn_nl_attachment_dump *)cb->args[0];

	put_pid_ns(dump->pid_ns);
	vif_cgroup_put(dump->cgroup);
	kvfree(dump);
	return 0;
}

/*
 * Report the VIFs of a process, thread or socket on a device, and who has decided them. Its link in
 * the file system shows the last attachment. A tool that restores an attachment, or creates VIFs
 * below, must know which user has made it, and if it is in force.
 */

/* It has up to four paths of up to 2048 bytes each, and numbers. */
#define MESSAGE_SIZE	(NN_NL_MESSAGE_SIZE + 4096)

static const struct nn_nl_names belonging_names = {
	.id = NETNICE_A_ATTACHMENT_VIF_ID,
	.ifindex = NETNICE_A_ATTACHMENT_IFINDEX,
	.device = NETNICE_A_ATTACHMENT_DEVICE,
	.path = NETNICE_A_ATTACHMENT_PATH,
};

static int
vif_nl_find_task(struct genl_info *info, struct nlattr *number, struct vif_target *target)
{
	target->pid = find_get_pid(nla_get_u32(number));
	if (target->pid && vif_access_task(target->pid))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, number,
			    "there is no such process or thread, or you have no power over it");
	return -ESRCH;
}

/*
 * Only one that is attached itself can be found by its number. That needs no power over a process,
 * which a socket need not have: the answer has no path that the reader may not search for.
 */
static int
vif_nl_find_socket(struct genl_info *info, struct nlattr *cookie, struct vif_target *target)
{
	const u64 number = nla_get_u64(cookie);
	struct vif_subject *subject;
	bool found = false;
	u64 pos = 0;

	while (!found && !fatal_signal_pending(current) &&
	       (subject = vif_attached_after(vif_net_of(genl_info_net(info)), NULL, &pos))) {
		if (subject->kind == VIF_SOCKET) {
			found = vif_target_of(subject, target) &&
				vif_sock_cookie(target->sk) == number;
			if (!found)
				vif_target_put(target);
		}
		vif_subject_put(subject);
		cond_resched();
	}
	if (found)
		return 0;
	*target = (struct vif_target) {};
	NL_SET_ERR_MSG_ATTR(info->extack, cookie, "no attached socket has this cookie");
	return -ENOENT;
}

/* The caller puts @target even after an error. */
static int vif_nl_find_target(struct genl_info *info, struct vif_target *target)
{
	struct nlattr *pid = info->attrs[NETNICE_A_ATTACHMENT_PID];
	struct nlattr *tid = info->attrs[NETNICE_A_ATTACHMENT_TID];
	struct nlattr *cookie = info->attrs[NETNICE_A_ATTACHMENT_COOKIE];

	*target = (struct vif_target) {};
	if (!!pid + !!tid + !!cookie != 1) {
		NL_SET_ERR_MSG(info->extack,
			       "name one process, thread or socket, and a device; or ask for a dump");
		return -EINVAL;
	}
	if (cookie)
		return vif_nl_find_socket(info, cookie, target);
	target->kind = pid ? VIF_PROCESS : VIF_THREAD;
	return vif_nl_find_task(info, pid ?: tid, target);
}

/*
 * Like a link's text, a path is not shown if it leads through a VIF that the reader may not search.
 */
static int __vif_nl_put_belonging_vif(struct sk_buff *skb, int type, const struct vif *vif)
{
	return vif && __nn_nl_may_find(vif) ? __nn_nl_put_path(skb, type, vif) : 0;
}

static int __vif_nl_put_belonging(struct sk_buff *skb, const struct net_device *dev,
				  const struct vif_net *vn, enum vif_kind kind,
				  const struct vif_belonging *belonging)
{
	if (nla_put_u32(skb, NETNICE_A_ATTACHMENT_IFINDEX, dev->ifindex) ||
	    nla_put_string(skb, NETNICE_A_ATTACHMENT_DEVICE, dev->name) ||
	    nla_put_u32(skb, NETNICE_A_ATTACHMENT_KIND, kind) ||
	    nla_put_u32(skb, NETNICE_A_ATTACHMENT_ORIGIN,
			vif_access_admin(vn) ? VIF_BY_ADMIN : VIF_BY_USER) ||
	    __vif_nl_put_belonging_vif(skb, NETNICE_A_ATTACHMENT_GIVEN,
				       belonging->own[VIF_BY_ADMIN]) ||
	    __vif_nl_put_belonging_vif(skb, NETNICE_A_ATTACHMENT_CHOSEN,
				       belonging->own[VIF_BY_USER]) ||
	    __vif_nl_put_belonging_vif(skb, NETNICE_A_ATTACHMENT_BASE, belonging->base))
		return -EMSGSIZE;
	return __vif_nl_put_belonging_vif(skb, NETNICE_A_ATTACHMENT_PATH, belonging->now);
}

static int __vif_nl_answer_belonging(struct sk_buff *skb, struct genl_info *info,
				     const struct vif_target *target)
{
	struct vif_net *vn = vif_net_of(genl_info_net(info));
	struct vif *vif = __nn_nl_find(vn, &belonging_names, info->attrs, info->extack);
	struct vif_belonging belonging;
	void *head;
	int err;

	if (IS_ERR(vif))
		return PTR_ERR(vif);
	if (!vif) {
		NL_SET_ERR_MSG(info->extack, "name the device, too");
		return -EINVAL;
	}
	head = genlmsg_put_reply(skb, info, &netnice_nl_family, 0, NETNICE_CMD_ATTACHMENT_GET);
	if (!head)
		return -EMSGSIZE;
	err = __vif_target_belonging(target, vif->dev, &belonging) ?:
	      __vif_nl_put_belonging(skb, vif->dev->dev, vn, target->kind, &belonging);
	vif_belonging_put(&belonging);
	if (!err)
		genlmsg_end(skb, head);
	return err;
}

int netnice_nl_attachment_get_doit(struct sk_buff *request, struct genl_info *info)
{
	struct vif_net *vn = vif_net_of(genl_info_net(info));
	struct sk_buff *skb = genlmsg_new(MESSAGE_SIZE, GFP_KERNEL);
	const struct cred *cred;
	struct vif_target target;
	int err;

	if (!skb)
		return -ENOMEM;
	cred = nn_nl_act_as_reader(request);
	err = vif_nl_find_target(info, &target);
	if (!err) {
		mutex_lock(&vn->lock);
		err = __vif_nl_answer_belonging(skb, info, &target);
		mutex_unlock(&vn->lock);
	}
	revert_creds(cred);
	vif_target_put(&target);
	if (!err)
		return genlmsg_reply(skb, info);
	nlmsg_free(skb);
	return err;
}
