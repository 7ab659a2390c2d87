// SPDX-License-Identifier: GPL-2.0
#include "classify.h"

#include <linux/if_vlan.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <net/request_sock.h>

#include "../tree/dev.h"
#include "../tree/program.h"
#include "../tree/vif.h"
#include "cache.h"
#include "fd_scan.h"
#include "flow.h"
#include "fragment.h"
#include "incoming.h"
#include "resolve.h"
#include "sk_lookup.h"
#include "sock.h"

/* Return the device whose packet is being received while the kernel sends this one, or NULL. */
static struct net_device *vif_classify_cause(const struct sk_buff *skb)
{
	const struct sock *sk = skb->sk;

	/*
	 * This is a connection of the kernel's own. Workers send a part of it, and all of it has to
	 * have the same VIF.
	 */
	if (sk && sk_fullsock(sk) && sk_is_tcp(sk))
		return NULL;
	return vif_incoming_port();
}

/*
 * Return the VIF of the attached device that received a packet last, or of an attached port that
 * received it first. If the kernel itself answers a packet, the device that received this counts.
 */
static struct vif *vif_classify_device_vif(struct vif_dev *vdev, const struct sk_buff *skb)
{
	struct net_device *last, *in;
	struct vif *vif[VIF_ORIGINS];

	if (!vif_subject_any(VIF_DEVICE))
		return NULL;
	if (skb->skb_iif && !READ_ONCE(vdev->shared))
		last = dev_get_by_index_rcu(dev_net(skb->dev), skb->skb_iif);
	else
		last = vif_incoming_netkit(skb) ?: vif_classify_cause(skb);
	for (in = last ? vif_incoming_lowest(last) : NULL; in;
	     in = in == last ? NULL : netdev_master_upper_dev_get_rcu(in)) {
		vif_subject_vifs(vif_subject_find(in), vdev, vif);
		if (vif[VIF_BY_ADMIN])
			return vif[VIF_BY_ADMIN];
	}
	return NULL;
}

static struct vif *vif_classify_owners_vif(struct vif_dev *vdev,
					   const struct vif_sock_owners *owners)
{
	if (!owners->self && !owners->task && !owners->cgroup && !owners->used_in)
		return vdev->root;
	return vif_resolve(vdev, owners->self, owners->task, owners->cgroup, owners->used_in);
}

/*
 * Classify by a socket without queued packets, which could be overtaken. This function and others
 * below are not inlined, so that other packets do not pay for their stack.
 */
static noinline struct vif *vif_classify_sock_vif(struct vif_dev *vdev, struct sock *sk)
{
	struct vif_sock_owners owners;

	vif_sock_owners(sk, &owners);
	return vif_classify_owners_vif(vdev, &owners);
}

/* Packets queued on another device stay there. */
static struct vif *vif_classify_was_on(const struct vif_dev *vdev, struct vif *was)
{
	if (!was || was->dev == vdev)
		return was;
	vif_put(was);
	return NULL;
}

static void vif_classify_full(struct vif_dev *vdev, struct sock *sk,
			      const struct vif_sock_owners *owners, enum vif_dir dir,
			      struct vif_class *class)
{
	class->vif = vif_classify_owners_vif(vdev, owners);
	if (owners->trail)
		class->was =
			vif_classify_was_on(vdev,
					    vif_sock_trail_set(owners->trail, class->vif, dir));
	else if (!owners->known && class->vif != vdev->root)
		/* for the next change, and for packets found by their flow */
		vif_sock_keep(sk);
}

/* Classify without the cache. */
static noinline void vif_classify_owned(struct vif_dev *vdev, struct sock *sk,
					bool sender, struct vif_subject *task,
					s64 begin, struct vif_class *class)
{
	u64 cookie = atomic64_read(&sk->sk_cookie);
	struct vif_genid genid = vif_genid_take(begin, cookie);
	struct vif_sock_owners owners;
	bool sought;

	if (sender)
		vif_sock_sent_by(sk, task, &owners);
	else
		vif_sock_owners(sk, &owners);
	vif_classify_full(vdev, sk, &owners, VIF_EGRESS, class);
	/* a relay sends by it, for the process that has it open now */
	sought = !sender && sk_is_udp(sk) && vif_sock_is_sought(sk, &owners) && vif_task_any();
	if (owners.trail && !owners.left && !sought)
		vif_cache_add(cookie, &genid, class->vif, owners.trail, sender);
	if (sought)
		vif_fd_scan_owner(sk);
}

