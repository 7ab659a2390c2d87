/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * netnice: virtual network interfaces (VIFs) over network devices.
 *
 * Constants that the module and its tools share. The interface itself is the file
 * system; Documentation/interface.rst is its reference.
 */
#ifndef _UAPI_LINUX_NETNICE_H
#define _UAPI_LINUX_NETNICE_H

/* Type of the file system, as in mount -t. */
#define NETNICE_FS_NAME		"netnice"

/* statfs(2)'s f_type. */
#define NETNICE_FS_MAGIC	0x6e6e6963

/* The mount point; the text of links may begin with it. */
#define NETNICE_MOUNT_POINT	"/proc/network"

/* The longest name of a VIF, in bytes without the terminating zero. */
#define NETNICE_NAME_MAX	63

/* The maximum number of VIFs on a path, without the device's root VIF. */
#define NETNICE_DEPTH_MAX	32

#endif
