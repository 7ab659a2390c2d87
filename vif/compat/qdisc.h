/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Later kernels change a qdisc's length by functions, because it is read without a lock, and store
 * the number of segments with a packet's length.
 */
#ifndef NETNICE_COMPAT_QDISC_H
#define NETNICE_COMPAT_QDISC_H

#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#ifndef HAVE_QDISC_QLEN_INC
static inline void qdisc_qlen_inc(struct Qdisc *sch)
{
	sch->q.qlen++;
}

static inline void qdisc_qlen_dec(struct Qdisc *sch)
{
	sch->q.qlen--;
}
#endif

/* Note the bytes and packets on the wire, as the core does before a packet is enqueued. */
static inline void vif_qdisc_note(struct sk_buff *skb, u32 bytes, u32 packets)
{
	qdisc_skb_cb(skb)->pkt_len = bytes;
#ifdef HAVE_QDISC_PKT_SEGS
	qdisc_skb_cb(skb)->pkt_segs = packets;
#endif
}

#endif