/* Leave packets without an owner, which are most, to the root VIF. */
static void vif_classify_sent(struct vif_dev *vdev, const struct sk_buff *skb,
			      struct sock *sk, struct vif_class *class)
{
	bool sender = vif_classify_is_current(skb, sk) && !vif_verdict_is_running(sock_net(sk), 1);
	struct vif *vif = vif_cache_find(vdev, sk, sender, VIF_EGRESS);
	s64 begin = vif_genid_begin(&vdev->genid);
	struct vif_subject *task;

	class->tag = vif_classify_tag(sk);
	if (vif) {
		class->vif = vif;
	} else {
		task = sender ? vif_task_current() : NULL;
		if (!task && vif_classify_is_unknown(sk))
			return;
		vif_classify_owned(vdev, sk, sender, task, begin, class);
	}
	/* answers to it may have to be found by their flow */
	if (class->vif != vdev->root && vif_classify_is_news(skb, sk))
		vif_flow_sent(sock_net(sk), skb, sk, vif_classify_is_translated(skb));
}

/*
 * Is a packet without a socket a copy, which the running task sends? Devices above copy packets: a
 * bond in broadcast mode, a bridge that floods, a tunnel with several remotes, HSR, MACsec. A copy
 * has no socket. The kernel sends ARP and IGMP without a socket, too, in the context of any task:
 * short packets.
 */
static bool vif_classify_is_copy(const struct sk_buff *skb)
{
	__be16 protocol = vlan_get_protocol(skb);
	const struct iphdr *ip;
	struct iphdr buf;

	if (skb->sk || !vif_task_is_acting() || vif_incoming_is_any() ||
	    vif_verdict_is_running(dev_net(skb->dev), 1))
		return false;
	if (skb->len > ETH_ZLEN)
		return true;
	if (protocol != htons(ETH_P_IP))
		return protocol != htons(ETH_P_ARP);
	ip = skb_header_pointer(skb, skb_network_offset(skb), sizeof(buf), &buf);
	return ip && ip->protocol != IPPROTO_IGMP;
}

/*
 * Classify forwarded packets, and packets that the kernel itself sends. If it sends for a socket,
 * the socket's VIF comes before the receiving device's: the device is the weakest attachment. A
 * task may write the addresses of any socket into its packets: they are its own in any case.
 * @copies: the running task is the sender of a copy
 */
static noinline struct vif *
vif_classify_unowned_vif(struct vif_dev *vdev, const struct sk_buff *skb, bool copies)
{
	struct vif *vif = vdev->root;
	struct sock *sk = NULL;

	/*
	 * A packet from another namespace may have the addresses of any connection here. Its socket
	 * does not tell: the sockets by which the kernel answers are shared by all namespaces.
	 */
	if (!skb->skb_iif && !READ_ONCE(vdev->shared) && vif_classify_any() &&
	    (!skb->sk || net_eq(sock_net(skb->sk), dev_net(skb->dev)))) {
		if (copies && vif_classify_is_copy(skb))
			vif = vif_resolve(vdev, NULL, vif_task_current(),
					  vif_cgroup_of_current(), NULL);
		else if (!READ_ONCE(vdev->net->netkits))
			sk = vif_sk_lookup_reply(dev_net(skb->dev), skb);
	}
	if (sk) {
		vif = vif_classify_sock_vif(vdev, sk);
		sock_gen_put(sk);
	}
	return vif != vdev->root ? vif : vif_classify_device_vif(vdev, skb) ?: vif;
}

void vif_classify_egress(struct vif_dev *vdev, struct sk_buff *skb,
			 struct sock *sk, struct vif_class *class)
{
	*class = (struct vif_class) { .vif = vdev->root };
	if (!sk || !vif_classify_is_here(skb, sk)) {
		class->vif = vif_classify_unowned_vif(vdev, skb, true);
	} else if (!vif_classify_any()) {
		return;
	} else if (sk_fullsock(sk)) {
		vif_classify_sent(vdev, skb, sk, class);
	} else {
		if (sk->sk_state == TCP_NEW_SYN_RECV)
			vif_sock_mark_request(sk);
		class->vif = vif_classify_sock_vif(vdev, sk);
	}
}

