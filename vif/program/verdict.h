/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Verdicts of a program on datagrams. Only the first fragment of a datagram has ports; its verdict
 * applies to the other fragments (attach/fragment.h).
 *
 * Each program has a small table, so that packets of other programs do not displace its verdicts.
 * New entries replace old ones. No entry is valid for longer than a datagram may take to be
 * reassembled.
 */
#ifndef NETNICE_VIF_VERDICT_H
#define NETNICE_VIF_VERDICT_H

#include <linux/atomic.h>

#include "../attach/fragment.h"

#define VIF_VERDICT_SLOTS	64

/**
 * struct vif_verdicts - verdicts on datagrams
 * @slot: each a hash, the time in seconds and the verdict, see verdict.c
 *
 * All zero: it knows none.
 */
struct vif_verdicts {
	atomic64_t slot[VIF_VERDICT_SLOTS];
};

/*
 * Store the verdict of a datagram's first fragment, a number below 255, if there is none yet.
 * Context: packet.
 */
void vif_verdict_note(struct vif_verdicts *verdicts, struct vif_fragment fragment,
		      unsigned int verdict);

/* Return the stored verdict of a fragment's datagram, or -1. Context: packet. */
int vif_verdict_find(const struct vif_verdicts *verdicts, struct vif_fragment fragment);

#endif
