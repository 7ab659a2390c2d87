// SPDX-License-Identifier: GPL-2.0
#include "account.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/moduleparam.h>
#include <linux/net.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>
#include <net/sock.h>

static unsigned int user_vifs = 1024;
module_param(user_vifs, uint, 0644);
MODULE_PARM_DESC(user_vifs, "VIFs that a user may have");

static unsigned int user_attachments = 4096;
module_param(user_attachments, uint, 0644);
MODULE_PARM_DESC(user_attachments,
		 "Attachments that a user may have made, each device counted");

unsigned long vif_user_queue = 16 << 20;
module_param_named(user_queue, vif_user_queue, ulong, 0644);
MODULE_PARM_DESC(user_queue,
		 "Bytes of memory that packets waiting in a user's VIFs may take");

/*
 * A user who may give a file to subordinate users, and make it set-user-ID, can act as any of them,
 * also in the initial user namespace.
 */
static unsigned int subordinate[512];
static unsigned int subordinates;
module_param_array(subordinate, uint, &subordinates, 0644);
MODULE_PARM_DESC(subordinate,
		 "Ranges of users that count as one each: first,last,first,last,...");

static DEFINE_HASHTABLE(vif_account_table, 6);
static DEFINE_SPINLOCK(vif_account_lock);

kuid_t vif_account_user(kuid_t uid)
{
	unsigned int i, nr = __kuid_val(uid);

	for (i = 0; i + 1 < READ_ONCE(subordinates); i += 2)
		if (nr >= subordinate[i] && nr <= subordinate[i + 1])
			return KUIDT_INIT(subordinate[i]);
	return uid;
}

/* Outside the initial namespace users can be made up at will. */
static kuid_t vif_account_payer_uid(struct user_namespace *ns, kuid_t user)
{
	kuid_t uid = user;

	for (; ns != &init_user_ns; ns = ns->parent)
		uid = uid_eq(ns->owner, GLOBAL_ROOT_UID) ? make_kuid(ns, 0) :
							   ns->owner;
	return vif_account_user(uid_valid(uid) ? uid : user);
}

kuid_t vif_account_payer(void)
{
	return vif_account_payer_uid(current_user_ns(), current_fsuid());
}

kuid_t vif_account_payer_of(const struct cred *cred)
{
	return vif_account_payer_uid(cred->user_ns, cred->fsuid);
}

kuid_t vif_account_payer_in(struct user_namespace *ns)
{
	return vif_account_payer_uid(ns, GLOBAL_ROOT_UID);
}

/*
 * Return the user namespace in which a socket was opened, by the credentials of its file. Socket and
 * credentials are freed an RCU grace period after the file is closed. Caller holds rcu_read_lock().
 */
static struct user_namespace *vif_account_opened_in(const struct sock *sk)
{
	const struct socket *sock = READ_ONCE(sk->sk_socket);
	const struct file *file = sock ? READ_ONCE(sock->file) : NULL;

	return file ? file->f_cred->user_ns : &init_user_ns;
}

kuid_t vif_account_payer_of_sock(const struct sock *sk)
{
	struct user_namespace *ns = sock_net(sk)->user_ns;
	kuid_t payer;

	rcu_read_lock();
	if (ns == &init_user_ns)
		ns = vif_account_opened_in(sk);
	payer = vif_account_payer_uid(ns, READ_ONCE(sk->sk_uid));
	rcu_read_unlock();
	return payer;
}

static struct vif_account *__vif_account_lookup(kuid_t uid)
{
	struct vif_account *account;

	lockdep_assert_held(&vif_account_lock);
	hash_for_each_possible(vif_account_table, account, node, __kuid_val(uid))
		if (uid_eq(account->uid, uid))
			return account;
	return NULL;
}

/* Uses @fresh, if there is none yet; otherwise the caller still has that. */
static struct vif_account *vif_account_find_or_add(kuid_t uid, struct vif_account *fresh)
{
	struct vif_account *account;
	unsigned long flags;

	spin_lock_irqsave(&vif_account_lock, flags);
	account = __vif_account_lookup(uid);
	if (account) {
		refcount_inc(&account->refs);
	} else {
		account = fresh;
		account->uid = uid;
		refcount_set(&account->refs, 1);
		hash_add(vif_account_table, &account->node, __kuid_val(uid));
	}
	spin_unlock_irqrestore(&vif_account_lock, flags);
	return account;
}

static void vif_account_release(struct vif_account *account)
{
	unsigned long flags;
	bool last;

	spin_lock_irqsave(&vif_account_lock, flags);
	last = refcount_dec_and_test(&account->refs);
	if (last)
		hash_del(&account->node);
	spin_unlock_irqrestore(&vif_account_lock, flags);
	if (last)
		kfree(account);
}

unsigned int vif_account_most(enum vif_charge what)
{
	return READ_ONCE(*(what == VIF_CHARGE_VIF ? &user_vifs :
						    &user_attachments));
}

/* Return a user's account, referenced, or NULL without memory. */
static struct vif_account *vif_get_account(kuid_t uid)
{
	struct vif_account *fresh = kzalloc(sizeof(*fresh), VIF_GFP);
	struct vif_account *account;

	if (!fresh)
		return NULL;
	account = vif_account_find_or_add(uid, fresh);
	if (account != fresh)
		kfree(fresh);
	return account;
}

struct vif_account *vif_account_charge_device(struct user_namespace *ns)
{
	struct vif_account *account;

	if (ns == &init_user_ns)
		return NULL;
	account = vif_get_account(vif_account_payer_in(ns));
	if (!account)
		return ERR_PTR(-ENOMEM);
	atomic_inc(&account->count[VIF_CHARGE_DEVICE]);
	return account;
}

/* Add @n only if the sum is not too large, so other CPUs never see a sum that is too large. */
static bool vif_account_add_up_to(atomic_t *count, unsigned int n, unsigned int most)
{
	int was = atomic_read(count);

	do {
		if (n > most || was > most - n)
			return false;
	} while (!atomic_try_cmpxchg(count, &was, was + n));
	return true;
}

struct vif_account *vif_account_charge(enum vif_charge what, unsigned int n)
{
	struct vif_account *account;

	if (capable(CAP_SYS_RESOURCE))
		return NULL;
	account = vif_get_account(vif_account_payer());
	if (!account)
		return ERR_PTR(-ENOMEM);
	if (!vif_account_add_up_to(&account->count[what], n, vif_account_most(what))) {
		vif_account_release(account);
		return ERR_PTR(-EDQUOT);
	}
	refcount_add(n - 1, &account->refs);
	return account;
}

void vif_account_uncharge(struct vif_account *account, enum vif_charge what)
{
	if (!account)
		return;
	atomic_dec(&account->count[what]);
	vif_account_release(account);
}
