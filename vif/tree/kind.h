/* SPDX-License-Identifier: GPL-2.0 */
/* The kinds of objects that can be attached, and the origins of attachments. */
#ifndef NETNICE_VIF_KIND_H
#define NETNICE_VIF_KIND_H

/**
 * enum vif_kind - kinds of objects to attach, the weakest first
 * @VIF_DEVICE: packets that a device has received
 * @VIF_CGROUP: the sockets of a control group, and those below
 * @VIF_PROCESS: sockets that a process uses
 * @VIF_THREAD: sockets that a thread uses
 * @VIF_SOCKET: a socket
 */
enum vif_kind {
	VIF_DEVICE,
	VIF_CGROUP,
	VIF_PROCESS,
	VIF_THREAD,
	VIF_SOCKET,
	VIF_KINDS
};

/**
 * enum vif_origin - origin of an attachment
 * @VIF_BY_ADMIN: an administrator
 * @VIF_BY_USER: any other user
 */
enum vif_origin {
	VIF_BY_ADMIN,
	VIF_BY_USER,
	VIF_ORIGINS
};

#endif
