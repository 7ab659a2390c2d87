// SPDX-License-Identifier: GPL-2.0
/*
 * The table of records, by their sockets' cookies. Lookups are lockless. One lock serializes
 * changes. It also guards the lists of records: of each user, by order of eviction (enum
 * vif_sock_class), of each task (@of_task), and of closed sockets. If a user at the limit gets a
 * new record, an old one is evicted.
 *
 * The lock is raw, and the table has a fixed size, because of probes of tracepoints. They run with
 * preemption off, even on a real-time kernel, where a growing table would have to allocate. So
 * would new records: spares exist for them.
 */
#include "sock_record.h"

#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/kmemleak.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/tcp.h>

#include "../queue/account.h"
#include "../tree/listeners.h"
#include "../tree/net.h"
#include "cgroup.h"
#include "raw.h"
#include "reserve.h"
#include "subject.h"

static inline struct vif_subject *__vif_sock_task(const struct vif_sock *record)
{
	return rcu_dereference_protected(record->task, lockdep_is_held(&vif_sock_spinlock));
}

static unsigned int user_sockets = 65536;
module_param(user_sockets, uint, 0644);
MODULE_PARM_DESC(user_sockets,
		 "Sockets of a user in a network namespace that are remembered");

/* Root of the initial user namespace and the kernel may have this many. */
#define ROOT_SOCKETS	262144

/* By namespace and user: a user may have any number of namespaces. */
static DEFINE_HASHTABLE(vif_sock_payer_table, 10);
static hsiphash_key_t vif_sock_payer_secret __ro_after_init;

static u32 vif_sock_payer_hash(const struct vif_sock_payer_key *key)
{
	return hsiphash(key, sizeof(*key), &vif_sock_payer_secret);
}

static struct vif_sock_payer_key vif_sock_payer_key(const struct net *net, kuid_t uid)
{
	return (struct vif_sock_payer_key) {
		.net = net->net_cookie,
		.uid = __kuid_val(uid),
	};
}

/* The caller holds the lock of socket records, or rcu_read_lock(). */
static struct vif_sock_payer *vif_sock_payer_find(const struct vif_sock_payer_key *key)
{
	struct vif_sock_payer *payer;

	hash_for_each_possible_rcu(vif_sock_payer_table, payer, node, vif_sock_payer_hash(key))
		if (payer->key.net == key->net && payer->key.uid == key->uid)
			return payer;
	return NULL;
}

/* Is a user charged for records already? Caller holds rcu_read_lock(). */
static bool vif_sock_payer_is_known(const struct vif_sock_payer_key *key)
{
	return vif_sock_payer_find(key);
}

/*
 * Charge one more record to an existing account, or return NULL. Context: caller holds the lock of
 * socket records.
 */
static struct vif_sock_payer *__vif_sock_payer_get(const struct vif_sock_payer_key *key)
{
	struct vif_sock_payer *payer = vif_sock_payer_find(key);

	if (payer)
		payer->records++;
	return payer;
}

/**
 * __vif_sock_payer_add() - the same for a user without an account
 * @payer: zeroed memory for the account
 * @key: the user
 *
 * Context: caller holds the lock of socket records.
 * Return: the account, for __vif_sock_payer_put().
 */
static struct vif_sock_payer *__vif_sock_payer_add(struct vif_sock_payer *payer,
						   const struct vif_sock_payer_key *key)
{
	unsigned int i;

	payer->key = *key;
	payer->records = 1;
	for (i = 0; i < VIF_SOCK_CLASSES; i++)
		INIT_LIST_HEAD(&payer->line[i]);
	hash_add_rcu(vif_sock_payer_table, &payer->node, vif_sock_payer_hash(key));
	return payer;
}

/* Drop one record. Context: caller holds the lock of socket records. */
static void __vif_sock_payer_put(struct vif_sock_payer *payer)
{
	if (--payer->records)
		return;
	hash_del_rcu(&payer->node);
	kfree_rcu(payer, rcu);
}

