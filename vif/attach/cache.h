/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cache of classification: it keeps the VIF that was found for a socket's packets.
 *
 * Each CPU has its own cache, of the sockets that it used last. An entry is valid until the next
 * change that concerns it (tree/net.h): until then it is what vif_resolve() would return.
 *
 * The socket's record (sock_record.h), if it has one, keeps its trail: the VIFs by which its
 * packets went last, on any CPU. If that changes, packets that are queued in the old VIF are moved.
 */
#ifndef NETNICE_VIF_CACHE_H
#define NETNICE_VIF_CACHE_H

#include <linux/percpu.h>
#include <linux/sched.h>
#include <net/sock.h>

#include "../tree/dev.h"
#include "../tree/net.h"
#include "../tree/vif.h"
#include "cgroup.h"
#include "sock_record.h"

#define VIF_CACHE_ENTRIES	256

/* In struct vif_cache_entry.sender */
#define VIF_CACHE_THREAD	1UL

/**
 * struct vif_cache_entry - the VIF of a socket's packets
 * @cookie: the socket's cookie, 0 for none
 * @genid: while it holds, the members below are valid under rcu_read_lock()
 * @vdev: the device; an address to compare
 * @sender: the leader of the process that sends or, with VIF_CACHE_THREAD, the thread that sends;
 *	an address to compare; 0 for no sender
 * @since: start time of @sender, because its address may be reused
 * @vif: the VIF
 * @trail: the trail of the socket's record
 */
struct vif_cache_entry {
	u64 cookie;
	struct vif_genid genid;
	const struct vif_dev *vdev;
	unsigned long sender;
	u64 since;
	struct vif *vif;
	struct vif_sock_trail *trail;
} __aligned(64);

struct vif_cache {
	struct vif_cache_entry entry[VIF_CACHE_ENTRIES];
};

extern struct vif_cache __percpu *vif_cache;

/* Is the running task the sender that an entry is for? */
static inline bool vif_cache_is_sender(const struct vif_cache_entry *entry)
{
	const struct task_struct *leader = current->group_leader;

	if (likely(entry->sender == (unsigned long)leader))
		return entry->since == leader->start_boottime;
	return entry->sender == ((unsigned long)current | VIF_CACHE_THREAD) &&
	       entry->since == current->start_boottime;
}

/*
 * Is the running task in the group that the record names? Comparing addresses is enough: the record
 * holds that group, and the socket holds its own. Caller holds rcu_read_lock().
 */
static inline bool vif_cache_is_group(const struct vif_sock_trail *trail, struct sock *sk,
				      const struct vif_dev *vdev)
{
	return !vif_cgroup_was_any() ||
	       READ_ONCE(trail->used_in) == vif_cgroup_of_user(sk, vdev->net, current);
}

/**
 * vif_cache_find() - find the VIF of a socket's packet in this CPU's cache
 * @vdev: the device
 * @sk: a full socket
 * @sent: the running task sends the packet
 * @dir: direction
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 * Return: the VIF, valid under rcu_read_lock(), or NULL: the packet must be classified.
 */
static inline struct vif *vif_cache_find(const struct vif_dev *vdev,
					 struct sock *sk, bool sent,
					 enum vif_dir dir)
{
	u64 cookie = atomic64_read(&sk->sk_cookie);
	const struct vif_cache_entry *entry;

	/* an unused entry has no device, so it matches none */
	entry = &this_cpu_ptr(vif_cache)->entry[cookie % VIF_CACHE_ENTRIES];
	if (entry->cookie != cookie || entry->vdev != vdev ||
	    !vif_genid_holds(&entry->genid, &vdev->genid, cookie))
		return NULL;
	if (sent && !(vif_cache_is_sender(entry) && vif_cache_is_group(entry->trail, sk, vdev)))
		return NULL;
	return vif_sock_trail_is(entry->trail, entry->vif, dir) ? entry->vif : NULL;
}

/**
 * vif_cache_add() - store the result of a classification
 * @cookie: the socket's cookie before the classification; 0 is not stored
 * @genid: taken before the classification, including the lookup of the sender
 * @vif: the VIF
 * @trail: the trail of the socket's record
 * @sent: the running task sends by the socket
 *
 * Context: packet, BH disabled, caller holds rcu_read_lock().
 */
void vif_cache_add(u64 cookie, const struct vif_genid *genid, struct vif *vif,
		   struct vif_sock_trail *trail, bool sent);

int vif_cache_init(void);

/* Context: process; no packet can come any more. */
void vif_cache_exit(void);

#endif
