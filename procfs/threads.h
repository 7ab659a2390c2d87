/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directory /tasks/PID/threads: a directory for each thread of a process.
 */
#ifndef NETNICE_PROCFS_THREADS_H
#define NETNICE_PROCFS_THREADS_H

#include "inode.h"

extern const struct nnfs_kind nnfs_threads_kind;

#endif
