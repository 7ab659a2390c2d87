// SPDX-License-Identifier: GPL-2.0
/*
 * Where one process, thread or socket belongs on a device, and by whose decision. Its link in
 * the file system shows what was attached last; a tool that restores an attachment, or builds
 * upon one, has to know who made it, and whether it counts.
 */
#include <linux/cred.h>
#include <linux/pid.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include <linux/netnice_netlink.h>
#include "../attach/sock_cookie.h"
#include "../attach/target.h"
#include "../compat/netlink.h"
#include "../tree/access.h"
#include "../tree/dev.h"
#include "../tree/net.h"
#include "../tree/vif.h"
#include "nl_access.h"
#include "nl_gen.h"
#include "nl_vif.h"

/* Four paths, of up to 2048 bytes each, and numbers */
#define MESSAGE_SIZE	(NN_NL_MESSAGE_SIZE + 4096)

static const struct nn_nl_names names = {
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

/* @target is to be put in any case. */
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

/* As the text of a link, a path tells nothing of VIFs below one that may not be searched. */
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
	struct vif *vif = __nn_nl_find(vn, &names, info->attrs, info->extack);
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
