// SPDX-License-Identifier: GPL-2.0
#include "label.h"

#include <linux/sched.h>
#include <net/request_sock.h>
#include <net/sock.h>

#include "cgroup.h"
#include "demux.h"
#include "dev.h"
#include "flow.h"
#include "resolve.h"
#include "seek.h"
#include "sock.h"
#include "task.h"

/* What was received by a device that is attached. */
static struct vif *device_vif(struct vif_dev *vdev, const struct sk_buff *skb)
{
	struct vif *vif[VIF_BYS];
	struct net_device *in;

	if (!vif_subject_any(VIF_DEVICE))
		return NULL;
	in = dev_get_by_index_rcu(dev_net(skb->dev), skb->skb_iif);
	if (!in)
		return NULL;
	vif_subject_vifs(vif_subject_find(in), vdev, vif);
	return vif[VIF_GIVEN];
}

static struct vif *owners_vif(struct vif_dev *vdev,
			      const struct vif_sock_owners *owners)
{
	return vif_resolve(vdev, owners->self, owners->task, owners->cgroup);
}

/* By a socket that has nothing waiting which could be overtaken. */
static struct vif *sock_vif(struct vif_dev *vdev, struct sock *sk)
{
	struct vif_sock_owners owners;

	vif_sock_owners(sk, &owners);
	return owners_vif(vdev, &owners);
}

static struct vif_label full_label(struct vif_dev *vdev, struct sock *sk,
				   const struct vif_sock_owners *owners,
				   enum vif_dir dir)
{
	struct vif_label label = {
		.vif = owners_vif(vdev, owners),
		.tag = vif_sock_tag(sk),
	};

	if (owners->record)
		label.was = vif_sock_goes_by(owners->record, label.vif, dir);
	else if (!owners->known && label.vif != vdev->root)
		/* for the next change, and for what is found by its flow */
		vif_sock_keep(sk);
	return label;
}

/*
 * Is the running task the sender? Not in softirq, which borrows whatever task
 * it interrupts; nor if the packet has been received before: the write to a
 * tap runs the whole receive path in its writer's context. There TCP also
 * answers with packets of its own; but only who sends holds the socket.
 */
static bool current_is_sender(const struct sk_buff *skb, const struct sock *sk)
{
	return !in_serving_softirq() && !in_hardirq() &&
	       !(current->flags & PF_KTHREAD) && !skb->skb_iif &&
	       (!sk_is_tcp(sk) || sock_owned_by_user_nocheck(sk));
}

static struct vif_label label_sent(struct vif_dev *vdev,
				   const struct sk_buff *skb, struct sock *sk)
{
	struct vif_sock_owners owners;
	struct vif_subject *task = NULL;
	struct vif_label label;
	bool sender = current_is_sender(skb, sk);

	if (sender) {
		task = vif_task_current();
		vif_sock_used_by(sk, task);
	}
	vif_sock_owners(sk, &owners);
	/* whether there was memory for a record or not */
	if (sender)
		owners.task = task;
	label = full_label(vdev, sk, &owners, VIF_EGRESS);
	/* what is answered to it may have to be found by its flow */
	if (label.vif != vdev->root)
		vif_flow_sent(sock_net(sk), skb, sk);
	return label;
}

/*
 * Without a socket of a user in this namespace? The kernel's are nobody's, and a
 * tap's is not that of a sender.
 */
static bool is_nobodys(const struct sk_buff *skb, const struct sock *sk)
{
	return !sk || skb->skb_iif || !net_eq(sock_net(sk), dev_net(skb->dev)) ||
	       (sk_fullsock(sk) && !sk->sk_net_refcnt);
}

/* Is anything attached, but devices? */
static bool any(void)
{
	return vif_task_any() || vif_sock_any() || vif_cgroup_any();
}

/* What is forwarded, and what the kernel itself sends. */
static struct vif *label_nobodys(struct vif_dev *vdev, const struct sk_buff *skb)
{
	struct vif *vif = vdev->root;
	struct sock *sk;

	if (skb->skb_iif)
		return device_vif(vdev, skb) ?: vif;
	if (!vif_sock_any() && !vif_cgroup_any())
		return vif;
	sk = vif_demux_reply(dev_net(skb->dev), skb);
	if (sk) {
		vif = sock_vif(vdev, sk);
		sock_gen_put(sk);
	}
	return vif;
}

struct vif_label vif_label_egress(struct vif_dev *vdev, struct sk_buff *skb)
{
	struct vif_label label = { .vif = vdev->root };
	struct sock *sk = skb->sk;

	if (is_nobodys(skb, sk)) {
		label.vif = label_nobodys(vdev, skb);
		return label;
	}
	if (!any())
		return label;
	if (sk_fullsock(sk))
		return label_sent(vdev, skb, sk);
	if (sk->sk_state == TCP_NEW_SYN_RECV)
		vif_sock_mark_request(sk);
	label.vif = sock_vif(vdev, sk);
	return label;
}

struct vif_label vif_label_queued(struct vif_dev *vdev, const struct sk_buff *skb)
{
	struct vif_label label = { };
	struct sock *sk = skb->sk;

	if (is_nobodys(skb, sk)) {
		label.vif = label_nobodys(vdev, skb);
		return label;
	}
	label.vif = sock_vif(vdev, sk);
	if (sk_fullsock(sk))
		label.tag = vif_sock_tag(sk);
	return label;
}

/* Fragments that follow, and answers, are found by what was seen before. */
static struct vif *flow_vif(struct vif_dev *vdev, const struct sk_buff *skb)
{
	u64 cookie = vif_flow_find(dev_net(skb->dev), skb);
	struct vif_sock_owners owners;

	if (!cookie)
		return vdev->root;
	vif_sock_owners_of(cookie, &owners);
	return owners_vif(vdev, &owners);
}

static struct vif_label label_received(struct vif_dev *vdev,
				       const struct sk_buff *skb,
				       struct sock *sk)
{
	struct vif_sock_owners owners;
	struct vif_label label = { };

	vif_sock_owners(sk, &owners);
	if (!sk_fullsock(sk)) {
		label.vif = owners_vif(vdev, &owners);
		return label;
	}
	label = full_label(vdev, sk, &owners, VIF_INGRESS);
	if (!owners.known && vif_task_any() && sk->sk_net_refcnt)
		vif_seek_owner(sk);
	if (label.vif != vdev->root && vif_demux_first_fragment(skb))
		vif_flow_first_fragment(sock_net(sk), skb, vif_sock_cookie(sk));
	return label;
}

struct vif_label vif_label_ingress(struct vif_dev *vdev, struct sk_buff *skb)
{
	struct vif_label label = { .vif = vdev->root };
	struct net *net = dev_net(skb->dev);
	struct sock *sk;

	if (!any())
		return label;
	sk = vif_demux_received(net, skb);
	if (!sk) {
		label.vif = flow_vif(vdev, skb);
		return label;
	}
	if (net_eq(sock_net(sk), net))
		label = label_received(vdev, skb, sk);
	sock_gen_put(sk);
	return label;
}
