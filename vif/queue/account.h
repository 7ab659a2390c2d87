/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounts: how much each user has of what the kernel keeps for him, so that nobody
 * uses up the memory, or the time, of others.
 *
 * Who pays is the user in the initial user namespace; for somebody in another one,
 * who may be any number of users, it is whoever has made the outermost one, or, if that
 * was root, who is root in it. All who are subordinate to one user pay together. Who has
 * CAP_SYS_RESOURCE does not pay.
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
 * enum vif_charge - what is counted
 * @VIF_CHARGE_VIF: VIFs, until the last packet and socket of them is gone
 * @VIF_CHARGE_ATTACHMENT: what has been attached, on each device once; what inherits is
 *	free
 * @VIF_CHARGE_DEVICE: devices of network namespaces that users have made, without a bound
 *	of ours: what waits in their root VIFs counts
 */
enum vif_charge {
	VIF_CHARGE_VIF,
	VIF_CHARGE_ATTACHMENT,
	VIF_CHARGE_DEVICE,
	VIF_CHARGES
};

/**
 * struct vif_account - what a user has
 * @node: in the table
 * @uid: the user
 * @refs: one for each charge
 * @count: by enum vif_charge
 * @waiting: memory of packets that wait in his VIFs
 * @flows: of these packets, those that have a place of their own
 */
struct vif_account {
	struct hlist_node node;
	kuid_t uid;
	refcount_t refs;
	atomic_t count[VIF_CHARGES];
	atomic64_t waiting;
	atomic_t flows;
};

/* Bytes that may wait in all VIFs of a user together: a module parameter. */
extern unsigned long vif_user_queue;

/*
 * As whom a user of the initial user namespace counts: of a range of the parameter subordinate
 * its first one. Context: any.
 */
kuid_t vif_account_user(kuid_t uid);

/*
 * For what is made under a mutex for which others wait: there is rather no memory than that
 * they wait until some has been reclaimed in a control group.
 */
#define VIF_GFP		(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

/* Who pays for what the caller does. Context: process. */
kuid_t vif_account_payer(void);

/* The same for whoever has these credentials. Context: any. */
kuid_t vif_account_payer_of(const struct cred *cred);

/* Who pays for what is done in a user namespace; in the initial one root does. */
kuid_t vif_account_payer_in(struct user_namespace *ns);

/*
 * Who pays for what comes of a socket where whoever runs need not be its user: whose it
 * is, or in a network namespace of another user namespace than the initial one, who pays
 * for all that is done there. Context: any; a full socket.
 */
kuid_t vif_account_payer_of_sock(const struct sock *sk);

/**
 * vif_account_charge() - count so many things more for whoever runs
 * @what: which
 * @n: how many: all or none
 *
 * Context: process.
 * Return: the account, for as many vif_account_uncharge(), NULL if the caller does not pay, or
 *	an error pointer: -EDQUOT he has as many as he may, -ENOMEM.
 */
struct vif_account *vif_account_charge(enum vif_charge what, unsigned int n);

/**
 * vif_account_charge_device() - count one device more
 * @ns: who owns its network namespace
 *
 * Context: process.
 * Return: the account, for vif_account_uncharge(), or NULL: the initial user namespace's
 *	devices are nobody's, or there was no memory.
 */
struct vif_account *vif_account_charge_device(struct user_namespace *ns);

/* One less. @account may be NULL. Context: any. */
void vif_account_uncharge(struct vif_account *account, enum vif_charge what);

/* How many a user may have. */
unsigned int vif_account_most(enum vif_charge what);

/* May a packet of so many bytes wait? @account may be NULL. Context: any. */
static inline bool vif_account_has_room(const struct vif_account *account,
					unsigned int bytes)
{
	return !account || atomic64_read(&account->waiting) + bytes <=
			   READ_ONCE(vif_user_queue);
}

/* A packet begins, or with less than 0 bytes ends, to wait. Context: any. */
static inline void vif_account_wait(struct vif_account *account, s64 bytes)
{
	if (account)
		atomic64_add(bytes, &account->waiting);
}

/* Flows of a user that have a place; @account may be NULL. Context: any. */
static inline unsigned int vif_account_flows(const struct vif_account *account)
{
	return account ? atomic_read(&account->flows) : 0;
}

/* A flow gets a place (1), or gives it back (-1). Context: any. */
static inline void vif_account_flow(struct vif_account *account, int n)
{
	if (account)
		atomic_add(n, &account->flows);
}

#endif
