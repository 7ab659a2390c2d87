/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cookies: numbers of sockets. A socket's record is found by its cookie, so the socket has no
 * pointer of netnice. Cookies that netnice assigns are in a range of their own and are never used
 * again. The cookie of a connection leads to its listener.
 */
#ifndef NETNICE_VIF_SOCK_COOKIE_H
#define NETNICE_VIF_SOCK_COOKIE_H

#include <linux/hash.h>
#include <linux/types.h>
#include <net/sock.h>

#include "../tree/listeners.h"

/* A cookie that netnice has assigned; see sock_cookie.c. */
#define VIF_SOCK_COOKIE_SLOT_SHIFT	50
#define VIF_SOCK_COOKIE_BASE_SHIFT	62

/* Call this before any other function here. Context: process. */
void vif_sock_cookie_init(void);

/**
 * vif_sock_cookie() - a number that no other socket has or will have
 * @sk: a full socket
 */
u64 vif_sock_cookie(struct sock *sk);

/* Have a cookie that leads to the listener in a slot, unless it has one already. */
void vif_sock_cookie_mark(struct sock *sk, unsigned int slot);

/* Return the number of the last assigned cookie. */
u64 vif_sock_cookie_last(void);

/* Cookies that are given one after another have greater and greater numbers. */
static inline u64 vif_sock_cookie_number(u64 cookie)
{
	return cookie & (BIT_ULL(VIF_SOCK_COOKIE_SLOT_SHIFT) - 1);
}

/* Return the slot of the listener that it leads to, or 0. */
static inline unsigned int vif_sock_cookie_slot(u64 cookie)
{
	/* is it a cookie of netnice? */
	if (cookie >> VIF_SOCK_COOKIE_BASE_SHIFT != 1)
		return 0;
	return (cookie >> VIF_SOCK_COOKIE_SLOT_SHIFT) & VIF_LISTENERS_MAX;
}

#endif
