/* SPDX-License-Identifier: GPL-2.0 */
/* The sockets that are the ports of user-level stacks. */
#ifndef NETNICE_VIF_STACK_SOCKET_H
#define NETNICE_VIF_STACK_SOCKET_H

#include <linux/types.h>

struct vif;

/**
 * vif_stack_bind() - bind a port for the stack of a VIF
 * @vif: the VIF
 * @protocol: IPPROTO_TCP or IPPROTO_UDP
 * @number: of the port, not 0
 *
 * On behalf of whoever's credentials the caller has; the socket is one of the VIF's namespace,
 * that of its control group is the running task's, and it is attached to the VIF.
 * Context: process; takes the tree mutex. Sets last_error where it fails.
 * Return: 0, -ENOTCONN the VIF has no stack, -EPERM the caller's own packets do not belong
 *	to the VIF or one above it, -EADDRINUSE, -EACCES a privileged port,
 *	-EOPNOTSUPP a control group's program has changed what was bound, -EDQUOT, -ENOSPC
 *	as of attachments, -ENOMEM, or what the socket said.
 */
int vif_stack_bind(struct vif *vif, u8 protocol, u16 number);

#endif
