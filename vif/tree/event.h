/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: tell listeners outside the module about changes of VIFs and attachments. A message is
 * created where the change happens, in process context, with the tree mutex held, and possibly
 * RTNL. Users choose the number of listeners. So a worker of the namespace sends the messages,
 * without these locks and in their order.
 */
#ifndef NETNICE_VIF_EVENT_H
#define NETNICE_VIF_EVENT_H

#include <linux/list.h>
#include <linux/types.h>

#include "kind.h"

struct net;
struct sk_buff;
struct sock;
struct vif;
struct vif_net;
struct work_struct;

enum vif_event {
	VIF_EVENT_NEW,
	VIF_EVENT_DEL,
	VIF_EVENT_SET,
	VIF_EVENT_MOVE,
};

/**
 * struct vif_place - where a VIF is, or is going to be
 * @parent: the VIF above, NULL for a root VIF
 * @name: its name there, terminated or not, as the device's of a root VIF
 * @len: length of @name
 */
struct vif_place {
	const struct vif *parent;
	const char *name;
	size_t len;
};

/**
 * struct vif_attachment - an event of an attachment
 * @vif: the VIF
 * @origin: administrator or user
 * @kind: its kind
 * @pid: a process, or a thread's, as its own namespace numbers it
 * @number: see struct vif_subject_id
 * @sk: a socket, referenced
 * @attached: has been attached; or else detached
 */
struct vif_attachment {
	struct vif *vif;
	enum vif_origin origin;
	enum vif_kind kind;
	pid_t pid;
	u64 number;
	struct sock *sk;
	bool attached;
};

/**
 * struct vif_news - a message that is still to be sent
 * @link: of struct vif_net.news
 * @skb: the message
 *
 * The first member of what kmalloc() has returned.
 */
struct vif_news {
	struct list_head link;
	struct sk_buff *skb;
};

/**
 * struct vif_event_ops - the functions of the listener
 * @vif: a VIF has been created or set, is about to be removed, or is about to be moved to the given
 *	place
 * @attachment: an object has been attached or detached
 * @send: send a message, and take it over: @news->skb is NULL then
 * @lost: messages have been lost
 *
 * The first two queue messages by vif_event_queue(). Context: process, may sleep; the tree mutex is
 * held. The last two are called without locks.
 */
struct vif_event_ops {
	void (*vif)(struct vif *vif, enum vif_event what,
		    const struct vif_place *to);
	void (*attachment)(const struct vif_attachment *attachment);
	void (*send)(struct net *net, struct vif_news *news);
	void (*lost)(struct net *net);
};

/**
 * vif_event_listen() - register for events
 * @ops: NULL to unregister: no call is running on return
 *
 * Context: process, without locks.
 */
void vif_event_listen(const struct vif_event_ops *ops);

/* See struct vif_event_ops. Each makes dumps under way inconsistent. */
void vif_event(struct vif *vif, enum vif_event what);
void vif_event_move(struct vif *vif, const struct vif_place *to);
void vif_event_attachment(const struct vif_attachment *attachment);

/**
 * vif_event_queue() - have a message be sent
 * @vn: the namespace
 * @news: the message, which is taken over; NULL if there was no memory for it
 *
 * Context: process; the tree mutex is held.
 */
void vif_event_queue(struct vif_net *vn, struct vif_news *news);

/* Runs struct vif_net.tell. */
void vif_event_tell(struct work_struct *work);

#endif
