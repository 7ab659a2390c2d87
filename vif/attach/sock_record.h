/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Socket records: the attached task that used a socket last, the socket's own attachments, and the
 * control groups. They classify packets while that task is not running. A packet whose socket is
 * known by its record alone has the same owners as one whose socket is there: a record holds all
 * of struct vif_sock_owners.
 */
#ifndef NETNICE_VIF_SOCK_RECORD_H
#define NETNICE_VIF_SOCK_RECORD_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "../tree/net.h"
#include "../tree/vif.h"
#include "cgroup.h"
#include "sock_cookie.h"

struct cgroup;
struct cred;
struct net;
struct vif_sock;
struct vif_subject;

/*
 * Accounts for socket records: a user in a network namespace. Beyond the limit, the user's own
 * records are evicted.
 *
 * The key is the number of the namespace and of the user, so records of closed sockets hold
 * neither. All is under the lock of socket records, except that vif_sock_payer_is_known() reads
 * without it.
 */

/*
 * Records by order of eviction: closed ones, in the order of their end; datagram sockets; TCP's,
 * because their end is known and many datagram sockets must not evict connections; and records with
 * own attachments, never.
 */
enum vif_sock_class {
	VIF_SOCK_CLOSED,
	VIF_SOCK_OTHER,
	VIF_SOCK_TCP,
	VIF_SOCK_ATTACHED,
	VIF_SOCK_CLASSES
};

/* Hashed as bytes, so it must have no padding. */
struct vif_sock_payer_key {
	u64 net;
	u32 uid;
	u32 zero;
};

/**
 * struct vif_sock_payer - the account for some records
 * @node: in the table
 * @key: cookie of the network namespace, number of the user
 * @line: its records, the oldest first
 * @records: how many; it ends with the last one
 * @slots: of these, listeners with a slot
 * @stand_in: see vif_sock_set_stand_in() (referenced), or NULL. It counts as a record
 * @standing: in the list of accounts with a stand-in
 * @stands_until: in jiffies
 * @rcu: the table's readers
 */
struct vif_sock_payer {
	struct hlist_node node;
	struct vif_sock_payer_key key;
	struct list_head line[VIF_SOCK_CLASSES];
	unsigned int records;
	unsigned int slots;
	struct vif_subject *stand_in;
	struct list_head standing;
	unsigned long stands_until;
	struct rcu_head rcu;
};

/*
 * Memory for socket records. It is allocated before their lock is taken, and charged to the control
 * group of the running task, except in a softirq. If no memory can be allocated (raw.h), uncharged
 * spares are used.
 */

/* A record, its payer, and a listener's leaf of slots. */
enum vif_sock_item {
	VIF_SOCK_RECORD,
	VIF_SOCK_PAYER,
	VIF_SOCK_LEAF,
	VIF_SOCK_ITEMS
};

/**
 * struct vif_sock_memory - memory allocated for a change
 * @item: one of each kind, or NULL
 * @refused: memory was refused: no spare is used either, to keep the bound
 */
struct vif_sock_memory {
	void *item[VIF_SOCK_ITEMS];
	bool refused;
};

int vif_sock_record_init(void);

/* Ends all records. Context: process; no packet or event can come any more. */
void vif_sock_record_exit(void);

/*
 * Is there any record, in any namespace? If there is, packets of all devices with VIFs search for a
 * record. So other users can learn that an attachment exists somewhere, but nothing else. The
 * variable is written with the first and the last record only, so other records do not dirty a
 * cache line that packets read.
 */
extern bool vif_sock_some;

static inline bool vif_sock_any(void)
{
	return READ_ONCE(vif_sock_some);
}

/**
 * struct vif_sock_trail - the part of a record that the cache (cache.h) reads and packets write
 * @by: for each direction, the number of the VIF by which the socket's packets went last, or 0
 * @used: the record was used since eviction last skipped it
 * @used_in: the control group of the task that used the socket last (referenced), NULL if it is
 *	the one in which the socket was created; changed under the lock of socket records
 */
struct vif_sock_trail {
	u64 by[VIF_DIRS];
	bool used;
	struct cgroup *used_in;
};

static inline void vif_sock_trail_use(struct vif_sock_trail *trail)
{
	if (!READ_ONCE(trail->used))
		WRITE_ONCE(trail->used, true);
}

/*
 * Did the socket's packets go by this VIF so far? Then mark the record as used. Caller holds
 * rcu_read_lock().
 */
static inline bool vif_sock_trail_is(struct vif_sock_trail *trail,
				     const struct vif *vif, enum vif_dir dir)
{
	if (READ_ONCE(trail->by[dir]) != vif->ino)
		return false;
	vif_sock_trail_use(trail);
	return true;
}

