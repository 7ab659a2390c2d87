/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Socket records: which attached task used a socket last, and what the socket itself is
 * attached to. They classify what is sent and received while that task is not running.
 */
#ifndef NETNICE_VIF_SOCK_RECORD_H
#define NETNICE_VIF_SOCK_RECORD_H

#include <linux/compiler.h>
#include <linux/types.h>

int vif_sock_record_init(void);

/* Ends all records. Context: process; no packet or event can come any more. */
void vif_sock_record_exit(void);

/*
 * Is there any record, in whatever namespace? All that others learn of that is that
 * somebody is attached somewhere, and the packets of their devices that have VIFs look
 * for a record then. It is written with the first record and the last one only: others
 * that come and go leave the cache lines of packets alone.
 */
extern bool vif_sock_some;

static inline bool vif_sock_any(void)
{
	return READ_ONCE(vif_sock_some);
}

#endif