/* Is the account above its limit? Context: caller holds the lock of socket records. */
static bool __vif_sock_payer_is_over(const struct vif_sock_payer *payer)
{
	return payer->records > (payer->key.uid ? READ_ONCE(user_sockets) :
						  ROOT_SOCKETS);
}

static void vif_sock_payer_init(void)
{
	get_random_bytes(&vif_sock_payer_secret, sizeof(vif_sock_payer_secret));
}

/*
 * Number of reserved records; a worker refills them. On a real-time kernel, code that cannot
 * allocate takes records from here. Other kernels need one only if a record was freed between a
 * test and the lock.
 */
#define SPARES		(IS_ENABLED(CONFIG_PREEMPT_RT) ? 256 : 8)

#define RESERVE(item, type, most) \
	[item] = VIF_RESERVE_INIT(vif_sock_spares[item], type, most, &vif_sock_spinlock)

static struct vif_reserve vif_sock_spares[VIF_SOCK_ITEMS] = {
	RESERVE(VIF_SOCK_RECORD, struct vif_sock, SPARES),
	RESERVE(VIF_SOCK_PAYER, struct vif_sock_payer, SPARES / 8),
	RESERVE(VIF_SOCK_LEAF, struct vif_listeners_leaf, SPARES / 8),
};

/* Allocate one in advance. Context: any in which the lock of socket records is not held. */
static void vif_sock_memory_get(struct vif_sock_memory *memory, enum vif_sock_item item)
{
	if (vif_context_is_raw())
		return;
	memory->item[item] = kzalloc(vif_sock_spares[item].size,
				     GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!memory->item[item])
		memory->refused = true;
}

/* Return it, or a reserved one, zeroed; or NULL. Caller holds the lock of socket records. */
static void *__vif_sock_memory_take(struct vif_sock_memory *memory, enum vif_sock_item item)
{
	void *taken = memory->item[item];

	memory->item[item] = NULL;
	if (!taken && !memory->refused)
		taken = __vif_reserve_take(&vif_sock_spares[item]);
	return taken;
}

/* Free unused memory. Context: as vif_sock_memory_get(). */
static void vif_sock_memory_put(struct vif_sock_memory *memory)
{
	unsigned int i;

	for (i = 0; i < VIF_SOCK_ITEMS; i++)
		kfree(memory->item[i]);
}

/* Fill the spares. Context: process. */
static void vif_sock_memory_init(void)
{
	unsigned int i;

	for (i = 0; i < VIF_SOCK_ITEMS; i++)
		vif_reserve_fill(&vif_sock_spares[i]);
}

/* Context: process; there are no records any more, and no new ones. */
static void vif_sock_memory_exit(void)
{
	unsigned int i;

	for (i = 0; i < VIF_SOCK_ITEMS; i++)
		vif_reserve_drain(&vif_sock_spares[i]);
}

/* At most this many records are handled during one hold of the lock, because others spin for it. */
#define BATCH		16

/*
 * The table has a chain for so many bytes of the machine's memory, within bounds. The chains take
 * 0.05 % of the memory.
 */
#define BYTES_PER_CHAIN	(16 << 10)
#define CHAINS_MIN	4096
#define CHAINS_MAX	(1 << 19)

/* Records evicted for a new one: two, so that the number falls to a bound that was lowered. */
#define EVICTED_MAX	2

struct vif_sock_table vif_sock_table __ro_after_init;
DEFINE_RAW_SPINLOCK(vif_sock_spinlock);

/* Records evicted under the lock, to be freed without it; lock. */
static LIST_HEAD(vif_sock_dead);

static unsigned int vif_sock_count;
bool vif_sock_some __read_mostly;

static void __vif_sock_drop_slot(struct vif_sock *record)
{
	lockdep_assert_held(&vif_sock_spinlock);
	if (!record->slot)
		return;
	vif_listeners_drop(record->listeners, record->slot);
	record->payer->slots--;
	WRITE_ONCE(record->slot, 0);
}

