/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Classification: find the VIF of a packet. That follows from the attachments of the packet's
 * socket, of the task that uses the socket, of control groups (resolve.h), and of the device by
 * which a forwarded packet came.
 */
#ifndef NETNICE_VIF_CLASSIFY_H
#define NETNICE_VIF_CLASSIFY_H

#include <linux/hash.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <net/mptcp.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/sock.h>

#include "cgroup.h"
#include "sender.h"
#include "sock.h"
#include "task.h"

struct vif;
struct vif_dev;

/**
 * struct vif_class - the result of classification
 * @vif: the packet's VIF; valid under rcu_read_lock(), its last reference may be gone
 * @was: the VIF of the socket's packets before, if that was another VIF of the device (referenced),
 *	or NULL. Packets that are queued there must be moved.
 * @tag: the tag of its socket, 0 if it has none
 * @user: for a received packet, the user whose socket certainly receives it
 *	(program/owner.h), or 0; only found if there are users' programs
 */
struct vif_class {
	struct vif *vif;
	struct vif *was;
	u32 tag;
	u32 user;
};

/* Is anything attached, other than devices? */
static inline bool vif_classify_any(void)
{
	return vif_task_any() || vif_sock_any() || vif_cgroup_any();
}

/*
 * Does a full socket certainly have no owner? All records are found by a cookie, but an MPTCP
 * subflow uses the cookie of another socket.
 */
static inline bool vif_classify_is_unknown(const struct sock *sk)
{
	return !atomic64_read(&sk->sk_cookie) && !vif_cgroup_any() &&
	       !(sk_is_tcp(sk) && sk_is_mptcp(sk));
}

/* Are the packet's addresses translated? Then answers to it have other addresses. */
static inline bool vif_classify_is_translated(const struct sk_buff *skb)
{
#if IS_ENABLED(CONFIG_NF_CONNTRACK)
	enum ip_conntrack_info ctinfo;
	const struct nf_conn *ct = nf_ct_get(skb, &ctinfo);

	return ct && READ_ONCE(ct->status) & IPS_NAT_MASK;
#else
	return false;
#endif
}

/**
 * vif_classify_is_news() - must flow.c learn from a sent packet?
 * @skb: the packet
 * @sk: its socket, a full one
 *
 * Return: false if answers are found by addresses and ports, as with TCP and UDP.
 */
static inline bool vif_classify_is_news(const struct sk_buff *skb,
					const struct sock *sk)
{
	if (sk->sk_family == AF_PACKET)
		return false;
	return vif_classify_is_translated(skb) || sk->sk_type == SOCK_RAW ||
	       (sk->sk_protocol != IPPROTO_TCP &&
		sk->sk_protocol != IPPROTO_UDP &&
		sk->sk_protocol != IPPROTO_UDPLITE);
}

/*
 * Return the tag of a socket, not 0. Two sockets are unlikely to have the same tag at the same
 * time. A later socket may have the tag of a socket that is gone. Then it may move queued packets
 * of the former socket.
 */
static inline u32 vif_classify_tag(const struct sock *sk)
{
	return hash_ptr(sk, 32) | 1;
}

/**
 * vif_classify_egress() - find the VIF of a packet that is sent
 * @vdev: the device's tree
 * @skb: the packet
 * @sk: its vif_classify_sender()
 * @class: result
 *
 * With a socket, the attachments of these decide (vif_resolve()): the socket; the task that sends,
 * which is recorded with the socket, or else the task that used the socket last; their control
 * groups. Without a socket, one of these decides: the socket for which the kernel answers, the
 * running task (for a copy that a device above has made), the incoming device. If nothing is
 * attached, the packet belongs to the root VIF.
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 */
void vif_classify_egress(struct vif_dev *vdev, struct sk_buff *skb,
			 struct sock *sk, struct vif_class *class);

/**
 * vif_classify_queued() - find the VIF of a packet that reaches the device's qdisc
 * @vdev: the device's tree
 * @skb: the packet, after vif_classify_egress()
 * @class: result, without @was
 *
 * Like vif_classify_egress(), but the running task does not count, because the qdisc may run for
 * another CPU. The hook has recorded the sender with the socket. It cannot mark the packet itself:
 * a tc program may write all of the control block.
 * Context: as vif_classify_egress().
 */
void vif_classify_queued(struct vif_dev *vdev, const struct sk_buff *skb,
			 struct vif_class *class);

/**
 * vif_classify_ingress() - find the VIF of a received packet
 * @vdev: the device's tree
 * @skb: the packet, at its network header; vif_classify_any() is true
 * @class: result
 *
 * The owners of the socket that the packet is for decide, as for vif_classify_egress(). Without a
 * socket, the packet or fragment that this one answers or continues decides (flow.h). A multicast
 * or broadcast datagram belongs to the nearest VIF that is above the VIFs of all its sockets. Any
 * other packet belongs to the root VIF.
 * Context: as vif_classify_egress().
 */
void vif_classify_ingress(struct vif_dev *vdev, struct sk_buff *skb,
			  struct vif_class *class);

#endif
