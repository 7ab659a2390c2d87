// SPDX-License-Identifier: GPL-2.0
/*
 * The qdisc "netnice": the device itself drains its egress shaper.
 *
 * enqueue: the hook has seen the packet before tc and recorded its owner. Here the packet is queued
 * in its VIF. dequeue: the scheduler chooses a packet. If clocks delay all packets, the watchdog
 * wakes the device up in time.
 *
 * Packets that are not scheduled have a line of their own, which is served first: packets that keep
 * the link alive, packets that have passed the clocks already, and packets that cannot be limited
 * yet, because the hooks are not registered. A packet also uses this line if the queue is empty,
 * the device is free, and the clocks let it pass.
 *
 * Installing: until then the shaper's timer has sent queued packets, which are queued before tc.
 * vif_qdisc_init_sch() holds all packets (vif_shaper_hold()). When RTNL is free again, the qdisc is
 * in place, and vif_qdisc_takeover() moves queued packets through tc, in their order, into the line
 * `moved`, a batch at a time. When no packet is queued at the hook any more, the shaper is in
 * VIF_SHAPER_QDISC, and vif_qdisc_settle() queues that line in the VIFs before later packets, again
 * a batch at a time: new packets are appended to the line.
 *
 * Locks: vif_qdisc_init_sch() and vif_qdisc_destroy_sch() run under RTNL, and under the tree mutex
 * while a hook is registered. Neither waits for packets, or for other CPUs. The core takes the
 * qdisc's root lock around enqueue and dequeue; the shaper's lock nests inside it. The root lock
 * guards the lines and the qdisc's counters, unless no other code can reach them any more.
 */
#include "hooks.h"

#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/workqueue.h>

#include "../compat/drop.h"
#include "../compat/hooks.h"
#include "../compat/qdisc.h"
#include "../queue/shaper_qdisc.h"
#include "../tree/dev.h"
#include "../tree/net.h"

/* The maximum length of the line of packets that are not scheduled. */
#define EXPRESS_MAX	1000

/* The number of packets of the line `moved` that are queued in their VIFs for each call. */
#define SETTLE_MOST	32

/* A workqueue of its own: the takeover waits for RTNL, and other work waits for queued packets. */
static struct workqueue_struct *vif_qdisc_takeover_wq;

/**
 * struct vif_qdisc - a qdisc that is installed, or about to be
 * @sch: it
 * @vdev: its device's tree (referenced); NULL if there was an error
 * @express: packets that are not scheduled
 * @moved: packets that waited at the hook when the qdisc was installed
 * @watchdog: wakes the device up when a clock is ready
 * @later: it is set: a packet may become ready then
 */
struct vif_qdisc {
	struct Qdisc *sch;
	struct vif_dev *vdev;
	struct sk_buff_head express;
	struct sk_buff_head moved;
	struct qdisc_watchdog watchdog;
	bool later;
};

static struct vif_shaper *vif_qdisc_shaper_of(const struct vif_qdisc *q)
{
	return &q->vdev->shaper[VIF_EGRESS];
}

static struct vif_side *vif_qdisc_side_of(const struct vif_class *class)
{
	return &class->vif->side[VIF_EGRESS];
}

static void vif_qdisc_count_in(struct Qdisc *sch, const struct sk_buff *skb)
{
	qdisc_qstats_backlog_inc(sch, skb);
	qdisc_qlen_inc(sch);
}

static void vif_qdisc_count_out(struct Qdisc *sch, const struct sk_buff *skb)
{
	qdisc_qstats_backlog_dec(sch, skb);
	qdisc_qlen_dec(sch);
}

/**
 * struct vif_qdisc_level - what a qdisc holds at some time
 * @packets: its length
 * @bytes: its backlog
 */
struct vif_qdisc_level {
	int packets;
	int bytes;
};

static struct vif_qdisc_level vif_qdisc_level_of(const struct Qdisc *sch)
{
	return (struct vif_qdisc_level) { sch->q.qlen, sch->qstats.backlog };
}

/*
 * The parent qdisc counts the packet of a call itself: @own. Report other packets that were added
 * or removed since
 * @before.
 */
static void vif_qdisc_notify_parents(struct Qdisc *sch, struct vif_qdisc_level before,
				     struct vif_qdisc_level own)
{
	struct vif_qdisc_level now = vif_qdisc_level_of(sch);
	int packets = before.packets + own.packets - now.packets;
	int bytes = before.bytes + own.bytes - now.bytes;