static void __vif_sock_want_leaf(struct vif_listeners *listeners, struct vif_sock_hold *hold)
{
	struct vif_listeners_leaf *leaf;

	if (!vif_listeners_want_leaf(listeners))
		return;
	leaf = __vif_sock_memory_take(&hold->memory, VIF_SOCK_LEAF);
	if (leaf)
		vif_listeners_add_leaf(listeners, leaf);
}

void __vif_sock_take_slot(struct vif_sock *record, struct vif_sock_hold *hold)
{
	struct vif_net *vn = vif_net_find(sock_net(hold->sk));
	unsigned int slot;

	lockdep_assert_held(&vif_sock_spinlock);
	if (record->slot || !vn)
		return;
	record->listeners = vn->listeners;
	record->slot_since = vif_sock_cookie_last();
	__vif_sock_want_leaf(vn->listeners, hold);
	slot = vif_listeners_take(vn->listeners, record, record->payer->slots);
	if (slot)
		record->payer->slots++;
	WRITE_ONCE(record->slot, slot);
}

static void __vif_sock_count(int n)
{
	lockdep_assert_held(&vif_sock_spinlock);
	vif_sock_count += n;
	if (vif_sock_some != !!vif_sock_count)
		WRITE_ONCE(vif_sock_some, vif_sock_count);
}

static void vif_sock_put_subject(struct vif_subject *subject)
{
	if (subject)
		vif_subject_put(subject);
}

static void vif_sock_lock_held(struct vif_sock_hold *hold)
	__acquires(&vif_sock_spinlock)
{
	raw_spin_lock_irqsave(&vif_sock_spinlock, hold->flags);
}

void vif_sock_lock(struct vif_sock_hold *hold)
	__acquires(RCU) __acquires(&vif_sock_spinlock)
{
	*hold = (struct vif_sock_hold) { };
	rcu_read_lock();
	vif_sock_lock_held(hold);
}

static void vif_sock_get_memory(struct vif_sock_hold *hold, bool listens)
{
	struct vif_net *vn = listens ? vif_net_find(sock_net(hold->sk)) : NULL;

	if (!vif_sock_find(atomic64_read(&hold->sk->sk_cookie))) {
		vif_sock_memory_get(&hold->memory, VIF_SOCK_RECORD);
		if (!vif_sock_payer_is_known(&hold->key))
			vif_sock_memory_get(&hold->memory, VIF_SOCK_PAYER);
	}
	if (vn && vif_listeners_want_leaf(vn->listeners))
		vif_sock_memory_get(&hold->memory, VIF_SOCK_LEAF);
}

void vif_sock_lock_for(struct vif_sock_hold *hold, struct sock *sk, const struct cred *user,
		       bool listens)
	__acquires(RCU) __acquires(&vif_sock_spinlock)
{
	kuid_t uid = user ? vif_account_payer_of(user) : vif_account_payer_of_sock(sk);

	*hold = (struct vif_sock_hold) {
		.sk = sk,
		.key = vif_sock_payer_key(sock_net(sk), uid),
	};
	rcu_read_lock();
	vif_sock_get_memory(hold, listens);
	vif_sock_lock_held(hold);
}

void vif_sock_unlock(struct vif_sock_hold *hold)
	__releases(&vif_sock_spinlock) __releases(RCU)
{
	struct vif_sock *record, *next;
	LIST_HEAD(free);

	list_splice_init(&vif_sock_dead, &free);
	raw_spin_unlock_irqrestore(&vif_sock_spinlock, hold->flags);
	rcu_read_unlock();
	vif_sock_memory_put(&hold->memory);
	list_for_each_entry_safe(record, next, &free, age) {
		vif_sock_put_subject(rcu_dereference_protected(record->task, true));
		vif_sock_put_subject(rcu_dereference_protected(record->self, true));
		vif_cgroup_put(record->cgroup);
		vif_cgroup_put(record->trail.used_in);
		kfree_rcu(record, rcu);
	}
}

void __vif_sock_forget(struct vif_sock *record)
{
	lockdep_assert_held(&vif_sock_spinlock);
	hlist_del_rcu(&record->node);
	vif_genid_change_sock(record->id);
	__vif_sock_drop_slot(record);
	list_del(&record->of_task);
	list_del(&record->end);
	list_move(&record->age, &vif_sock_dead);
	__vif_sock_payer_put(record->payer);
	__vif_sock_count(-1);
}

