/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a socket is, as text.
 */
#ifndef NETNICE_PROCFS_SOCKINFO_H
#define NETNICE_PROCFS_SOCKINFO_H

#include <linux/types.h>

struct seq_file;
struct sock;

/* Does it send and receive through network devices? */
bool nnfs_sockinfo_is_net(const struct sock *sk);

/* Print it flat keyed: protocol, state, local, remote, cookie. */
void nnfs_sockinfo_show(struct seq_file *seq, struct sock *sk);

/* Print it in a line: cookie, protocol, local and remote address. */
void nnfs_sockinfo_line(struct seq_file *seq, struct sock *sk);

#endif
