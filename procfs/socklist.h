/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file "sockets" of a VIF.
 */
#ifndef NETNICE_PROCFS_SOCKLIST_H
#define NETNICE_PROCFS_SOCKLIST_H

struct seq_operations;

extern const struct seq_operations nnfs_socklist_seq;

#endif
