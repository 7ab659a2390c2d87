// SPDX-License-Identifier: GPL-2.0
/*
 * Events are made and sent where they happen, with the tree mutex held, if there is
 * anybody in the group. So they come in their order, and each listener's permissions are
 * judged by the tree as it is.
 *
 * A listener that is asked about cannot go: a socket leaves the group, waiting for all
 * that is being sent, before its file lets go of the credentials it was opened with.
 */
#include "nl_event.h"

#include <linux/cred.h>
#include <linux/fs.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include <linux/netnice_netlink.h>
#include "compat/netlink.h"
#include "dev.h"
#include "net.h"
#include "nl_access.h"
#include "nl_attachment.h"
#include "nl_family.h"
#include "nl_vif.h"
#include "vif.h"

static const u8 commands[] = {
	[VIF_EVENT_NEW] = NETNICE_CMD_VIF_NEW,
	[VIF_EVENT_DEL] = NETNICE_CMD_VIF_DEL,
	[VIF_EVENT_SET] = NETNICE_CMD_VIF_SET,
	[VIF_EVENT_MOVE] = NETNICE_CMD_VIF_MOVE,
};

/* 0: he is told. */
static int filter(struct sock *listener, struct sk_buff *skb, void *arg)
{
	const struct socket *sock = listener->sk_socket;
	const struct vif *vif = arg;
	const struct cred *cred;
	bool sees;

	if (!sock || !sock->file)
		return 1;
	cred = override_creds(sock->file->f_cred);
	sees = __nn_nl_sees(vif, NULL);
	revert_creds(cred);
	return !sees;
}

/* NULL if nobody is there, or there is no memory. */
static struct sk_buff *begin(const struct vif *vif, u8 command, void **head)
{
	const struct vif_net *vn = vif_net_of_vif(vif);
	struct sk_buff *skb;

	lockdep_assert_held(&vn->lock);
	if (!vn->net || !genl_has_listeners(&nn_nl_family, vn->net, 0))
		return NULL;
	skb = genlmsg_new(NN_NL_MESSAGE_SIZE, GFP_KERNEL);
	if (!skb)
		return NULL;
	*head = genlmsg_put(skb, 0, 0, &nn_nl_family, 0, command);
	return skb;
}

static void send(struct vif *vif, struct sk_buff *skb, void *head, int err)
{
	if (WARN_ON_ONCE(!head || err)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, head);
	nn_nl_multicast(&nn_nl_family, vif_net_of_vif(vif)->net, skb, filter,
			vif);
}

/* Users are numbered as in the user namespace of the network namespace. */
static int __put_vif(struct sk_buff *skb, struct vif *vif, enum vif_event what,
		     const struct vif_place *to)
{
	if (__nn_nl_put_vif_place(skb, vif, to))
		return -EMSGSIZE;
	if (what == VIF_EVENT_DEL)
		return 0;
	if (__nn_nl_put_vif_owner(skb, vif, vif_net_of_vif(vif)->user_ns))
		return -EMSGSIZE;
	return __nn_nl_put_vif_files(skb, vif, false);
}

static void tell_vif(struct vif *vif, enum vif_event what,
		     const struct vif_place *to)
{
	struct sk_buff *skb;
	void *head;

	/* it is being removed, which has been told of its root VIF */
	if (!vif->dev->dev)
		return;
	skb = begin(vif, commands[what], &head);
	if (skb)
		send(vif, skb, head, head ? __put_vif(skb, vif, what, to) : 0);
}

static int __put_attachment(struct sk_buff *skb,
			    const struct vif_attachment *attachment)
{
	int err = __nn_nl_put_attachment(skb, attachment);

	if (err || !attachment->pid)
		return err;
	return nn_nl_put_pids(skb, attachment->pid,
			      attachment->kind == VIF_THREAD ?
			      attachment->number : 0);
}

static void tell_attachment(const struct vif_attachment *attachment)
{
	struct vif *vif = attachment->vif;
	struct sk_buff *skb;
	void *head;

	skb = begin(vif, attachment->attached ? NETNICE_CMD_ATTACH :
						NETNICE_CMD_DETACH, &head);
	if (skb)
		send(vif, skb, head,
		     head ? __put_attachment(skb, attachment) : 0);
}

const struct vif_event_ops nn_nl_event_ops = {
	.vif		= tell_vif,
	.attachment	= tell_attachment,
};
