// SPDX-License-Identifier: GPL-2.0
/*
 * Events as messages. A message is created where the change happens, with the tree mutex held, if
 * the group has listeners. It is sent later, without the mutex, in order. The permissions of each
 * listener are checked against the owners that the VIFs had at the time of the event, which are
 * stored with it.
 *
 * A listener cannot go away during this check: before its file releases the credentials with which
 * it was opened, its socket leaves the group, which waits for messages that are being sent.
 */
#include "netlink.h"

#include <linux/build_bug.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include <linux/netnice_netlink.h>
#include "../compat/netlink.h"
#include "../queue/account.h"
#include "../tree/access.h"
#include "../tree/dev.h"
#include "../tree/event.h"
#include "../tree/net.h"
#include "../tree/vif.h"
#include "nl_gen.h"

static const u8 commands[] = {
	[VIF_EVENT_NEW] = NETNICE_CMD_VIF_NEW,
	[VIF_EVENT_DEL] = NETNICE_CMD_VIF_DEL,
	[VIF_EVENT_SET] = NETNICE_CMD_VIF_SET,
	[VIF_EVENT_MOVE] = NETNICE_CMD_VIF_MOVE,
};

/**
 * struct nn_nl_audience - selects listeners of an event
 * @vif: the VIF of the event
 * @to: the VIF that will be above, if it moves
 * @before: select listeners that see the VIF now, or those that do not
 * @after: of these, select listeners that will see it after the move, or those that will not
 */
struct nn_nl_audience {
	const struct vif *vif;
	const struct vif *to;
	bool before;
	bool after;
};

/**
 * struct nn_nl_news - an event, and the data that selects its listeners
 * @news: the message
 * @before: see struct nn_nl_audience
 * @after: see struct nn_nl_audience
 * @above: number of VIFs above the VIF
 * @above_then: number of VIFs above its future place; 0: it does not move to another VIF
 * @owner: the owners of the VIF, of the VIFs above it, and of the VIFs above its future place
 */
struct nn_nl_news {
	struct vif_news news;
	bool before;
	bool after;
	unsigned int above;
	unsigned int above_then;
	struct vif_owner owner[];
};

static_assert(!offsetof(struct nn_nl_news, news));

static bool vif_nl_may_list_all(const struct vif_owner *owner, unsigned int n)
{
	while (n--)
		if (!vif_access_owned(owner++, MAY_READ | MAY_EXEC))
			return false;
	return true;
}

/* Decide like __nn_nl_sees(). */
static bool vif_nl_may_see_news(const struct nn_nl_news *news)
{
	const struct vif_owner *above = news->owner + 1;
	bool reads = vif_access_owned(news->owner, MAY_EXEC);

	return (reads && vif_nl_may_list_all(above, news->above)) == news->before &&
	       (!news->above_then ||
		(reads && vif_nl_may_list_all(above + news->above, news->above_then)) ==
			news->after);
}

/* Return 0 to send the event to this listener. */
static int vif_nl_filter_listener(struct sock *listener, struct sk_buff *skb, void *arg)
{
	const struct socket *sock = listener->sk_socket;
	const struct cred *cred;
	bool is_told;

	if (!sock || !sock->file)
		return 1;
	cred = override_creds(sock->file->f_cred);
	is_told = vif_nl_may_see_news(arg);
	revert_creds(cred);
	return !is_told;
}

static struct vif_owner *vif_nl_put_owners(struct vif_owner *owner, const struct vif *vif)
{
	for (; vif; vif = vif->parent)
		*owner++ = __vif_owner(vif);
	return owner;
}

/* Return NULL if there is no memory. */
static struct vif_news *vif_nl_alloc_news(const struct nn_nl_audience *audience,
					  struct sk_buff *skb)
{
	const struct vif *vif = audience->vif, *to = audience->to;
	unsigned int above_then = to ? to->depth + 1 : 0;
	struct vif_owner *owner;
	struct nn_nl_news *news;

	news = kmalloc(struct_size(news, owner, 1 + vif->depth + above_then), VIF_GFP);
	if (!news)
		return NULL;
	news->news.skb = skb;
	news->before = audience->before;
	news->after = audience->after;
	news->above = vif->depth;
	news->above_then = above_then;
	owner = vif_nl_put_owners(news->owner, vif);
	vif_nl_put_owners(owner, to);
	return &news->news;
}

static void vif_nl_send_event(struct net *net, struct vif_news *news)
{
	struct sk_buff *skb = news->skb;

	news->skb = NULL;
	nn_nl_multicast(&netnice_nl_family, net, skb, vif_nl_filter_listener,
			container_of(news, struct nn_nl_news, news));
}

