/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a network namespace: its devices, and the mutex that guards their trees. */
#ifndef NETNICE_VIF_NET_H
#define NETNICE_VIF_NET_H

#include <linux/atomic.h>
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>

#include "error.h"
#include "kind.h"
#include "listeners.h"

/*
 * Generations: has anything changed that affects the VIF of a socket's packets on a device? These
 * are attachments on the device, its tree and, for sockets, their users. A change on one device
 * does not affect results for others.
 *
 * A task that changes something first does so, then calls vif_genid_change(), and only then
 * releases the old state. A task that stores a result takes the genid before its lookup. While a
 * genid holds, under rcu_read_lock(), all results are valid.
 */

/*
 * Changes of single sockets are counted by their cookies, so that results for other sockets stay
 * valid.
 */
#define VIF_GENID_SOCKS		256

/**
 * struct vif_genid - counts of changes at some time
 * @dev: number of changes that may affect any socket on the device
 * @sock: number of changes of a socket, and of a few other sockets (by hash)
 */
struct vif_genid {
	s64 dev;
	s64 sock;
};

extern atomic64_t vif_genid_sock[VIF_GENID_SOCKS];

/*
 * A device's number of changes starts with the time, in nanoseconds. So it differs from the numbers
 * of an earlier device at the same address.
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
 * @cookie: cookie of the socket, whose record was not read since then
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

/**
 * struct vif_net - netnice in one network namespace
 * @lock: the tree mutex. Taken after RTNL or an inode lock, never before
 *	either. Guards @devs, @dead and the shape of all trees below.
 * @devs: struct vif_dev.link of the namespace's devices
 * @dev_by_index: the same devices, by their numbers; changed under the tree mutex, readers
 *	in RCU
 * @net: the namespace; not a reference: valid while !@dead, under @lock
 * @user_ns: the owner of @net (referenced)
 * @admitted: its devices have VIFs, see vif_net_admits(); stays set. Changed under RTNL and
 *	@lock
 * @changes: counts what events tell of; never 0; under @lock
 * @inum: inode number of the namespace, as in /proc/PID/ns/net
 * @refs: holders: the namespace itself, each super block, each vif_dev, each subject
 *	that was attached here first, @remove, @tell
 * @attached: how many of these there are, of each kind
 * @grouped: attachments of control groups to VIFs of its devices
 * @groups: struct vif_group.node (clocks.c); under @lock
 * @stacks: user-level stacks of its VIFs; under @lock
 * @netkits: devices that are an end of a netkit, by which packets without a trace of their origin
 *	can come from another namespace; written under @lock
 * @linger: vif_dev_linger()
 * @removals: struct vif.removal
 * @remove: takes these out of their trees, or ends them; holds a reference while it is queued
 * @news: struct vif_news.link, events that are still to be sent; under @lock, as what follows
 * @n_news: their number
 * @news_lost: some have been lost, which listeners have not been told yet
 * @telling: @tell is queued, or runs
 * @tell: vif_event_tell(); holds a reference while it is queued
 * @dead: the namespace is gone
 * @errors: last_error of the namespace's users
 * @listeners: which connections of the namespace lead to (referenced)
 * @rcu: readers in packet context
 */
struct vif_net {
	struct mutex lock;
	struct list_head devs;
	struct xarray dev_by_index;
	struct net *net;
	struct user_namespace *user_ns;
	bool admitted;
	unsigned int changes;
	unsigned int inum;
	refcount_t refs;
	atomic_t attached[VIF_KINDS];
	atomic_t grouped;
	DECLARE_HASHTABLE(groups, 6);
	unsigned int stacks;
	unsigned int netkits;
	struct delayed_work linger;
	struct llist_head removals;
	struct work_struct remove;
	struct list_head news;
	unsigned int n_news;
	bool news_lost;
	bool telling;
	struct delayed_work tell;
	bool dead;
	struct vif_errors errors;
	struct vif_listeners *listeners;
	struct rcu_head rcu;
};

/* The workqueue for work that packets and probes leave to a worker. */
extern struct workqueue_struct *vif_wq;

/* The workqueue for urgent work, for example refilling a reserve: on any CPU, before other work. */
extern struct workqueue_struct *vif_wq_soon;

/**
 * vif_net_init() - make the state of all namespaces
 * @linger: runs struct vif_net.linger
 * @remove: runs struct vif_net.remove
 * @tell: runs struct vif_net.tell
 *
 * Context: process.
 * Return: 0 or an error.
 */
int vif_net_init(work_func_t linger, work_func_t remove, work_func_t tell);

void vif_net_exit(void);

/**
 * vif_net_of() - netnice's state of a network namespace
 * @net: an active namespace
 *
 * Return: the state, without a reference taken; it lives as long as @net.
 */
struct vif_net *vif_net_of(const struct net *net);

/*
 * The same for a namespace that may be ending. Context: any; valid under rcu_read_lock(), or NULL.
 */
struct vif_net *vif_net_find(const struct net *net);

/**
 * vif_net_admits() - may a network namespace have VIFs of its own?
 * @user_ns: the user namespace that owns it
 *
 * Every user can make user namespaces, and network namespaces in them. These are strangers:
 * their devices have no VIFs unless the parameter user_namespaces says so, or the caller is an
 * administrator of the machine.
 * Context: process.
 */
bool vif_net_admits(const struct user_namespace *user_ns);

struct vif_net *vif_net_get(struct vif_net *vn);

void vif_net_put(struct vif_net *vn);

#endif
