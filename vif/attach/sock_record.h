/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Socket records: the attached task that used a socket last, and the socket's own attachments. They
 * classify packets while that task is not running.
 */
#ifndef NETNICE_VIF_SOCK_RECORD_H
#define NETNICE_VIF_SOCK_RECORD_H

#include <linux/compiler.h>
#include <linux/types.h>

int vif_sock_record_init(void);

/* Ends all records. Context: process; no packet or event can come any more. */
void vif_sock_record_exit(void);

/*
 * Is there any record, in any namespace? Other users can only learn that an attachment exists
 * somewhere: then packets of their devices with VIFs look for a record. It is written with the
 * first and the last record only, so other records do not dirty a cache line that packets read.
 */
extern bool vif_sock_some;

static inline bool vif_sock_any(void)
{
	return READ_ONCE(vif_sock_some);
}

#endif
