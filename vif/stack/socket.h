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
 * @number: number of the port, not 0
 *
 * It uses the caller's current credentials. The socket is created in the VIF's namespace and in the
 * running task's control group, and is attached to the VIF.
 * Context: process; takes the tree mutex. Sets last_error if it fails.
 * Return: 0, -ENOTCONN the VIF has no stack, -EPERM the caller's own packets do not belong
 *	to the VIF or one above it, -EADDRINUSE, -EACCES a privileged port,
 *	-EOPNOTSUPP a control group's program has changed what was bound, -EDQUOT, -ENOSPC
 *	as of attachments, -ENOMEM, or an error of the socket.
 */
int vif_stack_bind(struct vif *vif, u8 protocol, u16 number);

/**
 * vif_stack_bind_run() - bind numbers that are free, each of TCP and of UDP
 * @vif: the VIF
 * @n: how many, after each other in ip_local_port_range; 1 to VIF_STACK_RUN_MAX
 *
 * As above; all or none. -EADDRINUSE: there are not as many, -EINTR the caller is killed.
 */
int vif_stack_bind_run(struct vif *vif, unsigned int n);

#define VIF_STACK_RUN_MAX	1024

/*
 * Remove a port of the stack. Return 0, or -ENOENT (sets last_error): it has no such port. Context:
 * as above.
 */
int vif_stack_unbind(struct vif *vif, u8 protocol, u16 number);

#endif
