/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generations: has anything changed that affects the VIF of a socket's packets on a device? These
 * are attachments on the device, its tree and, for sockets, their users. A change on one device
 * does not affect results for others.
 *
 * A task that changes something first does so, then calls vif_genid_change(), and only then
 * releases the old state. A task that stores a result takes the genid before its lookup. While a
 * genid holds, under rcu_read_lock(), all results are valid.
 */
#ifndef NETNICE_VIF_GENID_H
#define NETNICE_VIF_GENID_H

#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/types.h>

/* Changes of single sockets are counted by their cookies: others go on unharmed. */
#define VIF_GENID_SOCKS		256

/**
 * struct vif_genid - counts of changes at some time
 * @dev: changes that may affect any socket on the device
 * @sock: changes of a socket, and of a few others
 */
struct vif_genid {
	s64 dev;
	s64 sock;
};

extern atomic64_t vif_genid_sock[VIF_GENID_SOCKS];

/*
 * A device's number of changes begins with the time, in nanoseconds: what another one had, of
 * which the memory was, it does not come to.
 */
static inline void vif_genid_init(atomic64_t *dev)
{
	atomic64_set(dev, ktime_get_ns());
}

/* Call before any lookup; for vif_genid_take(). */
static inline s64 vif_genid_begin(const atomic64_t *dev)
{
	return atomic64_read_acquire(dev);
}

/**
 * vif_genid_take() - take the genid
 * @begin: from vif_genid_begin()
 * @cookie: of the socket, whose record was not read since
 */
static inline struct vif_genid vif_genid_take(s64 begin, u64 cookie)
{
	return (struct vif_genid) {
		.dev = begin,
		.sock = atomic64_read_acquire(&vif_genid_sock[cookie % VIF_GENID_SOCKS]),
	};
}

/* Has nothing changed since? */
static inline bool vif_genid_holds(const struct vif_genid *genid,
				   const atomic64_t *dev, u64 cookie)
{
	return genid->dev == atomic64_read(dev) &&
	       genid->sock == atomic64_read(&vif_genid_sock[cookie % VIF_GENID_SOCKS]);
}

/* An attachment on a device, or its tree, has changed. Context: any. */
static inline void vif_genid_change(atomic64_t *dev)
{
	smp_mb__before_atomic();
	atomic64_inc(dev);
}

/* The owner of a socket has changed. Context: any. */
static inline void vif_genid_change_sock(u64 cookie)
{
	smp_mb__before_atomic();
	atomic64_inc(&vif_genid_sock[cookie % VIF_GENID_SOCKS]);
}

#endif
