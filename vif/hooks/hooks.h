/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entry points for the kernel's network, a file for each, and what they do with a packet. All files
 * of this folder share this header:
 *
 *	netdev.c	network devices: registers the hooks of a tree that is in use
 *	egress.c	packets on their way to a device, before tc and the qdisc
 *	ingress.c	packets that a device has received, after taps and tc
 *	qdisc.c		the qdisc "netnice": a device drains its tree itself, so that shares hold at
 *			whatever rate the link runs
 *	input.c		the end of every hook, once the packet's VIF is known
 *	mark.c		values that VIFs write to packets
 *	ipsec.c		packets that are decrypted
 */
#ifndef NETNICE_VIF_HOOKS_H
#define NETNICE_VIF_HOOKS_H

#include <linux/netfilter.h>
#include <linux/pkt_sched.h>
#include <linux/skbuff.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "../attach/classify.h"
#include "../queue/packet.h"
#include "../queue/shaper.h"
#include "../queue/windows.h"
#include "../tree/mark.h"
#include "../tree/program.h"
#include "../tree/tree.h"

struct work_struct;

/* --- netdev.c --- */

/*
 * Create VIFs for the devices of a network namespace, now and in the future. The caller has checked
 * vif_net_admits(). Context: process; takes RTNL and the tree mutex.
 */
void vif_netdev_admit(struct net *net);

int vif_netdev_init(void);
void vif_netdev_exit(void);

/* --- egress.c --- */

extern const struct vif_shaper_ops vif_egress_ops;

/* @priv: the struct vif_dev. */
unsigned int vif_egress_hook(void *priv, struct sk_buff *skb,
			     const struct nf_hook_state *state);

/**
 * vif_egress_exempt() - does the kernel send it on its own, to keep the link alive?
 * @skb: the packet
 * @sk: its vif_classify_sender()
 *
 * It does not wait (vif_shaper_pass_exempt()). Packets of users and forwarded packets wait.
 */
static inline bool vif_egress_exempt(const struct sk_buff *skb,
				     const struct sock *sk)
{
	return !sk && !skb->skb_iif &&
	       (vif_packet_exempt(skb) || skb->priority == TC_PRIO_CONTROL);
}

/* --- ingress.c --- */

extern const struct vif_shaper_ops vif_ingress_ops;

/* @priv: the struct vif_dev. */
unsigned int vif_ingress_hook(void *priv, struct sk_buff *skb,
			      const struct nf_hook_state *state);

/* The last ingress hook of a device that is itself attached. */
unsigned int vif_incoming_hook(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state);

/**
 * vif_ingress_see_ifb() - handle redirected packets, after an ifb has appeared in a namespace
 * @net: the namespace
 *
 * From now on, packets are checked that an ifb puts back behind the ingress hook of the device at
 * which tc has redirected them: see vif_incoming_check_marks() and VIF_LATE_RECEIVED.
 * Context: process, RTNL is held.
 */
void vif_ingress_see_ifb(struct net *net);

/* --- qdisc.c --- */

int vif_qdisc_init(void);
void vif_qdisc_exit(void);

/* Runs struct vif_dev.takeover: a qdisc that is being installed begins to work. */
void vif_qdisc_takeover(struct work_struct *work);

/* --- mark.c --- */

/**
 * vif_mark_write() - write a VIF's values to a packet (tree/mark.h)
 * @vif: the VIF by which it is sent
 * @skb: the packet, from its link-layer header on. A packet whose data is shared, or for which
 *	there is no memory, is not changed.
 *
 * This happens before the packet passes or is queued, so that tc and the device's qdisc see the
 * values.
 * Context: packet, caller holds rcu_read_lock().
 */
void vif_mark_write(const struct vif *vif, struct sk_buff *skb);

/* vif_mark_write(), if any VIF has a value. */
static inline void vif_mark_packet(const struct vif *vif, struct sk_buff *skb)
{
	if (static_branch_unlikely(&vif_mark_some))
		vif_mark_write(vif, skb);
}

/* --- input.c --- */

/* May a packet of @sk announce a window? Sockets that are not full are TCP's. */
static __always_inline bool vif_may_announce(const struct sock *sk)
{
	return vif_windows_any() &&
	       (!vif_classify_is_full(sk) || sk->sk_protocol == IPPROTO_TCP);
}

