// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel numbers sockets from 0 up and from -1 down. Cookies of netnice have bit 62 set and bit
 * 63 clear. Below that they have the slot of a listener in the socket's namespace
 * (tree/listeners.h), or 0, which a connection gets from its connection request; and a number.
 * Numbers start at the time of loading, in units of 4096 ns. This is more than any earlier load of
 * the module can have used.
 */
#include "sock_cookie.h"

#include <linux/build_bug.h>
#include <linux/timekeeping.h>

#define UNIT_SHIFT	12

static atomic64_t vif_sock_cookie_newest;

void vif_sock_cookie_init(void)
{
	BUILD_BUG_ON(VIF_SOCK_COOKIE_SLOT_SHIFT + VIF_LISTENERS_BITS !=
		     VIF_SOCK_COOKIE_BASE_SHIFT);
	atomic64_set(&vif_sock_cookie_newest, ktime_get_real_ns() >> UNIT_SHIFT);
}

static u64 vif_sock_new_cookie(unsigned int slot)
{
	return BIT_ULL(VIF_SOCK_COOKIE_BASE_SHIFT) |
	       (u64)slot << VIF_SOCK_COOKIE_SLOT_SHIFT |
	       vif_sock_cookie_number(atomic64_inc_return(&vif_sock_cookie_newest));
}

u64 vif_sock_cookie(struct sock *sk)
{
	if (!atomic64_read(&sk->sk_cookie))
		vif_sock_cookie_mark(sk, 0);
	return atomic64_read(&sk->sk_cookie);
}

void vif_sock_cookie_mark(struct sock *sk, unsigned int slot)
{
	atomic64_cmpxchg(&sk->sk_cookie, 0, vif_sock_new_cookie(slot));
}

u64 vif_sock_cookie_last(void)
{
	return vif_sock_cookie_number(atomic64_read(&vif_sock_cookie_newest));
}