void vif_sock_in_batches(bool (*fn)(void *arg), void *arg)
{
	struct vif_sock_hold hold;
	unsigned int n;

	do {
		vif_sock_lock(&hold);
		for (n = 0; n < BATCH && fn(arg); n++)
			;
		vif_sock_unlock(&hold);
		cond_resched();
	} while (n == BATCH);
}

/* Second chance: a record in use goes to the end of the line, once around. */
static void __vif_sock_evict(struct vif_sock_payer *payer)
{
	enum vif_sock_class class = VIF_SOCK_CLOSED;
	struct vif_sock *record;
	struct list_head *line;
	unsigned int i;

	lockdep_assert_held(&vif_sock_spinlock);
	while (class < VIF_SOCK_TCP && list_empty(&payer->line[class]))
		class++;
	line = &payer->line[class];
	for (i = 0; i < 16 && class != VIF_SOCK_CLOSED; i++) {
		record = list_first_entry_or_null(line, struct vif_sock, age);
		if (!record || !record->trail.used)
			break;
		record->trail.used = false;
		list_move_tail(&record->age, line);
	}
	record = list_first_entry_or_null(line, struct vif_sock, age);
	if (record)
		__vif_sock_forget(record);
}

/* A record is about to come, and counted already. */
static void __vif_sock_trim(struct vif_sock_payer *payer)
{
	unsigned int n;

	for (n = 0; n < EVICTED_MAX && __vif_sock_payer_is_over(payer); n++)
		__vif_sock_evict(payer);
}

void __vif_sock_line_up(struct vif_sock *record, enum vif_sock_class class)
{
	lockdep_assert_held(&vif_sock_spinlock);
	list_move_tail(&record->age, &record->payer->line[class]);
}

void __vif_sock_open(struct vif_sock *record)
{
	lockdep_assert_held(&vif_sock_spinlock);
	record->until = 0;
	list_del_init(&record->end);
	__vif_sock_line_up(record, record->tcp ? VIF_SOCK_TCP : VIF_SOCK_OTHER);
}

void __vif_sock_set_task(struct vif_sock *record, struct vif_subject *task)
{
	struct vif_subject *was = __vif_sock_task(record);

	lockdep_assert_held(&vif_sock_spinlock);
	/* a closed socket may connect again */
	record->closed = false;
	WRITE_ONCE(record->left, false);
	if (record->until && task)
		__vif_sock_open(record);
	rcu_assign_pointer(record->task, task);
	vif_genid_change_sock(record->id);
	list_del_init(&record->of_task);
	if (task)
		list_add_tail(&record->of_task, &task->socks);
	vif_sock_put_subject(was);
}

/* Before a socket had a record, its packets went by the root VIF. */
struct vif *vif_sock_trail_set(struct vif_sock_trail *trail, const struct vif *vif,
			       enum vif_dir dir)
{
	u64 was = READ_ONCE(trail->by[dir]);

	if (was == vif->ino || cmpxchg64(&trail->by[dir], was, vif->ino) != was)
		return NULL;
	if (!was)
		was = vif->dev->root->ino;
	return was == vif->ino ? NULL : vif_get_by_ino(was);
}

void __vif_sock_set_used_in(struct vif_sock *record, struct cgroup *used_in)
{
	struct cgroup *was = record->trail.used_in;

	lockdep_assert_held(&vif_sock_spinlock);
	WRITE_ONCE(record->trail.used_in, used_in);
	vif_genid_change_sock(record->id);
	/* readers may still have it: its memory is freed an RCU grace period later */
	vif_cgroup_put(was);
}

