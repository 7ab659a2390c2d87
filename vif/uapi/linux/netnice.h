/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * netnice: virtual network interfaces (VIFs) over network devices.
 *
 * What the module and its tools have to agree on. The interface itself is
 * the file system; Documentation/interface.rst is its reference.
 */
#ifndef _UAPI_LINUX_NETNICE_H
#define _UAPI_LINUX_NETNICE_H

/* Type of the file system, as in mount -t. */
#define NETNICE_FS_NAME		"netnice"

/* statfs(2)'s f_type. */
#define NETNICE_FS_MAGIC	0x6e6e6963

/* Where it is mounted; the text of links may start with it. */
#define NETNICE_MOUNT_POINT	"/proc/network"

/* Bytes in the name of a VIF, without the terminating zero. */
#define NETNICE_NAME_MAX	63

/* VIFs on a path, the device's root VIF not counted. */
#define NETNICE_DEPTH_MAX	32

#endif
