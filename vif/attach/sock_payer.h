/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who pays for socket records: a user in a network namespace. Whoever has more of them
 * than he may loses his own.
 *
 * He is known by numbers, of the namespace and of the user, so that nothing is kept for
 * records of sockets that are closed. All is under the lock of socket records, but that
 * vif_sock_payer_is_known() looks without.
 */
#ifndef NETNICE_VIF_SOCK_PAYER_H
#define NETNICE_VIF_SOCK_PAYER_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct net;

/*
 * Records by what may be forgotten first: what is closed, in the order in which that
 * ends; datagram sockets; TCP's: their end is known, and many datagram sockets shall not
 * push out connections; and those with attachments of their own, never.
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
 * struct vif_sock_payer - who pays for some records
 * @node: in the table
 * @key: cookie of the network namespace, number of the user
 * @line: his records, the oldest first
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

/* Does he pay for records already? Caller holds rcu_read_lock(). */
bool vif_sock_payer_is_known(const struct vif_sock_payer_key *key);

/*
 * One record more of whoever pays already, or NULL. Context: caller holds the lock of socket
 * records.
 */
struct vif_sock_payer *__vif_sock_payer_get(const struct vif_sock_payer_key *key);

/**
 * __vif_sock_payer_add() - the same of somebody who pays for none so far
 * @payer: zeroed memory for him
 * @key: who he is
 *
 * Context: caller holds the lock of socket records.
 * Return: he, for __vif_sock_payer_put().
 */
struct vif_sock_payer *__vif_sock_payer_add(struct vif_sock_payer *payer,
					    const struct vif_sock_payer_key *key);

/* One less. Context: caller holds the lock of socket records. */
void __vif_sock_payer_put(struct vif_sock_payer *payer);

/* Has he more than he may? Context: caller holds the lock of socket records. */
bool __vif_sock_payer_is_over(const struct vif_sock_payer *payer);

#endif