/* A connection begins as its listener's. */
static void __vif_sock_inherit(struct vif_sock *record, const struct sock *sk)
{
	struct vif_sock *listener = vif_sock_find_listener(sock_net(sk), record->id);
	struct vif_subject *self, *task;

	if (!listener)
		return;
	self = __vif_sock_self(listener);
	task = __vif_sock_task(listener);
	if (self && vif_subject_get(self))
		RCU_INIT_POINTER(record->self, self);
	if (task && vif_subject_get(task))
		__vif_sock_set_task(record, task);
	vif_cgroup_get(listener->trail.used_in);
	record->trail.used_in = listener->trail.used_in;
}

static struct vif_sock_payer *__vif_sock_get_payer(struct vif_sock_hold *hold)
{
	struct vif_sock_payer *payer = __vif_sock_payer_get(&hold->key);

	if (payer)
		return payer;
	payer = __vif_sock_memory_take(&hold->memory, VIF_SOCK_PAYER);
	return payer ? __vif_sock_payer_add(payer, &hold->key) : NULL;
}

static void __vif_sock_init_record(struct vif_sock *record, u64 id, struct sock *sk,
				   struct vif_sock_payer *payer)
{
	record->id = id;
	/*
	 * The socket holds it, but may be closed first. So a group that was removed stays in memory
	 * for as long as the record, of which each user may have so many.
	 */
	record->cgroup = vif_cgroup_tryget(vif_cgroup_made_in(sk));
	record->tcp = sk_is_tcp(sk);
	record->sctp = sk->sk_protocol == IPPROTO_SCTP &&
		       sk->sk_type != SOCK_RAW;
	record->payer = payer;
	INIT_LIST_HEAD(&record->of_task);
	INIT_LIST_HEAD(&record->age);
	INIT_LIST_HEAD(&record->end);
}

static struct vif_sock *__vif_sock_add(u64 id, struct vif_sock_hold *hold)
{
	struct vif_sock_payer *payer = __vif_sock_get_payer(hold);
	struct vif_sock *record;

	lockdep_assert_held(&vif_sock_spinlock);
	if (!payer)
		return NULL;
	record = __vif_sock_memory_take(&hold->memory, VIF_SOCK_RECORD);
	if (!record) {
		__vif_sock_payer_put(payer);
		return NULL;
	}
	__vif_sock_init_record(record, id, hold->sk, payer);
	__vif_sock_trim(payer);
	__vif_sock_open(record);
	__vif_sock_inherit(record, hold->sk);
	__vif_sock_count(1);
	hlist_add_head_rcu(&record->node, vif_sock_chain(id));
	return record;
}

struct vif_sock *__vif_sock_get(struct vif_sock_hold *hold)
{
	u64 id = vif_sock_cookie(hold->sk);

	return vif_sock_find(id) ?: __vif_sock_add(id, hold);
}

static unsigned int vif_sock_chains(void)
{
	u64 bytes = (u64)totalram_pages() << PAGE_SHIFT;

	return roundup_pow_of_two(clamp_t(u64, bytes / BYTES_PER_CHAIN, CHAINS_MIN, CHAINS_MAX));
}

int vif_sock_record_init(void)
{
	unsigned int n = vif_sock_chains();

	vif_sock_table.head = kvcalloc(n, sizeof(*vif_sock_table.head), GFP_KERNEL);
	if (!vif_sock_table.head)
		return -ENOMEM;
	/* it searches a module's data for pointers, without what is read-only after init */
	kmemleak_not_leak(vif_sock_table.head);
	vif_sock_table.shift = 64 - ilog2(n);
	get_random_bytes(vif_sock_table.secret, sizeof(vif_sock_table.secret));
	/* an even number would lose bits */
	vif_sock_table.secret[1] |= 1;
	vif_sock_payer_init();
	vif_sock_memory_init();
	return 0;
}

/* Handle one record of a chain; return false if there is no more. */
static bool __vif_sock_end_one(void *chain)
{
	struct hlist_head *head = chain;

	if (hlist_empty(head))
		return false;
	__vif_sock_forget(hlist_entry(head->first, struct vif_sock, node));
	return true;
}

