// SPDX-License-Identifier: GPL-2.0
#include "chosen.h"

#include "../attach/fragment.h"
#include "../compat/drop.h"
#include "../queue/shaper.h"
#include "../queue/shaper_qdisc.h"
#include "../tree/dev.h"
#include "announce.h"
#include "mark.h"

static struct vif_shaper *vif_chosen_shaper_of(const struct vif_class *class, enum vif_dir dir)
{
	return &class->vif->dev->shaper[dir];
}

/*
 * A sender's window follows the packets that leave. They are in the same VIF as the received ones
 * if the programs of both directions agree.
 */
static void vif_chosen_announce(struct vif *vif, struct sk_buff *skb)
{
	struct sock *sk = vif_classify_sender(skb);

	if (sk && vif_may_announce(sk))
		vif_announce(vif->dev, vif, sk, skb);
}

static noinline void vif_chosen_count_drop(const struct vif_class *class, enum vif_dir dir,
					   const struct sk_buff *skb)
{
	const struct vif_wire wire = vif_wire_measure(skb);

	vif_shaper_count_drop(vif_chosen_shaper_of(class, dir), &class->vif->side[dir], skb->dev,
			      &wire, VIF_DROP_PROGRAM);
}

bool vif_chosen_find(struct vif_class *class, enum vif_dir dir, struct sk_buff *skb)
{
	const struct vif_fragment fragment = vif_fragment_of(skb, skb_network_offset(skb));
	struct vif_shaper *shaper = vif_chosen_shaper_of(class, dir);
	struct vif_side *side = &class->vif->side[dir], *where;

	if (!vif_program_choose(&class->vif, dir, skb, fragment, class->user)) {
		vif_chosen_count_drop(class, dir, skb);
		return false;
	}
	if (dir == VIF_EGRESS)
		vif_chosen_announce(class->vif, skb);
	/* fragments have no ports: the queue of their flow says nothing about this datagram */
	if (fragment.hash)
		return true;
	where = vif_shaper_where(shaper, side, class->tag, skb);
	if (where)
		class->vif = vif_of_side(where);
	return true;
}

/* In qdisc mode the qdisc runs the program. */
unsigned int vif_chosen_input(struct vif_class *class, enum vif_dir dir, struct sk_buff *skb)
{
	struct vif_shaper *shaper = vif_chosen_shaper_of(class, dir);
	bool moved = class->was;

	if (moved)
		vif_shaper_move_along(shaper, &class->vif->side[dir], &class->was->side[dir],
				      class->tag, skb);
	if (vif_shaper_mode(shaper) == VIF_SHAPER_QDISC)
		return NF_ACCEPT;
	if (!vif_chosen_find(class, dir, skb))
		return vif_hook_drop(skb, vif_drop_reason(VIF_DROP_PROGRAM));
	if (dir == VIF_EGRESS)
		vif_mark_packet(class->vif, skb);
	/* the timer may have packets of the flow that were in another VIF */
	if (moved || READ_ONCE(shaper->draining))
		return vif_shaper_input_locked(shaper, &class->vif->side[dir], class->tag, true,
					       skb);
	return vif_shaper_input(shaper, &class->vif->side[dir], class->tag, skb);
}
