// SPDX-License-Identifier: GPL-2.0
#include "sock_payer.h"

#include <linux/hashtable.h>
#include <linux/moduleparam.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

static unsigned int user_sockets = 65536;
module_param(user_sockets, uint, 0644);
MODULE_PARM_DESC(user_sockets,
		 "Sockets of a user in a network namespace that are remembered");

/* The same for root of the initial user namespace, and the kernel. */
#define ROOT_SOCKETS	262144

/* By namespace and user: a user may have any number of namespaces. */
static DEFINE_HASHTABLE(table, 10);
static hsiphash_key_t secret __ro_after_init;

static u32 vif_sock_payer_hash(const struct vif_sock_payer_key *key)
{
	return hsiphash(key, sizeof(*key), &secret);
}

struct vif_sock_payer_key vif_sock_payer_key(const struct net *net, kuid_t uid)
{
	return (struct vif_sock_payer_key) {
		.net = net->net_cookie,
		.uid = __kuid_val(uid),
	};
}

/* Under the lock of socket records, or rcu_read_lock(). */
static struct vif_sock_payer *vif_sock_payer_find(const struct vif_sock_payer_key *key)
{
	struct vif_sock_payer *payer;

	hash_for_each_possible_rcu(table, payer, node, vif_sock_payer_hash(key))
		if (payer->key.net == key->net && payer->key.uid == key->uid)
			return payer;
	return NULL;
}

bool vif_sock_payer_is_known(const struct vif_sock_payer_key *key)
{
	return vif_sock_payer_find(key);
}

struct vif_sock_payer *__vif_sock_payer_get(const struct vif_sock_payer_key *key)
{
	struct vif_sock_payer *payer = vif_sock_payer_find(key);

	if (payer)
		payer->records++;
	return payer;
}

struct vif_sock_payer *__vif_sock_payer_add(struct vif_sock_payer *payer,
					    const struct vif_sock_payer_key *key)
{
	unsigned int i;

	payer->key = *key;
	payer->records = 1;
	for (i = 0; i < VIF_SOCK_CLASSES; i++)
		INIT_LIST_HEAD(&payer->line[i]);
	hash_add_rcu(table, &payer->node, vif_sock_payer_hash(key));
	return payer;
}

void __vif_sock_payer_put(struct vif_sock_payer *payer)
{
	if (--payer->records)
		return;
	hash_del_rcu(&payer->node);
	kfree_rcu(payer, rcu);
}

bool __vif_sock_payer_is_over(const struct vif_sock_payer *payer)
{
	return payer->records > (payer->key.uid ? READ_ONCE(user_sockets) :
						  ROOT_SOCKETS);
}

void vif_sock_payer_init(void)
{
	get_random_bytes(&secret, sizeof(secret));
}