void vif_sock_record_exit(void)
{
	struct hlist_head *head, *end;

	end = vif_sock_table.head + BIT(64 - vif_sock_table.shift);

	for (head = vif_sock_table.head; head < end; head++)
		if (!hlist_empty(head))
			vif_sock_in_batches(__vif_sock_end_one, head);
	vif_sock_memory_exit();
	kvfree(vif_sock_table.head);
}

/*
 * Nothing tells when the last packet of a closed connection has come, nor that a socket
 * that is no TCP's is closed: we look, as long as there is anything to be looked after.
 */

/* How long packets may follow a connection: FIN_WAIT2 and TIME_WAIT, at their defaults. */
#define LINGER		(2 * TCP_TIMEWAIT_LEN)

/* For how long what a closed socket has sent may wait for a neighbour's address: 3 s by default. */
#define UNSENT		(10 * HZ)

/* How soon an attached socket is noticed to be closed. */
#define SWEEP		(HZ / 4)

/* Each in the order of @until: sockets that may get answers; sockets that may still send. */
static LIST_HEAD(vif_sock_ending);
static LIST_HEAD(vif_sock_unsent);

static void vif_sock_sweep_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(vif_sock_sweeper, vif_sock_sweep_work);

void vif_sock_sweep_soon(void)
{
	queue_delayed_work(vif_wq, &vif_sock_sweeper, SWEEP);
}

void __vif_sock_linger(struct vif_sock *record, bool answers)
{
	answers |= record->tcp || record->sctp;
	lockdep_assert_held(&vif_sock_spinlock);
	WRITE_ONCE(record->trail.used, false);
	record->until = (jiffies + (answers ? LINGER : UNSENT)) | 1;
	vif_genid_change_sock(record->id);
	list_move_tail(&record->end, answers ? &vif_sock_ending : &vif_sock_unsent);
	__vif_sock_line_up(record, VIF_SOCK_CLOSED);
	vif_sock_sweep_soon();
}

void __vif_sock_settle(struct vif_sock *record)
{
	lockdep_assert_held(&vif_sock_spinlock);
	if (!record->tcp && !record->own && !record->until && !rcu_access_pointer(record->task))
		__vif_sock_linger(record, true);
}

/* Accounts with a stand-in, in the order of @stands_until; lock. */
static LIST_HEAD(vif_sock_standing);

/* The account may be gone afterwards. */
static void __vif_sock_end_stand_in(struct vif_sock_payer *payer)
{
	lockdep_assert_held(&vif_sock_spinlock);
	if (!payer->stand_in)
		return;
	vif_subject_put(payer->stand_in);
	WRITE_ONCE(payer->stand_in, NULL);
	list_del(&payer->standing);
	__vif_sock_payer_put(payer);
}

void vif_sock_set_stand_in(const struct net *net, kuid_t uid, struct vif_subject *task)
{
	struct vif_sock_hold hold = { .key = vif_sock_payer_key(net, uid) };
	struct vif_sock_payer *payer;

	rcu_read_lock();
	if (task && !vif_sock_payer_is_known(&hold.key))
		vif_sock_memory_get(&hold.memory, VIF_SOCK_PAYER);
	vif_sock_lock_held(&hold);
	payer = task ? __vif_sock_get_payer(&hold) : vif_sock_payer_find(&hold.key);
	if (payer)
		__vif_sock_end_stand_in(payer);
	if (payer && task) {
		WRITE_ONCE(payer->stand_in, task);
		payer->stands_until = jiffies + UNSENT;
		list_add_tail(&payer->standing, &vif_sock_standing);
		vif_sock_sweep_soon();
	} else if (task) {
		vif_subject_put(task);
	}
	vif_sock_unlock(&hold);
}

bool vif_sock_has_stand_in(const struct net *net, kuid_t uid)
{
	const struct vif_sock_payer_key key = vif_sock_payer_key(net, uid);
	const struct vif_sock_payer *payer;
	bool has;

	rcu_read_lock();
	payer = vif_sock_payer_find(&key);
	has = payer && READ_ONCE(payer->stand_in);
	rcu_read_unlock();
	return has;
}