void vif_classify_queued(struct vif_dev *vdev, const struct sk_buff *skb,
			 struct vif_class *class)
{
	struct sock *sk = vif_classify_sender(skb);

	*class = (struct vif_class) {};
	if (!sk || !vif_classify_is_here(skb, sk)) {
		class->vif = vif_classify_unowned_vif(vdev, skb, false);
		return;
	}
	if (sk_fullsock(sk)) {
		class->vif = vif_cache_find(vdev, sk, false, VIF_EGRESS);
		class->tag = vif_classify_tag(sk);
	}
	if (!class->vif)
		class->vif = vif_classify_sock_vif(vdev, sk);
}

static struct vif *vif_classify_flow_owner_vif(struct vif_dev *vdev, struct net *net,
					       struct vif_flow_owner owner)
{
	struct vif_sock_owners owners;
	struct vif *vif;

	if (unlikely(owner.ino)) {
		vif = vif_classify_was_on(vdev, vif_get_by_ino(owner.ino));
		vif_put(vif);
		return vif ?: vdev->root;
	}
	if (!owner.cookie)
		return vdev->root;
	vif_sock_owners_of(net, owner.cookie, &owners);
	return vif_classify_owners_vif(vdev, &owners);
}

/* Later fragments and answers are found by earlier packets. */
static struct vif *vif_classify_flow_vif(struct vif_dev *vdev, const struct sk_buff *skb)
{
	struct net *net = dev_net(skb->dev);

	return vif_classify_flow_owner_vif(vdev, net, vif_flow_find(net, skb));
}

/*
 * Have the other fragments of a datagram follow its first fragment. If there was a first fragment
 * of another owner, all of them follow that one, this one too: the kernel may not have received
 * the other one yet, because its VIF holds it.
 */
static noinline void vif_classify_first_fragment(struct vif_dev *vdev, const struct sk_buff *skb,
						 struct vif_flow_owner owner,
						 struct vif_class *class)
{
	struct net *net = dev_net(skb->dev);
	struct vif_flow_owner first;
	struct vif *vif;

	if (!vif_fragment_is_kept(skb, skb_network_offset(skb)))
		return;
	first = vif_flow_first_fragment(net, skb, owner, false);
	if (vif_flow_is_owner(first, owner))
		return;
	vif = vif_classify_flow_owner_vif(vdev, net, first);
	if (vif == vdev->root) {
		/* that one has no VIF any more */
		vif_flow_first_fragment(net, skb, owner, true);
	} else if (!class->was) {
		class->vif = vif;
		class->tag = 0;
	}
}

/*
 * The process of a socket is searched for. If all processes of its user are attached, one of them
 * has the socket: until it is found, a stand-in has it. Otherwise a user who opens sockets faster
 * than they are found would receive without a limit.
 */
static noinline void vif_classify_by_stand_in(struct vif_dev *vdev, struct sock *sk,
					      struct vif_class *class)
{
	struct vif_sock_owners owners;

	if (!vif_sock_use_stand_in(sk))
		return;
	vif_sock_owners(sk, &owners);
	vif_classify_full(vdev, sk, &owners, VIF_INGRESS, class);
}

static void vif_classify_received_owned(struct vif_dev *vdev, struct sock *sk,
					struct vif_class *class)
{
	u64 cookie = atomic64_read(&sk->sk_cookie);
	struct vif_genid genid = vif_genid_take(vif_genid_begin(&vdev->genid), cookie);
	struct vif_sock_owners owners;
	bool sought;

	vif_sock_owners(sk, &owners);
	vif_classify_full(vdev, sk, &owners, VIF_INGRESS, class);
	sought = vif_sock_is_sought(sk, &owners) && vif_task_any() && vif_classify_is_users(sk);
	if (owners.trail && !owners.left && !sought)
		vif_cache_add(cookie, &genid, class->vif, owners.trail, false);
	if (sought && vif_fd_scan_owner(sk) && !owners.task && class->vif == vdev->root &&
	    !sk_is_tcp(sk))
		vif_classify_by_stand_in(vdev, sk, class);
}

/* The certain owner, for the programs of @vif and of VIFs below, which may be users'. */
static noinline u32 vif_classify_user_of(const struct vif *vif, const struct sk_buff *skb,
					 const struct sock *sk)
{
	const struct vif_program *program = vif_program_of(vif, VIF_INGRESS);

	return program ? program->ops->owner(sock_net(sk), skb, sk) : 0;
}

