// SPDX-License-Identifier: GPL-2.0
#include "hooks.h"

#include "../attach/fragment.h"
#include "../compat/drop.h"
#include "../queue/shaper_qdisc.h"
#include "../tree/dev.h"
#include "../tree/option.h"
#include "../tree/windows.h"

/*
 * A sender's window follows the packets that leave. They are in the same VIF as the received ones
 * if the programs of both directions agree.
 */
static void vif_input_announce(struct vif *vif, struct sk_buff *skb)
{
	const struct vif_shaper *shaper = &vif->dev->shaper[VIF_INGRESS];
	struct sock *sk = vif_classify_sender(skb);
	const struct vif_option *option;

	if (!sk || !vif_may_announce(sk) || !READ_ONCE(shaper->pool.windows) ||
	    !READ_ONCE(vif_windows_on))
		return;
	option = vif_option_rcu(VIF_OPTION_WINDOW);
	if (option)
		vif_window_ops_of(option)->announce(vif, sk, skb);
}

/* This is out of line, so that other packets do not need its stack frame. */
static noinline void vif_input_count_drop(struct vif *vif, enum vif_dir dir,
					  const struct sk_buff *skb)
{
	const struct vif_wire wire = vif_wire_measure(skb);

	vif_shaper_count_drop(&vif->dev->shaper[dir], &vif->side[dir], skb->dev, &wire,
			      VIF_DROP_PROGRAM);
}

static __always_inline bool vif_input_run(struct vif_class *class, enum vif_dir dir,
					  struct sk_buff *skb)
{
	const struct vif_fragment fragment = vif_fragment_of(skb, skb_network_offset(skb));
	struct vif_shaper *shaper = &class->vif->dev->shaper[dir];
	/* it holds its module: see tree/program.h */
	const struct vif_program *program = vif_program_of(class->vif, dir);
	struct vif_side *side = &class->vif->side[dir], *where;

	if (!program) {
		vif_program_end_trail(class->vif, dir);
	} else if (!program->ops->choose(&class->vif, dir, skb, fragment, class->user)) {
		vif_input_count_drop(class->vif, dir, skb);
		return false;
	}
	if (dir == VIF_EGRESS && vif_windows_any())
		vif_input_announce(class->vif, skb);
	/* fragments have no ports: the queue of their flow says nothing about this datagram */
	if (fragment.hash)
		return true;
	where = vif_shaper_where(shaper, side, class->tag, skb);
	if (where)
		class->vif = vif_of_side(where);
	return true;
}

bool vif_input_choose(struct vif_class *class, enum vif_dir dir, struct sk_buff *skb)
{
	return vif_input_run(class, dir, skb);
}

unsigned int vif_input_more(struct vif_class *class, enum vif_dir dir, struct sk_buff *skb)
{
	struct vif_shaper *shaper = &class->vif->dev->shaper[dir];
	bool moved = class->was;

	if (moved)
		vif_shaper_move_along(shaper, &class->vif->side[dir], &class->was->side[dir],
				      class->tag, skb);
	if (vif_program_has(class->vif, dir)) {
		/* in qdisc mode the qdisc runs it */
		if (vif_shaper_mode(shaper) == VIF_SHAPER_QDISC)
			return NF_ACCEPT;
		if (!vif_input_run(class, dir, skb))
			return vif_hook_drop(skb, vif_drop_reason(VIF_DROP_PROGRAM));
		/* the timer may be putting back packets of the flow, from another VIF */
		moved |= READ_ONCE(shaper->draining);
	} else if (dir == VIF_EGRESS && vif_windows_any()) {
		vif_input_announce(class->vif, skb);
	}
	if (dir == VIF_EGRESS)
		vif_mark_packet(class->vif, skb);
	if (moved)
		return vif_shaper_input_locked(shaper, &class->vif->side[dir], class->tag, true,
					       skb);
	return vif_shaper_input(shaper, &class->vif->side[dir], class->tag, skb);
}

unsigned int vif_input_more_vif(struct vif *vif, enum vif_dir dir, const struct sock *sk,
				struct sk_buff *skb)
{
	struct vif_class class = { .vif = vif, .tag = sk ? vif_classify_tag(sk) : 0 };

	return vif_input_more(&class, dir, skb);
}