static void vif_nl_event_lost(struct net *net)
{
	genl_set_err(&netnice_nl_family, net, 0, 0, -ENOBUFS);
}

/* Return NULL if there is no listener; or no memory, which listeners are notified of. */
static struct sk_buff *vif_nl_begin_event(const struct vif *vif, u8 command, void **head)
{
	struct vif_net *vn = vif_net_of_vif(vif);
	struct sk_buff *skb;

	lockdep_assert_held(&vn->lock);
	if (!vn->net || !genl_has_listeners(&netnice_nl_family, vn->net, 0))
		return NULL;
	skb = genlmsg_new(NN_NL_MESSAGE_SIZE, VIF_GFP);
	if (skb)
		*head = genlmsg_put(skb, 0, 0, &netnice_nl_family, 0, command);
	else
		vif_event_queue(vn, NULL);
	return skb;
}

static void
vif_nl_queue_event(const struct nn_nl_audience *audience, struct sk_buff *skb, void *head, int err)
{
	struct vif_news *news;

	if (WARN_ON_ONCE(!head || err)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, head);
	news = vif_nl_alloc_news(audience, skb);
	if (!news)
		nlmsg_free(skb);
	vif_event_queue(vif_net_of_vif(audience->vif), news);
}

/* Users are numbered as in the user namespace of the network namespace. */
static int __vif_nl_put_event_vif(struct sk_buff *skb, struct vif *vif, enum vif_event what,
				  const struct vif_place *to)
{
	struct user_namespace *ns = vif_net_of_vif(vif)->user_ns;

	if (__nn_nl_put_vif_place(skb, vif, to, what == VIF_EVENT_MOVE))
		return -EMSGSIZE;
	if (what == VIF_EVENT_DEL)
		return 0;
	if (__nn_nl_put_vif_owner(skb, vif, ns))
		return -EMSGSIZE;
	return __nn_nl_put_vif_files(skb, vif, ns, false);
}

static void vif_nl_notify(struct vif *vif, enum vif_event what,
			  const struct vif_place *to, struct nn_nl_audience *audience)
{
	struct sk_buff *skb;
	void *head;

	skb = vif_nl_begin_event(vif, commands[what], &head);
	if (skb)
		vif_nl_queue_event(audience, skb, head,
				   head ? __vif_nl_put_event_vif(skb, vif, what, to) : 0);
}

/* A listener that may see only one of both places must not learn the other one. */
static void vif_nl_notify_move(struct vif *vif, const struct vif_place *to)
{
	vif_nl_notify(vif, VIF_EVENT_MOVE, to,
		      &(struct nn_nl_audience) { vif, to->parent, true, true });
	if (!NN_NL_CAN_CHOOSE)
		return;
	vif_nl_notify(vif, VIF_EVENT_DEL, NULL,
		      &(struct nn_nl_audience) { vif, to->parent, true, false });
	vif_nl_notify(vif, VIF_EVENT_NEW, to,
		      &(struct nn_nl_audience) { vif, to->parent, false, true });
}

static void vif_nl_notify_vif(struct vif *vif, enum vif_event what,
			      const struct vif_place *to)
{
	/* it is being removed, which has been told of its root VIF */
	if (!vif->dev->dev)
		return;
	if (to && to->parent != vif->parent)
		vif_nl_notify_move(vif, to);
	else
		vif_nl_notify(vif, what, to, &(struct nn_nl_audience) { vif, NULL, true });
}

static int __vif_nl_put_attachment(struct sk_buff *skb,
				   const struct vif_attachment *attachment)
{
	int err = __nn_nl_put_attachment(skb, attachment);

	if (err || !attachment->pid)
		return err;
	return nn_nl_put_pids(skb, attachment->pid,
			      attachment->kind == VIF_THREAD ?
			      attachment->number : 0);
}

static void vif_nl_notify_attachment(const struct vif_attachment *attachment)
{
	struct vif *vif = attachment->vif;
	struct sk_buff *skb;
	void *head;

	skb = vif_nl_begin_event(vif, attachment->attached ? NETNICE_CMD_ATTACH :
						NETNICE_CMD_DETACH, &head);
	if (skb)
		vif_nl_queue_event(&(struct nn_nl_audience) { vif, NULL, true }, skb, head,
				   head ? __vif_nl_put_attachment(skb, attachment) : 0);
}

static const struct vif_event_ops nn_nl_event_ops = {
	.vif		= vif_nl_notify_vif,
	.attachment	= vif_nl_notify_attachment,
	.send		= vif_nl_send_event,
	.lost		= vif_nl_event_lost,
};

int nn_nl_event_init(void)
{
	vif_event_listen(&nn_nl_event_ops);
	return 0;
}

void nn_nl_event_exit(void)
{
	vif_event_listen(NULL);
}