	if (packets || bytes)
		qdisc_tree_reduce_backlog(sch, packets, bytes);
}

static int vif_qdisc_drop_one(struct Qdisc *sch, struct sk_buff *skb, enum vif_drop why,
			      struct sk_buff **to_free)
{
	vif_skb_cb(skb)->drop = why;
	return vif_qdisc_drop(skb, sch, to_free, vif_drop_reason(why));
}

/* Packets that the qdisc held. Returns whether @skb was one of them. */
static bool vif_qdisc_drop_all(struct Qdisc *sch, struct sk_buff_head *dropped,
			       const struct sk_buff *skb, struct sk_buff **to_free)
{
	struct sk_buff *victim;
	bool found = false;

	while ((victim = __skb_dequeue(dropped))) {
		found |= victim == skb;
		vif_qdisc_count_out(sch, victim);
		vif_qdisc_drop_one(sch, victim, vif_skb_cb(victim)->drop, to_free);
	}
	return found;
}

static int vif_qdisc_enqueue_line(struct Qdisc *sch, struct sk_buff_head *line,
				  struct sk_buff *skb)
{
	vif_qdisc_count_in(sch, skb);
	__skb_queue_tail(line, skb);
	return NET_XMIT_SUCCESS;
}

static int vif_qdisc_enqueue_segments(struct Qdisc *sch, const struct vif_class *class,
				      struct sk_buff *skb, struct sk_buff **to_free);

/* Queue it in its VIF, even if another packet must leave for it. */
static int vif_qdisc_enqueue_vif(struct Qdisc *sch, const struct vif_class *class,
				 struct sk_buff *skb, struct sk_buff **to_free)
{
	struct vif_qdisc *q = qdisc_priv(sch);
	struct sk_buff_head dropped;
	int ret = NET_XMIT_SUCCESS;

	__skb_queue_head_init(&dropped);
	switch (vif_shaper_enqueue(vif_qdisc_shaper_of(q), vif_qdisc_side_of(class), class->tag,
				   skb, &dropped)) {
	case VIF_SHAPER_QUEUED:
		vif_qdisc_count_in(sch, skb);
		if (vif_qdisc_drop_all(sch, &dropped, skb, to_free))
			ret = NET_XMIT_CN;
		return ret;
	case VIF_SHAPER_TOO_LONG:
		return vif_qdisc_enqueue_segments(sch, class, skb, to_free);
	default:
		vif_qdisc_drop_all(sch, &dropped, NULL, to_free);
		return vif_qdisc_drop_one(sch, skb, vif_skb_cb(skb)->drop, to_free);
	}
}

/* The sender sees a drop only if nothing of the packet is left. */
static int vif_qdisc_enqueue_segments(struct Qdisc *sch, const struct vif_class *class,
				      struct sk_buff *skb, struct sk_buff **to_free)
{
	struct vif_qdisc *q = qdisc_priv(sch);
	struct sk_buff *segs, *next;
	struct vif_wire wire = vif_wire_measure(skb);
	int ret = NET_XMIT_DROP;

	segs = vif_packet_segment_egress(skb, vif_shaper_segments(vif_qdisc_shaper_of(q),
								  vif_qdisc_side_of(class), skb));
	if (!segs) {
		vif_shaper_count_drop(vif_qdisc_shaper_of(q), vif_qdisc_side_of(class), skb->dev,
				      &wire, VIF_DROP_SEGMENT);
		return vif_qdisc_drop_one(sch, skb, VIF_DROP_SEGMENT, to_free);
	}
	skb_list_walk_safe(segs, skb, next) {
		skb_mark_not_on_list(skb);
		wire = vif_wire_measure(skb);
		vif_qdisc_note(skb, wire.bytes, wire.packets);
		if (vif_qdisc_enqueue_vif(sch, class, skb, to_free) == NET_XMIT_SUCCESS)
			ret = NET_XMIT_SUCCESS;
	}
	return ret;
}

/* @alone: nothing waits, and the device would send it at once */
static int vif_qdisc_schedule_packet(struct Qdisc *sch, struct sk_buff *skb, bool alone,
				     struct sk_buff **to_free)
{
	struct vif_qdisc *q = qdisc_priv(sch);
	struct vif_class class;

