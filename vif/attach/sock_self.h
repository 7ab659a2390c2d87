/* SPDX-License-Identifier: GPL-2.0 */
/* Sockets that are attached themselves. */
#ifndef NETNICE_VIF_SOCK_SELF_H
#define NETNICE_VIF_SOCK_SELF_H

#include <linux/types.h>

struct sock;
struct vif_subject_id;

/* Name a socket, which the caller holds while it uses @id. */
void vif_sock_id(struct sock *sk, struct vif_subject_id *id);

/**
 * vif_sock_prepare() - a socket is about to get an attachment of its own
 * @sk: the socket
 *
 * Context: process.
 * Return: 0, -ENOMEM: there would be no record to find it by.
 */
int vif_sock_prepare(struct sock *sk);

/* It has got one. Context: process. */
void vif_sock_attached(struct sock *sk);

#endif
