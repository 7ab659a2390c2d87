/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directory /tasks/PID/sockets: a directory for each descriptor of a process
 * that is a socket for network devices of the namespace.
 */
#ifndef NETNICE_PROCFS_SOCKETS_H
#define NETNICE_PROCFS_SOCKETS_H

#include "inode.h"

extern const struct nnfs_kind nnfs_sockets_kind;

#endif