	vif_classify_queued(q->vdev, skb, &class);
	if (vif_program_has(class.vif, VIF_EGRESS) && !vif_input_choose(&class, VIF_EGRESS, skb))
		return vif_qdisc_drop_one(sch, skb, VIF_DROP_PROGRAM, to_free);
	/* if the VIF had no program, the hook has written the values of its VIF already */
	vif_mark_packet(class.vif, skb);
	if (alone && vif_shaper_pass(vif_qdisc_shaper_of(q), vif_qdisc_side_of(&class), skb))
		return vif_qdisc_enqueue_line(sch, &q->express, skb);
	vif_packet_disown(skb);
	return vif_qdisc_enqueue_vif(sch, &class, skb, to_free);
}

/*
 * Packets that were queued at the hook go first: queue them. vif_qdisc_dequeue() also calls this.
 * Return false if there are more.
 */
static bool vif_qdisc_settle(struct Qdisc *sch, struct sk_buff **to_free)
{
	struct vif_qdisc *q = qdisc_priv(sch);
	struct sk_buff *skb;
	unsigned int n;

	for (n = 0; n < SETTLE_MOST && (skb = __skb_dequeue(&q->moved)); n++) {
		vif_qdisc_count_out(sch, skb);
		vif_qdisc_schedule_packet(sch, skb, false, to_free);
	}
	return skb_queue_empty(&q->moved);
}

/* Would the device take a packet at once? */
static bool vif_qdisc_is_free(const struct Qdisc *sch, const struct sk_buff *skb)
{
	const struct netdev_queue *queue =
		netdev_get_tx_queue(qdisc_dev(sch), skb_get_queue_mapping(skb));

	return !sch->q.qlen && !netif_xmit_frozen_or_stopped(queue);
}

/* In modes before VIF_SHAPER_QDISC the hook has decided that already. */
static bool vif_qdisc_is_exempt(const struct vif_qdisc *q, const struct sk_buff *skb)
{
	return vif_egress_exempt(skb, vif_classify_sender(skb)) &&
	       (vif_shaper_mode(vif_qdisc_shaper_of(q)) != VIF_SHAPER_QDISC ||
		vif_shaper_pass_exempt(vif_qdisc_shaper_of(q), skb));
}

/* Not without hooks: a device that comes up may send before they are registered. */
static bool vif_qdisc_is_scheduled(const struct vif_qdisc *q, const struct sk_buff *skb)
{
	return vif_dev_is_hooked(q->vdev) &&
	       vif_shaper_mode(vif_qdisc_shaper_of(q)) >= VIF_SHAPER_MOVE &&
	       !vif_qdisc_is_exempt(q, skb);
}

static int vif_qdisc_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			     struct sk_buff **to_free)
{
	struct vif_qdisc_level before = vif_qdisc_level_of(sch), own = { 1, qdisc_pkt_len(skb) };
	struct vif_qdisc *q = qdisc_priv(sch);
	int ret;

	if (!vif_qdisc_is_scheduled(q, skb)) {
		if (skb_queue_len(&q->express) >= EXPRESS_MAX)
			return vif_qdisc_drop_one(sch, skb, VIF_DROP_OVERLIMIT, to_free);
		return vif_qdisc_enqueue_line(sch, &q->express, skb);
	}
	if (vif_shaper_mode(vif_qdisc_shaper_of(q)) == VIF_SHAPER_MOVE)
		return vif_qdisc_enqueue_line(sch, &q->moved, skb);
	rcu_read_lock();
	if (vif_qdisc_is_free(sch, skb))
		ret = vif_qdisc_schedule_packet(sch, skb, true, to_free);
	else if (vif_qdisc_settle(sch, to_free))
		ret = vif_qdisc_schedule_packet(sch, skb, false, to_free);
	else
		ret = vif_qdisc_enqueue_line(sch, &q->moved, skb);
	rcu_read_unlock();
	if (ret != NET_XMIT_SUCCESS)
		own = (struct vif_qdisc_level) { };
	vif_qdisc_notify_parents(sch, before, own);
	return ret;
}

static struct sk_buff *vif_qdisc_dequeue_vif(struct Qdisc *sch, struct sk_buff **to_free)
{
	struct vif_qdisc *q = qdisc_priv(sch);
	struct sk_buff_head dropped;
	struct sk_buff *skb;
	bool settled;
	u64 next_ns;

