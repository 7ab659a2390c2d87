/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A record, and the table: for those who change records, sock_*.c. What is looked up for
 * each packet is inline.
 */
#ifndef NETNICE_VIF_SOCK_RECORD_PRIV_H
#define NETNICE_VIF_SOCK_RECORD_PRIV_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>

#include "../tree/net.h"
#include "cache.h"
#include "sock_cookie.h"
#include "sock_payer.h"
#include "sock_record.h"

struct cgroup;
struct cred;
struct vif_subject;

/**
 * struct vif_sock - a record
 * @node: in the table
 * @id: the socket's cookie
 * @task: who used it last (referenced), or NULL; changed under the lock
 * @self: its own attachments, or its listener's (referenced), or NULL; changed
 *	under the lock
 * @cgroup: its control group (referenced), once it is closed
 * @trail: see cache.h
 * @of_task: in the task's list; lock
 * @payer: who pays for it
 * @age: in one of his lists; lock
 * @end: in the list of those that are closed, of all users; lock
 * @until: when a closed one goes, 0 as long as it is open; lock
 * @listeners: where it has a slot, if it has one (referenced); lock
 * @slot: a listener's, 0 for none; lock
 * @slot_since: number of the last cookie before it had the slot
 * @own: @self is its own; lock
 * @closed: TCP's, attached itself, is not connected; lock
 * @tcp: ends with a state change, otherwise with the task
 * @sctp: ends with the task, but may have something to send yet; nothing tells
 *	of its end
 * @waited: vif_sock_waits(): it may have something to send yet, too
 * @rcu: readers in packet context
 */
struct vif_sock {
	struct rhash_head node;
	u64 id;
	struct vif_subject __rcu *task;
	struct vif_subject __rcu *self;
	struct cgroup *cgroup;
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
	struct rcu_head rcu;
};

/*
 * Numbers in a row need no better hash, and what is inline is paid by each packet. Not
 * hash_64(): on 32 bit its low bits, which the table takes, are of the low bits only.
 */
static inline u32 vif_sock_hash(const void *id, u32 len, u32 seed)
{
	return ((*(const u64 *)id ^ seed) * GOLDEN_RATIO_64) >> 32;
}

static inline int vif_sock_compare(struct rhashtable_compare_arg *arg, const void *record)
{
	return ((const struct vif_sock *)record)->id != *(const u64 *)arg->key;
}

static const struct rhashtable_params vif_sock_params = {
	.key_len = sizeof_field(struct vif_sock, id),
	.key_offset = offsetof(struct vif_sock, id),
	.head_offset = offsetof(struct vif_sock, node),
	.hashfn = vif_sock_hash,
	.obj_cmpfn = vif_sock_compare,
	.automatic_shrinking = true,
};

extern struct rhashtable vif_sock_table;
extern spinlock_t vif_sock_spinlock;

/* Caller holds rcu_read_lock(): then it is valid, or under the lock. */
static inline struct vif_sock *vif_sock_find(u64 id)
{
	return id ? rhashtable_lookup(&vif_sock_table, &id, vif_sock_params) : NULL;
}

static inline struct vif_subject *__vif_sock_task(const struct vif_sock *record)
{
	return rcu_dereference_protected(record->task, lockdep_is_held(&vif_sock_spinlock));
}

static inline struct vif_subject *__vif_sock_self(const struct vif_sock *record)
{
	return rcu_dereference_protected(record->self, lockdep_is_held(&vif_sock_spinlock));
}

/* A listener's record, for a connection that has none of its own; valid as above. */
static inline struct vif_sock *vif_sock_find_listener(const struct sock *sk, u64 id)
{
	unsigned int slot = vif_sock_cookie_slot(id);
	struct vif_net *vn = slot ? vif_net_find(sock_net(sk)) : NULL;
	struct vif_sock *record;

	if (!vn)
		return NULL;
	record = vif_listeners_find(vn->listeners, slot);
	/* the slot may have been another listener's then */
	return record && vif_sock_cookie_number(id) > record->slot_since ? record : NULL;
}

/* Have records stay as they are: the lock of socket records, and RCU. */
void vif_sock_lock(void);

/* What has been forgotten meanwhile is freed. */
void vif_sock_unlock(void);

/**
 * vif_sock_in_batches() - deal with many records
 * @fn: called with the lock held, until it returns false
 * @arg: for @fn
 *
 * Others get the lock in between. Context: process, may sleep.
 */
void vif_sock_in_batches(bool (*fn)(void *arg), void *arg);

/**
 * __vif_sock_get() - a socket's record, a new one if there is none
 * @sk: a full socket
 * @user: who uses it, and pays for a new one; NULL if that is not known
 *
 * Context: caller holds the lock.
 * Return: the record, NULL without memory.
 */
struct vif_sock *__vif_sock_get(struct sock *sk, const struct cred *user);

/* Lock held; valid until vif_sock_unlock(). */
void __vif_sock_forget(struct vif_sock *record);

/* It is open, or again. Caller holds the lock. */
void __vif_sock_open(struct vif_sock *record);

/* It is the last of a class to be forgotten. Caller holds the lock. */
void __vif_sock_line_up(struct vif_sock *record, enum vif_sock_class class);

/* The reference to @task, which may be NULL, passes to the record. Caller holds the lock. */
void __vif_sock_set_task(struct vif_sock *record, struct vif_subject *task);

/*
 * It listens. Without a slot its connections are known from their first use. Caller
 * holds the lock.
 */
void __vif_sock_take_slot(struct vif_sock *record, const struct sock *sk);

#endif
