/* SPDX-License-Identifier: GPL-2.0 */
/* Sockets that are attached themselves. */
#ifndef NETNICE_VIF_SOCK_SELF_H
#define NETNICE_VIF_SOCK_SELF_H

#include <linux/types.h>

struct sock;
struct vif;
struct vif_subject_id;

/* Name a socket, which the caller holds as long as he uses @id. */
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

/**
 * vif_sock_next() - walk the sockets attached to a VIF
 * @vif: the VIF
 * @order: vif_sock_order() of the last one, 0 for the first
 *
 * Context: process, may sleep.
 * Return: the next one, referenced, or NULL.
 */
struct sock *vif_sock_next(const struct vif *vif, s64 order);

#endif