	if (vif_shaper_mode(vif_qdisc_shaper_of(q)) != VIF_SHAPER_QDISC)
		return NULL;
	rcu_read_lock();
	settled = vif_qdisc_settle(sch, to_free);
	rcu_read_unlock();
	__skb_queue_head_init(&dropped);
	skb = vif_shaper_dequeue(vif_qdisc_shaper_of(q), &next_ns, &dropped);
	vif_qdisc_drop_all(sch, &dropped, NULL, to_free);
	q->later = next_ns != VSCHED_NEVER;
	if (!skb && q->later) {
		qdisc_qstats_overlimit(sch);
		qdisc_watchdog_schedule_ns(&q->watchdog, vif_sched_to_ktime_ns(next_ns));
	}
	if (!skb && !settled)
		vif_shaper_kick(sch);
	return skb;
}

static struct sk_buff *vif_qdisc_send(struct Qdisc *sch, struct sk_buff *skb)
{
	vif_qdisc_count_out(sch, skb);
	qdisc_bstats_update(sch, skb);
	return skb;
}

static struct sk_buff *vif_qdisc_dequeue_scheduled(struct Qdisc *sch)
{
	struct vif_qdisc_level before = vif_qdisc_level_of(sch), own = { };
	struct sk_buff *skb, *victim, *next, *to_free = NULL;

	skb = vif_qdisc_dequeue_vif(sch, &to_free);
	if (skb) {
		vif_qdisc_send(sch, skb);
		own = (struct vif_qdisc_level) { -1, -(int)qdisc_pkt_len(skb) };
	}
	vif_qdisc_notify_parents(sch, before, own);
	skb_list_walk_safe(to_free, victim, next)
		vif_drop_skb(victim, vif_skb_cb(victim)->drop);
	return skb;
}

/* The core calls again after each packet: the length includes packets queued anywhere. */
static struct sk_buff *vif_qdisc_dequeue(struct Qdisc *sch)
{
	struct vif_qdisc *q = qdisc_priv(sch);
	struct sk_buff *skb;

	if (!sch->q.qlen && !q->later)
		return NULL;
	skb = __skb_dequeue(&q->express);
	return skb ? vif_qdisc_send(sch, skb) : vif_qdisc_dequeue_scheduled(sch);
}

static void vif_qdisc_purge_line(struct sk_buff_head *line)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(line)))
		rtnl_kfree_skbs(skb, skb);
}

/* The core clears the counters after that. */
static void vif_qdisc_reset(struct Qdisc *sch)
{
	struct vif_qdisc *q = qdisc_priv(sch);

	if (!q->vdev)
		return;
	qdisc_watchdog_cancel(&q->watchdog);
	vif_qdisc_purge_line(&q->express);
	vif_qdisc_purge_line(&q->moved);
	vif_shaper_purge(vif_qdisc_shaper_of(q));
	q->later = false;
}

static void vif_qdisc_begin_takeover(struct vif_dev *vdev)
{
	refcount_inc(&vdev->refs);
	if (!queue_work(vif_qdisc_takeover_wq, &vdev->takeover))
		vif_dev_put(vdev);
}

/* Holds RTNL, because the qdisc is installed and removed under RTNL. */
void vif_qdisc_takeover(struct work_struct *work)
{
	struct vif_dev *vdev = container_of(work, struct vif_dev, takeover);
	struct vif_shaper *shaper = &vdev->shaper[VIF_EGRESS];
	bool more;

	vif_shaper_await_held(shaper);
	rtnl_lock();
	more = vif_shaper_move(shaper);
	if (!more && vif_shaper_mode(shaper) == VIF_SHAPER_QDISC)
		vif_shaper_kick(shaper->sch);
	rtnl_unlock();
	if (more)
		vif_qdisc_begin_takeover(vdev);
	vif_dev_put(vdev);
}

/*
 * Limits hold only if everything that the device sends comes here: as the root
 * does, and below tbf, which has nothing else below it.
 */
static int vif_qdisc_check_place(struct Qdisc *sch, struct netlink_ext_ack *extack)
{
	const struct Qdisc *root = rtnl_dereference(qdisc_dev(sch)->qdisc);

	if (sch->parent == TC_H_ROOT)
		return 0;
	if (root && root->handle == TC_H_MAJ(sch->parent) &&
	    !strcmp(root->ops->id, "tbf"))
		return 0;
	NL_SET_ERR_MSG(extack,
		       "netnice: only as the root qdisc, or below a tbf that is the root: a limit holds only where all packets pass");
	return -EOPNOTSUPP;
}

