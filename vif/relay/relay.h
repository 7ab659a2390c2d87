/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Relays: a UDP socket sends each datagram that another one receives, to the address that it is
 * connected to. This happens when the packet arrives: no process wakes up, and nothing is copied.
 */
#ifndef NETNICE_VIF_RELAY_H
#define NETNICE_VIF_RELAY_H

#include <linux/skbuff.h>
#include <linux/types.h>
#include <net/sock.h>

#include "../tree/option.h"

struct pid;
struct vif_net;
struct vif_program;

/**
 * struct vif_relay_end - the sending socket of a relay
 * @sk: the socket
 * @pid: a process that has it (referenced by the holder of this struct)
 * @fd: its descriptor there
 */
struct vif_relay_end {
	struct sock *sk;
	struct pid *pid;
	int fd;
};

/**
 * vif_relay_begin() - make a socket relay to another one
 * @vn: their namespace
 * @from: receives
 * @to: sends
 *
 * The caller has power over a process that has each of them, and holds the file of @from, so it
 * is not closed in the meantime. It ends by vif_relay_end(), or soon
 * after one of them has been closed.
 * Context: process, without locks. Sets last_error if it fails.
 * Return: 0, -EOPNOTSUPP one is not UDP's, -ELOOP they are the same, -EPERM one is another
 *	user's, -ENOTCONN @to is not connected, -EADDRNOTAVAIL to a multicast or
 *	broadcast address, -EBUSY other code takes what @from receives, -EEXIST it has a
 *	relay, -EDQUOT, -ENOMEM.
 */
int vif_relay_begin(struct vif_net *vn, struct sock *from, const struct vif_relay_end *to);

/* For struct vif_relay_ops, which says what they do. */
int vif_relay_end(struct sock *from);
bool vif_relay_get(const struct sock *from, struct vif_relay_info *info);
int vif_relay_set_program(struct sock *from, struct vif_program *program);
ssize_t vif_relay_program_text(const struct sock *from, char *buf, size_t size);

/* There is no relay any more: wait for what has ended the last one. Context: process. */
void vif_relay_exit(void);

#endif