/**
 * vif_sock_trail_set() - record the VIF by which a socket's packets go from now on
 * @trail: from vif_sock_owners()
 * @vif: the VIF
 * @dir: direction
 *
 * Context: packet, caller holds rcu_read_lock().
 * Return: the VIF by which they went before, if that was another one (referenced), or NULL.
 */
struct vif *vif_sock_trail_set(struct vif_sock_trail *trail, const struct vif *vif,
			       enum vif_dir dir);

/**
 * struct vif_sock - a record
 * @node: in the table
 * @id: the socket's cookie
 * @task: the task that used it last (referenced), or NULL; changed under the lock
 * @self: its own attachments, or its listener's (referenced), or NULL; changed
 *	under the lock
 * @cgroup: the control group in which it was created, attached or not (referenced until the record
 *	is freed); NULL if the group had gone. Never changes.
 * @whole: of an MPTCP subflow, the cookie of the socket that it belongs to, if that had a record:
 *	its own attachments apply; or 0
 * @trail: the VIFs by which its packets went last
 * @of_task: in the task's list; lock
 * @payer: the account charged for it
 * @age: in one of the account's lists; lock
 * @end: in the list of closed sockets of all users; lock
 * @until: time when a closed socket's record is removed, 0 while the socket is open; lock
 * @listeners: the table in which it has a slot (referenced), or NULL; lock
 * @slot: the slot of a listener, 0 for none; lock
 * @slot_since: number of the last cookie before it had the slot
 * @own: @self is its own; lock
 * @closed: a TCP socket that is attached itself is not connected; lock
 * @tcp: TCP's: the record ends with a change of state; other records end with their task
 * @sctp: SCTP's: it may still have data to send after its task has ended; no event reports its end
 * @waited: vif_sock_waits() was called: it may still have a packet to send, too
 * @left: the task has ended, and a user's socket that has received may be another task's: its packets
 *	stay in the VIF of the ended task until fd_scan.c has found that other task
 * @rcu: readers in packet context
 */
struct vif_sock {
	struct hlist_node node;
	u64 id;
	struct vif_subject __rcu *task;
	struct vif_subject __rcu *self;
	struct cgroup *cgroup;
	u64 whole;
	struct vif_sock_trail trail;
	struct list_head of_task;
	struct vif_sock_payer *payer;
	struct list_head age;
	struct list_head end;
	unsigned long until;
	struct vif_listeners *listeners;
	unsigned int slot;
	u64 slot_since;
	bool own;
	bool closed;
	bool tcp;
	bool sctp;
	bool waited;
	bool left;
	struct rcu_head rcu;
};

/**
 * struct vif_sock_table - records by their cookies
 * @head: heads of the chains; their number is fixed
 * @shift: converts a hash to the number of a chain
 * @secret: users know their sockets' cookies, and must not know which of them share a chain
 */
struct vif_sock_table {
	struct hlist_head *head;
	unsigned int shift;
	u64 secret[2];
};

extern struct vif_sock_table vif_sock_table;

extern raw_spinlock_t vif_sock_spinlock;

/* Every packet pays for inline code; consecutive numbers need no better hash. */
static inline struct hlist_head *vif_sock_chain(u64 id)
{
	u64 hash = (id ^ vif_sock_table.secret[0]) * GOLDEN_RATIO_64;

	hash = (hash ^ hash >> 32) * vif_sock_table.secret[1];
	return &vif_sock_table.head[hash >> vif_sock_table.shift];
}

/* Caller holds rcu_read_lock(): then it is valid, or under the lock. */
static inline struct vif_sock *vif_sock_find(u64 id)
{
	struct vif_sock *record;

	if (!id)
		return NULL;
	hlist_for_each_entry_rcu(record, vif_sock_chain(id), node)
		if (record->id == id)
			return record;
	return NULL;
}

static inline struct vif_subject *__vif_sock_self(const struct vif_sock *record)
{
	return rcu_dereference_protected(record->self, lockdep_is_held(&vif_sock_spinlock));
}

/* A listener's record, for a connection that has none of its own; valid as above. */
static inline struct vif_sock *vif_sock_find_listener(const struct net *net, u64 id)
{
	unsigned int slot = vif_sock_cookie_slot(id);
	struct vif_net *vn = slot ? vif_net_find(net) : NULL;
	struct vif_sock *record;

	if (!vn)
		return NULL;
	record = vif_listeners_find(vn->listeners, slot);
	/* the slot may have been another listener's then */
	return record && vif_sock_cookie_number(id) > record->slot_since ? record : NULL;
}