static int vif_qdisc_check_options(const struct nlattr *options,
				   struct netlink_ext_ack *extack)
{
	if (!options || !nla_len(options))
		return 0;
	NL_SET_ERR_MSG(extack,
		       "netnice: has no options: VIFs are set up in /proc/network");
	return -EINVAL;
}

/* Nothing was limited until now if the hooks are not there yet. */
static int __vif_qdisc_install(struct vif_qdisc *q, struct vif_dev *vdev,
			       struct netlink_ext_ack *extack)
{
	struct vif_shaper *shaper = &vdev->shaper[VIF_EGRESS];
	bool limited = vdev->hooked || vdev->used;
	int err;

	lockdep_assert_held(&vdev->net->lock);
	if (shaper->sch) {
		NL_SET_ERR_MSG(extack,
			       "netnice: the device has this qdisc already: delete that one first");
		return -EBUSY;
	}
	err = vif_dev_use(vdev);
	if (err && err != -ENOMEM)
		NL_SET_ERR_MSG(extack,
			       "netnice: the kernel refuses the hooks: " VIF_HOOKS_OPTIONS
			       " are needed");
	if (err)
		return err;
	q->vdev = vdev;
	if (!limited)
		vif_shaper_give(shaper, q->sch);
	return 0;
}

static int vif_qdisc_init_sch(struct Qdisc *sch, struct nlattr *options,
			      struct netlink_ext_ack *extack)
{
	struct vif_qdisc *q = qdisc_priv(sch);
	struct vif_dev *vdev;
	int err;

	q->sch = sch;
	__skb_queue_head_init(&q->express);
	__skb_queue_head_init(&q->moved);
	qdisc_watchdog_init(&q->watchdog, sch);
	err = vif_qdisc_check_options(options, extack);
	if (!err)
		err = vif_qdisc_check_place(sch, extack);
	if (err)
		return err;
	vdev = vif_dev_of(qdisc_dev(sch));
	if (!vdev) {
		NL_SET_ERR_MSG(extack,
			       "netnice: the device has no VIFs: no memory, or a namespace without (parameter user_namespaces)");
		return -ENODEV;
	}
	mutex_lock(&vdev->net->lock);
	err = __vif_qdisc_install(q, vdev, extack);
	mutex_unlock(&vdev->net->lock);
	if (err) {
		vif_dev_put(vdev);
	} else if (vif_shaper_mode(vif_qdisc_shaper_of(q)) == VIF_SHAPER_TIMER) {
		vif_shaper_hold(vif_qdisc_shaper_of(q), sch);
		vif_qdisc_begin_takeover(vdev);
	}
	return err;
}

/* Nothing is enqueued any more, and what waited for the device is purged. */
static void vif_qdisc_destroy_sch(struct Qdisc *sch)
{
	struct vif_qdisc *q = qdisc_priv(sch);
	struct vif_dev *vdev = q->vdev;

	if (!vdev)
		return;
	vif_qdisc_reset(sch);
	vif_shaper_release(vif_qdisc_shaper_of(q));
	mutex_lock(&vdev->net->lock);
	vif_dev_unuse(vdev);
	mutex_unlock(&vdev->net->lock);
	vif_dev_put(vdev);
}

static int vif_qdisc_change(struct Qdisc *sch, struct nlattr *options,
			    struct netlink_ext_ack *extack)
{
	return vif_qdisc_check_options(options, extack);
}

static struct Qdisc_ops vif_qdisc_ops __read_mostly = {
	.id = "netnice",
	.priv_size = sizeof(struct vif_qdisc),
	.enqueue = vif_qdisc_enqueue,
	.dequeue = vif_qdisc_dequeue,
	.peek = qdisc_peek_dequeued,
	.init = vif_qdisc_init_sch,
	.reset = vif_qdisc_reset,
	.destroy = vif_qdisc_destroy_sch,
	.change = vif_qdisc_change,
	.owner = THIS_MODULE,
};

int vif_qdisc_init(void)
{
	int err;

	vif_qdisc_takeover_wq = alloc_workqueue("netnice_takeover", WQ_UNBOUND, 0);
	if (!vif_qdisc_takeover_wq)
		return -ENOMEM;
	err = register_qdisc(&vif_qdisc_ops);
	if (err)
		destroy_workqueue(vif_qdisc_takeover_wq);
	return err;
}

/* A takeover that still runs for a deleted qdisc finds this out. */
void vif_qdisc_exit(void)
{
	unregister_qdisc(&vif_qdisc_ops);
	destroy_workqueue(vif_qdisc_takeover_wq);
}