/**
 * vif_input_choose() - run the programs of a packet's VIF
 * @class: the packet's class, for whose VIF vif_program_has() is true. @vif becomes the VIF that
 *	the programs choose, or the VIF in which packets of the same flow are queued, which it must
 *	not overtake.
 * @dir: direction
 * @skb: the packet
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 * Return: false if a program drops it: the drop is counted, and the caller frees the packet.
 */
bool vif_input_choose(struct vif_class *class, enum vif_dir dir, struct sk_buff *skb);

/* Do the rest of vif_input(), for packets that need more than the shaper. */
unsigned int vif_input_more(struct vif_class *class, enum vif_dir dir, struct sk_buff *skb);

/* Do the rest of vif_input_vif(): the hook needs no stack frame for it. */
unsigned int vif_input_more_vif(struct vif *vif, enum vif_dir dir, const struct sock *sk,
				struct sk_buff *skb);

/* Needs a packet more than the shaper: a program, a mark, a window? @sk: its sender, or NULL */
static __always_inline bool vif_input_has_more(const struct vif *vif, enum vif_dir dir,
					       const struct sock *sk)
{
	return vif_program_has(vif, dir) ||
	       (dir == VIF_EGRESS && (static_branch_unlikely(&vif_mark_some) ||
				      (sk && vif_may_announce(sk))));
}

/**
 * vif_input() - let a classified packet pass, or queue it
 * @vdev: the device's tree
 * @class: the packet's class; the reference of @was is taken over
 * @dir: direction
 * @sk: at egress its vif_classify_sender(), or NULL
 * @skb: the packet
 *
 * Context, return: as vif_shaper_input().
 */
static __always_inline unsigned int vif_input(struct vif_dev *vdev, struct vif_class *class,
					      enum vif_dir dir, const struct sock *sk,
					      struct sk_buff *skb)
{
	if (class->was || vif_input_has_more(class->vif, dir, sk))
		return vif_input_more(class, dir, skb);
	return vif_shaper_input(&vdev->shaper[dir], &class->vif->side[dir], class->tag, skb);
}

/* Do as vif_input() for a packet whose VIF is known without classification. */
static __always_inline unsigned int vif_input_vif(struct vif_dev *vdev, struct vif *vif,
						  enum vif_dir dir, const struct sock *sk,
						  struct sk_buff *skb)
{
	if (vif_input_has_more(vif, dir, sk))
		return vif_input_more_vif(vif, dir, sk, skb);
	return vif_shaper_input(&vdev->shaper[dir], &vif->side[dir],
				sk ? vif_classify_tag(sk) : 0, skb);
}

/* --- ipsec.c --- */

#ifdef CONFIG_XFRM

int vif_ipsec_init(void);
void vif_ipsec_exit(void);

/* Has the namespace any state by which packets are encrypted or decrypted? */
static inline bool vif_ipsec_any(const struct sk_buff *skb)
{
	return unlikely(READ_ONCE(dev_net(skb->dev)->xfrm.state_num));
}

/**
 * vif_ipsec_is_outer() - will the hooks see the inner packet of this packet too?
 * @skb: the packet, at its device's ingress hook
 * @inner: the hook for packets that are decrypted in transport mode, see VIF_LATE_RECEIVED. Until
 *	it is registered, such packets are treated like other packets.
 *
 * Context: packet, caller holds rcu_read_lock().
 */
bool vif_ipsec_is_outer(struct sk_buff *skb, nf_hookfn *inner);

/* Has it been decrypted, in transport mode last? */
bool vif_ipsec_is_inner(const struct sk_buff *skb);

#else

static inline int vif_ipsec_init(void)
{
	return 0;
}

static inline void vif_ipsec_exit(void)
{
}

static inline bool vif_ipsec_any(const struct sk_buff *skb)
{
	return false;
}

static inline bool vif_ipsec_is_outer(struct sk_buff *skb, nf_hookfn *inner)
{
	return false;
}

static inline bool vif_ipsec_is_inner(const struct sk_buff *skb)
{
	return false;
}

#endif

#endif
