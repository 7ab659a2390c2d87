/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets of VIFs that have a program (attach/program.h): how they get where that says.
 */
#ifndef NETNICE_VIF_CHOSEN_H
#define NETNICE_VIF_CHOSEN_H

#include <linux/skbuff.h>

#include "../attach/classify.h"
#include "../attach/program.h"

/**
 * vif_chosen_find() - where a packet goes whose VIF has a program
 * @class: what attribution says, for which vif_program_has(); @vif becomes what the program says,
 *	or where something of the packet's flow waits, which it must not overtake
 * @dir: direction
 * @skb: the packet
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 * Return: false if it is to be dropped, which has been counted.
 */
bool vif_chosen_find(struct vif_class *class, enum vif_dir dir, struct sk_buff *skb);

/**
 * vif_chosen_input() - a hook's work for such a packet
 * @class: as above; @was is taken over
 * @dir: direction
 * @skb: the packet
 *
 * Context, return: as vif_shaper_input().
 */
unsigned int vif_chosen_input(struct vif_class *class, enum vif_dir dir, struct sk_buff *skb);

#endif