bool vif_sock_use_stand_in(struct sock *sk)
{
	struct vif_sock_payer *payer;
	struct vif_sock *record = NULL;
	struct vif_sock_hold hold;

	if (!vif_sock_has_stand_in(sock_net(sk), vif_account_payer_of_sock(sk)))
		return false;
	vif_sock_lock_for(&hold, sk, NULL, false);
	payer = vif_sock_payer_find(&hold.key);
	if (payer && payer->stand_in)
		record = __vif_sock_get(&hold);
	if (record && !rcu_access_pointer(record->task) && vif_subject_get(payer->stand_in)) {
		__vif_sock_set_task(record, payer->stand_in);
		WRITE_ONCE(record->left, true);
		/* an attached socket keeps its record */
		if (!record->own)
			__vif_sock_linger(record, false);
	}
	if (record)
		__vif_sock_settle(record);
	vif_sock_unlock(&hold);
	return true;
}

/* End the first stand-in of the list if its time is over, or @any. Return: false if it did not. */
static bool __vif_sock_sweep_stand_in(void *any)
{
	struct vif_sock_payer *payer;

	payer = list_first_entry_or_null(&vif_sock_standing, struct vif_sock_payer, standing);
	if (!payer || (!any && time_before(jiffies, payer->stands_until)))
		return false;
	__vif_sock_end_stand_in(payer);
	return true;
}

/*
 * Return true if only the entry holds the socket, so no packet of it is queued anywhere, for
 * example for a neighbour's address. Also return true after some time, because a receiver may keep
 * a packet forever.
 */
static bool vif_sock_is_left(const struct vif_subject *subject)
{
	const struct sock *sk = subject->sk;

	return (refcount_read(&sk->sk_refcnt) == 1 && !sk_wmem_alloc_get(sk)) ||
	       time_after(jiffies, READ_ONCE(subject->retired) + UNSENT);
}

/* End the attachments of a closed socket. Its connection may not have ended yet. */
static void vif_sock_sweep_one(struct vif_subject *subject, void *arg)
{
	if (subject->kind == VIF_SOCKET && sock_flag(subject->sk, SOCK_DEAD) &&
	    (!READ_ONCE(subject->retired) || vif_sock_is_left(subject)))
		vif_subject_end(VIF_SOCKET, subject->sk);
}

/*
 * Has a socket been used since its record began to linger? Then the record stays for as long again,
 * because nothing tells whether the socket is closed, if the socket may get answers, or if another
 * task may have it. TCP's end is known.
 */
static bool __vif_sock_is_in_use(const struct vif_sock *record, bool answers)
{
	return !record->tcp && (answers || record->left) && READ_ONCE(record->trail.used);
}

/* Forget the first record of a list if its time is over. Return: false if there is none. */
static bool __vif_sock_sweep_next(void *list)
{
	struct vif_sock *record;

	record = list_first_entry_or_null(list, struct vif_sock, end);
	if (!record || time_before(jiffies, record->until))
		return false;
	if (__vif_sock_is_in_use(record, list == &vif_sock_ending))
		__vif_sock_linger(record, list == &vif_sock_ending);
	else
		__vif_sock_forget(record);
	return true;
}

static void vif_sock_sweep_work(struct work_struct *work)
{
	bool more;

	vif_sock_in_batches(__vif_sock_sweep_next, &vif_sock_ending);
	vif_sock_in_batches(__vif_sock_sweep_next, &vif_sock_unsent);
	vif_sock_in_batches(__vif_sock_sweep_stand_in, NULL);
	more = !list_empty_careful(&vif_sock_ending) || !list_empty_careful(&vif_sock_unsent) ||
	       !list_empty_careful(&vif_sock_standing);
	if (vif_subject_any(VIF_SOCKET)) {
		vif_subject_each_change(vif_sock_sweep_one, NULL);
		more = true;
	}
	if (more)
		vif_sock_sweep_soon();
}

void vif_sock_sweep_stop(void)
{
	cancel_delayed_work_sync(&vif_sock_sweeper);
	vif_sock_in_batches(__vif_sock_sweep_stand_in, &vif_sock_standing);
}
