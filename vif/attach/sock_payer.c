// SPDX-License-Identifier: GPL-2.0
#include "sock_payer.h"

#include <linux/moduleparam.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

static unsigned int user_sockets = 65536;
module_param(user_sockets, uint, 0644);
MODULE_PARM_DESC(user_sockets,
		 "Sockets of a user in a network namespace that are remembered");

/* The same for root of the initial user namespace, and the kernel. */
#define ROOT_SOCKETS	262144

static const struct rhashtable_params params = {
	.key_len = sizeof_field(struct vif_sock_payer, key),
	.key_offset = offsetof(struct vif_sock_payer, key),
	.head_offset = offsetof(struct vif_sock_payer, node),
	.automatic_shrinking = true,
};

static struct rhashtable table;

static struct vif_sock_payer *create(const struct vif_sock_payer_key *key)
{
	struct vif_sock_payer *payer;
	unsigned int i;

	payer = kzalloc(sizeof(*payer),
			GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!payer)
		return NULL;
	payer->key = *key;
	for (i = 0; i < VIF_SOCK_CLASSES; i++)
		INIT_LIST_HEAD(&payer->line[i]);
	if (rhashtable_insert_fast(&table, &payer->node, params)) {
		kfree(payer);
		return NULL;
	}
	return payer;
}

struct vif_sock_payer *__vif_sock_payer_get(const struct net *net, kuid_t uid)
{
	const struct vif_sock_payer_key key = {
		.net = net->net_cookie,
		.uid = __kuid_val(uid),
	};
	struct vif_sock_payer *payer;

	payer = rhashtable_lookup_fast(&table, &key, params) ?: create(&key);
	if (payer)
		payer->records++;
	return payer;
}

void __vif_sock_payer_put(struct vif_sock_payer *payer)
{
	if (--payer->records)
		return;
	rhashtable_remove_fast(&table, &payer->node, params);
	kfree_rcu(payer, rcu);
}

bool __vif_sock_payer_is_over(const struct vif_sock_payer *payer)
{
	return payer->records > (payer->key.uid ? READ_ONCE(user_sockets) :
						  ROOT_SOCKETS);
}

int vif_sock_payer_init(void)
{
	return rhashtable_init(&table, &params);
}

void vif_sock_payer_exit(void)
{
	rhashtable_destroy(&table);
}
