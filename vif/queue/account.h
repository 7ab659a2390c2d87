/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounts: how many kernel resources each user holds, so that no user exhausts the memory or the
 * time of others.
 *
 * The charged user is the user in the initial user namespace. Actions in another user namespace,
 * which may contain any number of users, are charged to the creator of the outermost one or, if
 * that was root, to its root. All subordinate users of a user are charged together.
 * CAP_SYS_RESOURCE is not charged.
 */
#ifndef NETNICE_VIF_ACCOUNT_H
#define NETNICE_VIF_ACCOUNT_H

#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct cred;
struct sock;
struct user_namespace;

/**
 * enum vif_charge - kinds of charges
 * @VIF_CHARGE_VIF: VIFs, until the last packet and socket of them is gone
 * @VIF_CHARGE_ATTACHMENT: attachments, on each device once; inherited ones are
 *	free
 * @VIF_CHARGE_DEVICE: devices of network namespaces that users have made, without an own
 *	bound: packets queued in their root VIFs count
 */
enum vif_charge {
	VIF_CHARGE_VIF,
	VIF_CHARGE_ATTACHMENT,
	VIF_CHARGE_DEVICE,
	VIF_CHARGES
};

/**
 * struct vif_account - resources of a user
 * @node: in the table
 * @uid: the user
 * @refs: one for each charge
 * @count: by enum vif_charge
 * @waiting: memory of queued packets in the user's VIFs
 * @flows: flow slots of these packets
 */
struct vif_account {
	struct hlist_node node;
	kuid_t uid;
	refcount_t refs;
	atomic_t count[VIF_CHARGES];
	atomic64_t waiting;
	atomic_t flows;
};

/* The bytes of packets that may be queued in all VIFs of a user together: a module parameter. */
extern unsigned long vif_user_queue;

/*
 * Return the user that a user of the initial user namespace is charged as: for a range of the
 * parameter subordinate, its first user. Context: any.
 */
kuid_t vif_account_user(kuid_t uid);

/*
 * Flags for allocations under a mutex for which other users wait: the allocation fails rather than
 * wait until a control group has reclaimed memory.
 */
#define VIF_GFP		(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

/* Return the account charged for the caller's actions. Context: process. */
kuid_t vif_account_payer(void);

/* The same for these credentials. Context: any. */
kuid_t vif_account_payer_of(const struct cred *cred);

/* Return the account charged for a user namespace; in the initial one it is root's. */
kuid_t vif_account_payer_in(struct user_namespace *ns);

/*
 * Return the charged user for work on a socket if the running task need not be its user: the
 * socket's owner, by the user namespace of the process that opened it, or, in a network namespace
 * of another user namespace than the initial one, the user who is charged for that namespace.
 * Context: any; a full socket.
 */
kuid_t vif_account_payer_of_sock(const struct sock *sk);

/**
 * vif_account_charge() - charge @n more objects to the running task's user
 * @what: which
 * @n: how many: all or none
 *
 * Context: process.
 * Return: the account, for as many vif_account_uncharge(), NULL if the caller does not pay, or
 *	an error pointer: -EDQUOT the user's limit is reached, -ENOMEM.
 */
struct vif_account *vif_account_charge(enum vif_charge what, unsigned int n);

/**
 * vif_account_charge_device() - charge one more device
 * @ns: owner of its network namespace
 *
 * Context: process.
 * Return: the account, for vif_account_uncharge(), NULL if the caller does not pay, as in the
 *	initial user namespace, or an error pointer: -ENOMEM.
 */
struct vif_account *vif_account_charge_device(struct user_namespace *ns);

/* Drop one charge. @account may be NULL. Context: any. */
void vif_account_uncharge(struct vif_account *account, enum vif_charge what);

/* How many a user may have. */
unsigned int vif_account_most(enum vif_charge what);

/* Is there room for @bytes more of queued packets? @account may be NULL. Context: any. */
static inline bool vif_account_has_room(const struct vif_account *account,
					unsigned int bytes)
{
	return !account || atomic64_read(&account->waiting) + bytes <=
			   READ_ONCE(vif_user_queue);
}

/*
 * Count the memory of a packet that is queued; @bytes is negative for one that leaves. Context:
 * any.
 */
static inline void vif_account_wait(struct vif_account *account, s64 bytes)
{
	if (account)
		atomic64_add(bytes, &account->waiting);
}

/* Return the number of a user's flow slots; @account may be NULL. Context: any. */
static inline unsigned int vif_account_flows(const struct vif_account *account)
{
	return account ? atomic_read(&account->flows) : 0;
}

/* Count a flow that gets a slot (@n is 1), or returns it (-1). Context: any. */
static inline void vif_account_flow(struct vif_account *account, int n)
{
	if (account)
		atomic_add(n, &account->flows);
}

#endif
