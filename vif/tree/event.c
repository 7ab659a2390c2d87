// SPDX-License-Identifier: GPL-2.0
/*
 * There is one listener. A semaphore, taken under tree mutexes, keeps it registered while it is
 * called.
 */
#include "event.h"

#include <linux/jiffies.h>
#include <linux/rwsem.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "../trace/events.h"
#include "net.h"
#include "tree.h"

/* Messages of a namespace that wait. */
#define NEWS_MOST	1024

/*
 * Users choose the number of listeners and the frequency of events. So the worker rests for this
 * number of ticks for each tick in which it sends, and takes a tenth of a CPU at most. With a few
 * listeners, sending takes less than a tick.
 */
#define NEWS_REST	9

static DECLARE_RWSEM(vif_event_listener_sem);
static const struct vif_event_ops *vif_event_listener;

void vif_event_listen(const struct vif_event_ops *ops)
{
	down_write(&vif_event_listener_sem);
	vif_event_listener = ops;
	up_write(&vif_event_listener_sem);
}

/* 0 is for dumps that have not begun. */
static void __vif_event_changed(struct vif *vif)
{
	struct vif_net *vn = vif_net_of_vif(vif);

	lockdep_assert_held(&vn->lock);
	if (!++vn->changes)
		vn->changes++;
}

static void vif_event_notify(struct vif *vif, enum vif_event what,
			     const struct vif_place *to)
{
	__vif_event_changed(vif);
	down_read(&vif_event_listener_sem);
	if (vif_event_listener)
		vif_event_listener->vif(vif, what, to);
	up_read(&vif_event_listener_sem);
}

void vif_event(struct vif *vif, enum vif_event what)
{
	vif_event_notify(vif, what, NULL);
}

void vif_event_move(struct vif *vif, const struct vif_place *to)
{
	vif_event_notify(vif, VIF_EVENT_MOVE, to);
}

void vif_event_attachment(const struct vif_attachment *attachment)
{
	struct vif *vif = attachment->vif;

	__vif_event_changed(vif);
	trace_netnice_attach(vif->dev->dev, vif->ino, attachment->attached, attachment->kind,
			     attachment->pid, attachment->number);
	down_read(&vif_event_listener_sem);
	if (vif_event_listener)
		vif_event_listener->attachment(attachment);
	up_read(&vif_event_listener_sem);
}

static void vif_event_drop(struct vif_news *news)
{
	kfree_skb(news->skb);
	kfree(news);
}

static void vif_event_schedule(struct vif_net *vn, unsigned long delay)
{
	vif_net_get(vn);
	if (!queue_delayed_work(vif_wq, &vn->tell, delay))
		vif_net_put(vn);
}

void vif_event_queue(struct vif_net *vn, struct vif_news *news)
{
	lockdep_assert_held(&vn->lock);
	if (news && vn->n_news < NEWS_MOST) {
		list_add_tail(&news->link, &vn->news);
		vn->n_news++;
	} else {
		vn->news_lost = true;
		if (news)
			vif_event_drop(news);
	}
	if (!vn->telling)
		vif_event_schedule(vn, 0);
	vn->telling = true;
}

/* The oldest message, or NULL; @net is referenced, or NULL if it ends: it has no listeners then. */
static struct vif_news *vif_event_next(struct vif_net *vn, struct net **net, bool *lost)
{
	struct vif_news *news;

	mutex_lock(&vn->lock);
	*net = vn->net ? maybe_get_net(vn->net) : NULL;
	*lost = vn->news_lost;
	vn->news_lost = false;
	news = list_first_entry_or_null(&vn->news, struct vif_news, link);
	if (news) {
		list_del(&news->link);
		vn->n_news--;
	}
	mutex_unlock(&vn->lock);
	return news;
}

static void vif_event_send(struct net *net, struct vif_news *news, bool lost)
{
	down_read(&vif_event_listener_sem);
	if (vif_event_listener && lost)
		vif_event_listener->lost(net);
	if (vif_event_listener && news)
		vif_event_listener->send(net, news);
	up_read(&vif_event_listener_sem);
}

static void vif_event_notify_one(struct vif_net *vn)
{
	struct vif_news *news;
	struct net *net;
	bool lost;

	news = vif_event_next(vn, &net, &lost);
	if (net) {
		vif_event_send(net, news, lost);
		put_net(net);
	}
	if (news)
		vif_event_drop(news);
}

/*
 * Return false if no message is left. A worker that is going to rest, for @ticks, stays
 * responsible: later messages wait for it. If the namespace has ended, messages are only
 * dropped, and @ticks is set to 0: a timer would outlive the module.
 */
static bool vif_event_continue(struct vif_net *vn, unsigned long *ticks)
{
	bool more;

	mutex_lock(&vn->lock);
	if (!vn->net)
		*ticks = 0;
	more = !list_empty(&vn->news) || vn->news_lost;
	vn->telling = more || *ticks;
	mutex_unlock(&vn->lock);
	return more;
}

void vif_event_tell(struct work_struct *work)
{
	struct vif_net *vn = container_of(to_delayed_work(work), struct vif_net, tell);
	const unsigned long begin = jiffies;
	unsigned long ticks;

	do {
		vif_event_notify_one(vn);
		cond_resched();
		ticks = jiffies - begin;
	} while (vif_event_continue(vn, &ticks) && !ticks);
	if (ticks)
		vif_event_schedule(vn, NEWS_REST * ticks);
	vif_net_put(vn);
}
