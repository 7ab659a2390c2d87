/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounts for socket records: a user in a network namespace. Beyond the limit, the user's own
 * records are evicted.
 *
 * The key is the number of the namespace and of the user, so records of closed sockets hold
 * neither. All is under the lock of socket records, except that vif_sock_payer_is_known() reads
 * without it.
 */
#ifndef NETNICE_VIF_SOCK_PAYER_H
#define NETNICE_VIF_SOCK_PAYER_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct net;

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

/* Hashed as bytes. */
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
 * @rcu: the table's readers
 */
struct vif_sock_payer {
	struct hlist_node node;
	struct vif_sock_payer_key key;
	struct list_head line[VIF_SOCK_CLASSES];
	unsigned int records;
	unsigned int slots;
	struct rcu_head rcu;
};

void vif_sock_payer_init(void);

struct vif_sock_payer_key vif_sock_payer_key(const struct net *net, kuid_t uid);

/* Is a user charged for records already? Caller holds rcu_read_lock(). */
bool vif_sock_payer_is_known(const struct vif_sock_payer_key *key);

/*
 * Charge one more record to an existing account, or return NULL. Context: caller holds the lock of
 * socket records.
 */
struct vif_sock_payer *__vif_sock_payer_get(const struct vif_sock_payer_key *key);

/**
 * __vif_sock_payer_add() - the same for a user without an account
 * @payer: zeroed memory for the account
 * @key: the user
 *
 * Context: caller holds the lock of socket records.
 * Return: the account, for __vif_sock_payer_put().
 */
struct vif_sock_payer *__vif_sock_payer_add(struct vif_sock_payer *payer,
					    const struct vif_sock_payer_key *key);

/* Drop one record. Context: caller holds the lock of socket records. */
void __vif_sock_payer_put(struct vif_sock_payer *payer);

/* Is the account above its limit? Context: caller holds the lock of socket records. */
bool __vif_sock_payer_is_over(const struct vif_sock_payer *payer);

#endif
