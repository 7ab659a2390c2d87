/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of every hook: a packet whose VIF is known gets the values and the window of that VIF, and
 * is then queued or passes. If the VIF has a program (attach/program.h), the program chooses the VIF
 * first.
 */
#ifndef NETNICE_VIF_HOOKS_INPUT_H
#define NETNICE_VIF_HOOKS_INPUT_H

#include <linux/skbuff.h>

#include "../attach/classify.h"
#include "../attach/program.h"
#include "../queue/shaper.h"
#include "../tree/tree.h"
#include "announce.h"
#include "mark.h"

/**
 * vif_input_choose() - run the programs of a packet's VIF
 * @class: the packet's class, for whose VIF vif_program_has(). @vif becomes the VIF that programs
 *	choose, or the VIF in which packets of the same flow are queued, which it must not overtake.
 * @dir: direction
 * @skb: the packet
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 * Return: false if it is to be dropped, which has been counted.
 */
bool vif_input_choose(struct vif_class *class, enum vif_dir dir, struct sk_buff *skb);

/* All but the shortest way of vif_input(). */
unsigned int vif_input_more(struct vif_class *class, enum vif_dir dir, struct sk_buff *skb);

/* The same for vif_input_vif(), for which the hook needs no stack. */
unsigned int vif_input_more_vif(struct vif *vif, enum vif_dir dir, const struct sock *sk,
				struct sk_buff *skb);

/* Is anything to be done for a packet before it is queued or passes? @sk: its sender, or NULL */
static __always_inline bool vif_input_has_more(const struct vif *vif, enum vif_dir dir,
					       const struct sock *sk)
{
	return vif_program_has(vif, dir) ||
	       (dir == VIF_EGRESS && (static_branch_unlikely(&vif_mark_some) ||
				      (sk && vif_may_announce(sk))));
}

/**
 * vif_input() - a hook's work, once a packet is classified
 * @vdev: the device's tree
 * @class: the packet's class; @was is taken over
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

/* vif_input() of a packet whose VIF is known without classification. */
static __always_inline unsigned int vif_input_vif(struct vif_dev *vdev, struct vif *vif,
						  enum vif_dir dir, const struct sock *sk,
						  struct sk_buff *skb)
{
	if (vif_input_has_more(vif, dir, sk))
		return vif_input_more_vif(vif, dir, sk, skb);
	return vif_shaper_input(&vdev->shaper[dir], &vif->side[dir],
				sk ? vif_classify_tag(sk) : 0, skb);
}

#endif