/**
 * struct vif_sock_hold - state of a holder of the lock of socket records
 * @flags: state of interrupts before
 * @sk: the socket that may need a record, or NULL
 * @key: the account that would be charged for it
 * @memory: memory for it
 */
struct vif_sock_hold {
	unsigned long flags;
	struct sock *sk;
	struct vif_sock_payer_key key;
	struct vif_sock_memory memory;
};

/* Have records stay as they are: the lock of socket records, and RCU. Interrupts are off. */
void vif_sock_lock(struct vif_sock_hold *hold);

/**
 * vif_sock_lock_for() - take the lock, with memory for a socket's record if it has none
 * @hold: for __vif_sock_get() and vif_sock_unlock()
 * @sk: a full socket
 * @user: credentials of its user, who is charged for a new record; NULL if they are not known
 * @listens: it may also need a listener's slot
 */
void vif_sock_lock_for(struct vif_sock_hold *hold, struct sock *sk, const struct cred *user,
		       bool listens);

/* Unlock, and free records that were evicted. */
void vif_sock_unlock(struct vif_sock_hold *hold);

/**
 * vif_sock_in_batches() - process many records
 * @fn: called with the lock held, until it returns false
 * @arg: for @fn
 *
 * The lock is released in between. Context: process, may sleep.
 */
void vif_sock_in_batches(bool (*fn)(void *arg), void *arg);

/**
 * __vif_sock_get() - a socket's record, a new one if there is none
 * @hold: from vif_sock_lock_for()
 *
 * Context: caller holds the lock.
 * Return: the record, NULL without memory.
 */
struct vif_sock *__vif_sock_get(struct vif_sock_hold *hold);

/* The caller holds the lock. The result is valid until vif_sock_unlock(). */
void __vif_sock_forget(struct vif_sock *record);

/* It is open, or again. Caller holds the lock. */
void __vif_sock_open(struct vif_sock *record);

/* It is the last of a class to be forgotten. Caller holds the lock. */
void __vif_sock_line_up(struct vif_sock *record, enum vif_sock_class class);

/* The reference to @task, which may be NULL, passes to the record. Caller holds the lock. */
void __vif_sock_set_task(struct vif_sock *record, struct vif_subject *task);

/* The same of a control group, see struct vif_sock_trail. */
void __vif_sock_set_used_in(struct vif_sock *record, struct cgroup *used_in);

/*
 * It listens. Without a slot its connections are known from their first use. Caller
 * holds the lock.
 */
void __vif_sock_take_slot(struct vif_sock *record, struct vif_sock_hold *hold);

/*
 * Closed sockets: a record stays while packets may follow; and the end of an attached socket is
 * noticed soon.
 */

/**
 * __vif_sock_linger() - a record's socket is closed: it goes, but later
 * @record: the record
 * @answers: packets for it may follow for minutes, as they may for each connection; otherwise it
 *	only has something to send
 *
 * Context: caller holds the lock of socket records.
 */
void __vif_sock_linger(struct vif_sock *record, bool answers);

/**
 * __vif_sock_settle() - decide how long a record stays that may have no task
 * @record: the record
 *
 * A TCP socket's end removes its record, the end of a task those of its other sockets, and the end
 * of an attached socket its own. Nothing tells of the end of other sockets: their record goes after
 * a while, unless it is in use, and the next sent packet makes it anew.
 * Context: caller holds the lock.
 */
void __vif_sock_settle(struct vif_sock *record);

/**
 * vif_sock_set_stand_in() - set the task that has a user's sockets while their task is searched for
 * @net: the network namespace
 * @uid: the charged user, not root
 * @task: the task's entry, whose reference passes to the account; NULL: the user has no stand-in
 *
 * It is for some seconds, because a user who is not searched for has no use for it.
 * Context: process.
 */
void vif_sock_set_stand_in(const struct net *net, kuid_t uid, struct vif_subject *task);

/* Has the user one? Context: any. */
bool vif_sock_has_stand_in(const struct net *net, kuid_t uid);

/**
 * vif_sock_use_stand_in() - create the record of a socket without one, if its user has a stand-in
 * @sk: a full socket, not TCP's
 *
 * The record says that another task may have the socket (@left).
 * Context: packet, caller holds rcu_read_lock().
 * Return: false if there is no stand-in.
 */
bool vif_sock_use_stand_in(struct sock *sk);

/* There is an attached socket to look after. Context: any. */
void vif_sock_sweep_soon(void);

/* Context: process; nothing can come to be swept any more. */
void vif_sock_sweep_stop(void);

#endif