static __always_inline void
vif_classify_received_full(struct vif_dev *vdev, const struct sk_buff *skb, struct sock *sk,
			   struct vif_class *class)
{
	struct vif *vif;

	class->tag = vif_classify_tag(sk);
	vif = vif_cache_find(vdev, sk, false, VIF_INGRESS);
	if (vif)
		class->vif = vif;
	else
		vif_classify_received_owned(vdev, sk, class);
	if (static_branch_unlikely(&vif_program_users) &&
	    vif_program_has(class->vif, VIF_INGRESS))
		class->user = vif_classify_user_of(class->vif, skb, sk);
}

static __always_inline void vif_classify_received(struct vif_dev *vdev, const struct sk_buff *skb,
						  struct sock *sk, struct vif_class *class)
{
	if (sk_fullsock(sk))
		vif_classify_received_full(vdev, skb, sk, class);
	else
		class->vif = vif_classify_sock_vif(vdev, sk);
	if (class->vif != vdev->root && vif_sk_lookup_first_fragment(skb))
		vif_classify_first_fragment(vdev, skb, (struct vif_flow_owner) {
			.cookie = vif_sock_flow_cookie(sk),
		}, class);
}

/**
 * struct vif_receivers - of a datagram for several sockets
 * @vdev: the device's tree
 * @only: the socket, if there is one only
 * @vif: the nearest VIF that is, or is above, the VIFs of all
 */
struct vif_receivers {
	struct vif_dev *vdev;
	struct sock *only;
	struct vif *vif;
};

static struct vif *vif_classify_nearest_above(struct vif *a, struct vif *b)
{
	struct vif *above, *other;

	for (above = a; above; above = READ_ONCE(above->parent))
		for (other = b; other; other = READ_ONCE(other->parent))
			if (other == above)
				return above;
	return a->dev->root;
}

/*
 * A socket whose process is still searched for is ignored. Otherwise a receiver who opens sockets
 * faster than they are found could move the datagram to the root VIF.
 * Return: false if the VIF is the root VIF, which no other receiver can change.
 */
static bool vif_classify_add_receiver(struct sock *sk, void *arg)
{
	struct vif_receivers *all = arg;
	struct vif_sock_owners owners;
	struct vif *vif;

	vif_sock_owners(sk, &owners);
	if (vif_sock_is_sought(sk, &owners) && vif_task_any() && vif_fd_scan_owner(sk) &&
	    !owners.task && !owners.self && !owners.cgroup)
		return true;
	vif = vif_classify_owners_vif(all->vdev, &owners);
	all->only = all->vif ? NULL : sk;
	all->vif = all->vif ? vif_classify_nearest_above(all->vif, vif) : vif;
	return all->only || all->vif != all->vdev->root;
}

/*
 * Classify a multicast or broadcast datagram; @sk is one receiver. If there are others, the
 * datagram belongs to a VIF above all of theirs: a limit of one receiver must not delay it for all.
 */
static noinline void vif_classify_for_many(struct vif_dev *vdev, struct sk_buff *skb,
					   struct sock *sk, struct vif_class *class)
{
	struct vif_receivers all = { .vdev = vdev };

	vif_sk_lookup_many(sock_net(sk), skb, vif_classify_add_receiver, &all);
	if (!all.vif || all.only) {
		vif_classify_received(vdev, skb, all.only ?: sk, class);
		return;
	}
	class->vif = all.vif;
	if (all.vif != vdev->root && vif_sk_lookup_first_fragment(skb))
		vif_classify_first_fragment(vdev, skb, (struct vif_flow_owner) {
			.ino = all.vif->ino,
		}, class);
}

void vif_classify_ingress(struct vif_dev *vdev, struct sk_buff *skb,
			  struct vif_class *class)
{
	struct net *net = dev_net(skb->dev);
	struct sock *sk = vif_sk_lookup_received(net, skb);

	*class = (struct vif_class) { .vif = vdev->root };
	if (!sk) {
		class->vif = vif_classify_flow_vif(vdev, skb);
		return;
	}
	if (net_eq(sock_net(sk), net)) {
		if (unlikely(vif_sk_lookup_may_be_many(skb)))
			vif_classify_for_many(vdev, skb, sk, class);
		else
			vif_classify_received(vdev, skb, sk, class);
	}
	sock_gen_put(sk);
}
