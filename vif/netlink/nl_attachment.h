/* SPDX-License-Identifier: GPL-2.0 */
/* NETNICE_CMD_ATTACHMENT_GET describes attachments in messages. */
#ifndef NETNICE_VIF_NL_ATTACHMENT_H
#define NETNICE_VIF_NL_ATTACHMENT_H

#include <linux/types.h>

struct netlink_callback;
struct sk_buff;
struct sock;
struct vif_attachment;

/*
 * Put what everybody may know of an attachment into a message: the VIF, and what is
 * attached; but no numbers of processes, which depend on the reader. Caller holds the tree mutex.
 * -EMSGSIZE if there is no room.
 */
int __nn_nl_put_attachment(struct sk_buff *skb,
			   const struct vif_attachment *attachment);

/* The numbers of a process, and of a thread if it is not 0. */
int nn_nl_put_pids(struct sk_buff *skb, u32 pid, u32 tid);

#endif
