/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Classification: whose packet is it, and which VIF is that attached to?
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
 * struct vif_class - whose a packet is
 * @vif: its VIF; valid under rcu_read_lock(), its last reference may be gone
 * @was: by which its socket's packets have gone so far, if that is another one of
 *	the device: what waits there has to be moved; referenced, or NULL
 * @tag: its socket's, 0 if it has none
 * @user: received, and surely of this user's socket: vif_sk_own_received(), or 0; while there are
 *	users' programs
 */
struct vif_class {
	struct vif *vif;
	struct vif *was;
	u32 tag;
	u32 user;
};

/* Is anything attached, but devices? */
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

/* Are its addresses? Then answers have others. */
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
 * vif_classify_is_news() - is there something to learn from a packet that is sent?
 * @skb: the packet
 * @sk: its socket, a full one
 *
 * Return: false if answers are found by address and port, as those of TCP and UDP are.
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
 * Return a tag, not 0, that other sockets of the same time are unlikely to have. A later socket may
 * have it: then it moves packets of a socket that is gone.
 */
static inline u32 vif_classify_tag(const struct sock *sk)
{
	return hash_ptr(sk, 32) | 1;
}

/**
 * vif_classify_egress() - the VIF of a packet that is being sent
 * @vdev: the device's tree
 * @skb: the packet
 * @sk: its vif_classify_sender()
 * @class: result
 *
 * That of the sending task, where the packet is seen in its context, which
 * is remembered with the socket; otherwise that of the task which last used
 * the socket; otherwise the root VIF.
 * Context: packet context, caller holds rcu_read_lock().
 */
void vif_classify_egress(struct vif_dev *vdev, struct sk_buff *skb,
			 struct sock *sk, struct vif_class *class);

/**
 * vif_classify_queued() - the VIF of a packet that comes to the device's qdisc
 * @vdev: the device's tree
 * @skb: the packet, which vif_classify_egress() has seen a moment ago
 * @class: result
 *
 * That of the task which last used the socket: the hook has just noted that.
 * Enqueuing may run on behalf of another CPU: the running task means nothing.
 * And a mark on the packet itself would not outlive a tc program, which may
 * write all of the control block.
 * Context: as vif_classify_egress().
 */
void vif_classify_queued(struct vif_dev *vdev, const struct sk_buff *skb,
			 struct vif_class *class);

/**
 * vif_classify_ingress() - the VIF of a packet that has been received
 * @vdev: the device's tree
 * @skb: the packet, at its network header; vif_classify_any()
 * @class: result
 *
 * That of the task which last used the socket that the packet is for;
 * otherwise the root VIF.
 * Context: as vif_classify_egress().
 */
void vif_classify_ingress(struct vif_dev *vdev, struct sk_buff *skb,
			  struct vif_class *class);

#endif
