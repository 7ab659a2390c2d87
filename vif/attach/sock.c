// SPDX-License-Identifier: GPL-2.0
/*
 * Lookups are lockless. One lock makes changes exclusive; it guards the lists,
 * too.
 */
#include "sock.h"

#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/net.h>
#include <linux/rhashtable.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include <net/request_sock.h>
#include <net/tcp.h>

#include "../queue/account.h"
#include "../tree/dev.h"
#include "../tree/listeners.h"
#include "../tree/net.h"
#include "../tree/stamp.h"
#include "demux.h"
#include "sock_payer.h"
#include "task.h"

/*
 * Cookies. The kernel numbers from 0 up and from -1 down: ours have bit 62 set
 * and bit 63 clear. Below are a listener's slot in the socket's namespace, or 0, which a
 * connection gets from the request that it comes of; and a number that starts at the time of
 * loading, in units of 4096 ns, which is more than any earlier load can have
 * given away.
 */
#define ID_BASE		BIT_ULL(62)
#define ID_SLOT_SHIFT	50
#define ID_UNIT_SHIFT	12

/* What may follow a connection: FIN_WAIT2 and TIME_WAIT, at their defaults. */
#define LINGER		(2 * TCP_TIMEWAIT_LEN)

/* How soon an attached socket is noticed to be closed. */
#define SWEEP		(HZ / 4)

/* Records that are dealt with while the lock is held; others wait for it. */
#define BATCH		64

/* Evicted for one that comes: two, so that a bound that was lowered is reached. */
#define EVICTED_MAX	2

/**
 * struct vif_sock - a record
 * @node: in the table
 * @id: the socket's cookie
 * @task: who used it last (referenced), or NULL; changed under the lock
 * @self: its own attachments, or its listener's (referenced), or NULL; changed
 *	under the lock
 * @cgroup: its control group (referenced), once it is closed
 * @trail: see there
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
	struct rcu_head rcu;
};

/*
 * Numbers in a row need no better hash, and what is inline is paid by each packet. Not
 * hash_64(): on 32 bit its low bits, which the table takes, are of the low bits only.
 */
static u32 hash_id(const void *id, u32 len, u32 seed)
{
	return ((*(const u64 *)id ^ seed) * GOLDEN_RATIO_64) >> 32;
}

static int compare_id(struct rhashtable_compare_arg *arg, const void *record)
{
	return ((const struct vif_sock *)record)->id != *(const u64 *)arg->key;
}

static const struct rhashtable_params params = {
	.key_len = sizeof_field(struct vif_sock, id),
	.key_offset = offsetof(struct vif_sock, id),
	.head_offset = offsetof(struct vif_sock, node),
	.hashfn = hash_id,
	.obj_cmpfn = compare_id,
	.automatic_shrinking = true,
};

static struct rhashtable table;
static DEFINE_SPINLOCK(lock);

/* What has been forgotten while the lock is held, to be freed without it; lock. */
static LIST_HEAD(dead);

static unsigned int count;
bool vif_sock_some __read_mostly;
static atomic64_t last_id;

/* Closed ones, in the order of @until. */
static LIST_HEAD(ending);

static void sweep(struct work_struct *work);
static DECLARE_DELAYED_WORK(sweep_work, sweep);

static struct vif_sock *find(u64 id)
{
	return id ? rhashtable_lookup(&table, &id, params) : NULL;
}

static struct vif_subject *__task_of(const struct vif_sock *record)
{
	return rcu_dereference_protected(record->task, lockdep_is_held(&lock));
}

static struct vif_subject *__self_of(const struct vif_sock *record)
{
	return rcu_dereference_protected(record->self, lockdep_is_held(&lock));
}

static u64 number_of(u64 id)
{
	return id & (BIT_ULL(ID_SLOT_SHIFT) - 1);
}

static u64 new_id(unsigned int slot)
{
	return ID_BASE | (u64)slot << ID_SLOT_SHIFT |
	       number_of(atomic64_inc_return(&last_id));
}

/*
 * The listener's record, for a connection that has none of its own. Inside RCU: then it
 * is valid, or under the lock.
 */
static struct vif_sock *find_listener(const struct sock *sk, u64 id)
{
	struct vif_sock *record;
	struct vif_net *vn;
	unsigned int slot;

	if (id >> ID_SLOT_SHIFT >> VIF_LISTENERS_BITS != 1)
		return NULL;
	slot = (id >> ID_SLOT_SHIFT) & VIF_LISTENERS_MAX;
	vn = slot ? vif_net_find(sock_net(sk)) : NULL;
	if (!vn)
		return NULL;
	record = vif_listeners_find(vn->listeners, slot);
	/* the slot may have been another listener's then */
	return record && number_of(id) > record->slot_since ? record : NULL;
}

u64 vif_sock_cookie(struct sock *sk)
{
	u64 id = atomic64_read(&sk->sk_cookie);

	if (id)
		return id;
	id = new_id(0);
	if (atomic64_cmpxchg(&sk->sk_cookie, 0, id) == 0)
		return id;
	return atomic64_read(&sk->sk_cookie);
}

static struct sock *request_listener(struct sock *sk)
{
	return inet_reqsk(sk)->rsk_listener;
}

/* Give what has come by a listener a cookie that leads to it. */
static void mark(struct sock *sk, const struct sock *listener)
{
	struct vif_sock *record = find(atomic64_read(&listener->sk_cookie));
	unsigned int slot = record ? READ_ONCE(record->slot) : 0;

	if (slot)
		atomic64_cmpxchg(&sk->sk_cookie, 0, new_id(slot));
}

void vif_sock_mark_request(struct sock *sk)
{
	struct sock *listener = request_listener(sk);

	if (listener && vif_sock_any() && !atomic64_read(&sk->sk_cookie))
		mark(sk, listener);
}

/* A subflow of MPTCP that nobody has used is that of the socket it belongs to. */
static struct vif_sock *find_whole(const struct sock *sk)
{
	const struct socket *sock = READ_ONCE(sk->sk_socket);
	const struct sock *whole = sock ? READ_ONCE(sock->sk) : NULL;

	/* which may have gone: such memory is used for nothing else meanwhile */
	if (!whole || whole == sk || whole->sk_protocol != IPPROTO_MPTCP)
		return NULL;
	return find(atomic64_read(&whole->sk_cookie));
}

static void take_owners(struct vif_sock *record, struct vif_sock_owners *owners)
{
	vif_sock_trail_use(&record->trail);
	owners->known = true;
	owners->self = rcu_dereference(record->self);
	owners->task = rcu_dereference(record->task);
	if (!owners->cgroup)
		owners->cgroup = READ_ONCE(record->cgroup);
}

/* By a socket's own record, or NULL; by its listener's; by that of the whole. */
static void find_owners(struct sock *sk, struct vif_sock *record,
			struct vif_sock_owners *owners)
{
	owners->trail = record ? &record->trail : NULL;
	if (!record)
		record = find_listener(sk, atomic64_read(&sk->sk_cookie));
	if (!record && sk_fullsock(sk) && sk_is_tcp(sk) && sk_is_mptcp(sk))
		record = find_whole(sk);
	if (record)
		take_owners(record, owners);
}

void vif_sock_owners(struct sock *sk, struct vif_sock_owners *owners)
{
	*owners = (struct vif_sock_owners) {};
	if (sk->sk_state == TCP_NEW_SYN_RECV) {
		sk = request_listener(sk);
		if (!sk)
			return;
	}
	if (sk_fullsock(sk))
		owners->cgroup = vif_cgroup_of_sock(sk);
	if (vif_sock_any())
		find_owners(sk, find(atomic64_read(&sk->sk_cookie)), owners);
}

/* A record that is new may take over from none, under which all went by the root. */
struct vif *vif_sock_goes_by(struct vif_sock_trail *trail, const struct vif *vif,
			     enum vif_dir dir)
{
	u64 was = READ_ONCE(trail->by[dir]);

	if (was == vif->ino || cmpxchg64(&trail->by[dir], was, vif->ino) != was)
		return NULL;
	if (!was)
		was = vif->dev->root->ino;
	return was == vif->ino ? NULL : vif_get_by_ino(was);
}

void vif_sock_owners_of(u64 cookie, struct vif_sock_owners *owners)
{
	struct vif_sock *record = find(cookie);

	*owners = (struct vif_sock_owners) {};
	if (record)
		take_owners(record, owners);
}

/* A connection made under SYN cookies has not got its cookie from a request. */
static void established(struct sock *sk)
{
	struct sock *listener = NULL;
	struct vif_net *vn;

	if (atomic64_read(&sk->sk_cookie))
		return;
	vn = vif_net_find(sock_net(sk));
	if (vn && READ_ONCE(vn->listeners->n))
		listener = vif_demux_listener(sk);
	if (listener)
		mark(sk, listener);
}

static void __drop_slot(struct vif_sock *record)
{
	lockdep_assert_held(&lock);
	if (!record->slot)
		return;
	vif_listeners_drop(record->listeners, record->slot);
	record->payer->slots--;
	WRITE_ONCE(record->slot, 0);
}

/* Without a slot, its connections are known from their first use. */
static void __take_slot(struct vif_sock *record, const struct sock *sk)
{
	struct vif_net *vn = vif_net_find(sock_net(sk));
	unsigned int slot;

	lockdep_assert_held(&lock);
	if (record->slot || !vn)
		return;
	record->listeners = vn->listeners;
	record->slot_since = number_of(atomic64_read(&last_id));
	slot = vif_listeners_take(vn->listeners, record, record->payer->slots);
	if (slot)
		record->payer->slots++;
	WRITE_ONCE(record->slot, slot);
}

static void __count(int n)
{
	lockdep_assert_held(&lock);
	count += n;
	if (vif_sock_some != !!count)
		WRITE_ONCE(vif_sock_some, count);
}

static void put_subject(struct vif_subject *subject)
{
	if (subject)
		vif_subject_put(subject);
}

/* Lookups are inside RCU. */
static void lock_records(void)
	__acquires(RCU) __acquires(&lock)
{
	rcu_read_lock();
	spin_lock_bh(&lock);
}

static void unlock_records(void)
	__releases(&lock) __releases(RCU)
{
	struct vif_sock *record, *next;
	LIST_HEAD(free);

	list_splice_init(&dead, &free);
	spin_unlock_bh(&lock);
	rcu_read_unlock();
	list_for_each_entry_safe(record, next, &free, age) {
		put_subject(rcu_dereference_protected(record->task, true));
		put_subject(rcu_dereference_protected(record->self, true));
		vif_cgroup_put(record->cgroup);
		kfree_rcu(record, rcu);
	}
}

/* Out of the lists; it need not be in the table. */
static void __leave(struct vif_sock *record)
{
	lockdep_assert_held(&lock);
	vif_stamp_change_sock(record->id);
	__drop_slot(record);
	list_del(&record->of_task);
	list_del(&record->end);
	list_move(&record->age, &dead);
	__vif_sock_payer_put(record->payer);
	__count(-1);
}

static void __forget(struct vif_sock *record)
{
	rhashtable_remove_fast(&table, &record->node, params);
	__leave(record);
}

/* Has @fn deal with records until it returns false; others get the lock in between. */
static void in_batches(bool (*fn)(void *arg), void *arg)
{
	unsigned int n;

	do {
		lock_records();
		for (n = 0; n < BATCH && fn(arg); n++)
			;
		unlock_records();
		cond_resched();
	} while (n == BATCH);
}

/* Second chance: a record in use goes to the end of the line, once around. */
static void __evict(struct vif_sock_payer *payer)
{
	enum vif_sock_class class = VIF_SOCK_CLOSED;
	struct vif_sock *record;
	struct list_head *line;
	unsigned int i;

	lockdep_assert_held(&lock);
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
		__forget(record);
}

/* A record is about to come, and counted already. */
static void __trim(struct vif_sock_payer *payer)
{
	unsigned int n;

	for (n = 0; n < EVICTED_MAX && __vif_sock_payer_is_over(payer); n++)
		__evict(payer);
}

static void __line_up(struct vif_sock *record, enum vif_sock_class class)
{
	lockdep_assert_held(&lock);
	list_move_tail(&record->age, &record->payer->line[class]);
}

/* It is open, or again. */
static void __open(struct vif_sock *record)
{
	lockdep_assert_held(&lock);
	record->until = 0;
	list_del_init(&record->end);
	__line_up(record, record->tcp ? VIF_SOCK_TCP : VIF_SOCK_OTHER);
}

/* The reference to @task passes to the record. */
static void __set_task(struct vif_sock *record, struct vif_subject *task)
{
	struct vif_subject *was = __task_of(record);

	lockdep_assert_held(&lock);
	/* a closed socket may connect again */
	record->closed = false;
	if (record->until && task)
		__open(record);
	rcu_assign_pointer(record->task, task);
	vif_stamp_change_sock(record->id);
	list_del_init(&record->of_task);
	if (task)
		list_add_tail(&record->of_task, &task->socks);
	put_subject(was);
}

/* A connection begins as its listener's. */
static void __inherit(struct vif_sock *record, const struct sock *sk)
{
	struct vif_sock *listener = find_listener(sk, record->id);
	struct vif_subject *self, *task;

	if (!listener)
		return;
	self = __self_of(listener);
	task = __task_of(listener);
	if (self && vif_subject_get(self))
		RCU_INIT_POINTER(record->self, self);
	if (task && vif_subject_get(task))
		__set_task(record, task);
}

/* Memory is charged to the control group of whoever runs, unless that is in softirq. */
static struct vif_sock *create(u64 id, const struct sock *sk)
{
	struct vif_sock *record;

	record = kzalloc(sizeof(*record),
			 GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!record)
		return NULL;
	record->id = id;
	record->tcp = sk_is_tcp(sk);
	record->sctp = sk->sk_protocol == IPPROTO_SCTP &&
		       sk->sk_type != SOCK_RAW;
	INIT_LIST_HEAD(&record->of_task);
	INIT_LIST_HEAD(&record->age);
	INIT_LIST_HEAD(&record->end);
	return record;
}

static struct vif_sock *__add(u64 id, const struct sock *sk,
			      const struct cred *user)
{
	struct vif_sock *record = create(id, sk);

	lockdep_assert_held(&lock);
	if (!record)
		return NULL;
	record->payer = __vif_sock_payer_get(sock_net(sk),
					     user ? vif_account_payer_of(user) :
						    vif_account_payer_of_sock(sk));
	if (!record->payer) {
		kfree(record);
		return NULL;
	}
	__trim(record->payer);
	__open(record);
	__inherit(record, sk);
	__count(1);
	if (rhashtable_insert_fast(&table, &record->node, params)) {
		__leave(record);
		return NULL;
	}
	return record;
}

/* The record, a new one if there is none. @user: who uses it, NULL if that is not known. */
static struct vif_sock *__get(struct sock *sk, const struct cred *user)
{
	u64 id = vif_sock_cookie(sk);

	return find(id) ?: __add(id, sk, user);
}

/* Note that @task, which may be NULL, has used a socket, and who that is. */
static void learn(struct sock *sk, struct vif_subject *task, bool listens,
		  const struct cred *user)
{
	struct vif_sock *record;

	if (task && !vif_subject_get(task))
		return;
	lock_records();
	record = __get(sk, user);
	if (record)
		__set_task(record, task);
	else
		put_subject(task);
	if (record && listens)
		__take_slot(record, sk);
	unlock_records();
}

static void forget(u64 id)
{
	struct vif_sock *record;

	lock_records();
	record = find(id);
	if (record)
		__forget(record);
	unlock_records();
}

/* Others never reach a device, or not by their socket. */
static bool of_interest(const struct sock *sk)
{
	return sk->sk_family == AF_INET || sk->sk_family == AF_INET6 ||
	       sk->sk_family == AF_PACKET;
}

/*
 * Nobody's socket needs no record, unless it would then pass for its listener's.
 */
static void used_by_nobody(struct sock *sk, struct vif_sock *record,
			   bool listens, const struct cred *user)
{
	u64 id = atomic64_read(&sk->sk_cookie);

	if (record && !rcu_access_pointer(record->self) && !find_listener(sk, id) &&
	    !READ_ONCE(record->trail.by[VIF_EGRESS]) &&
	    !READ_ONCE(record->trail.by[VIF_INGRESS]))
		forget(id);
	else
		learn(sk, NULL, listens, user);
}

/* Is that what is known already? */
static bool is_used_by(const struct sock *sk, const struct vif_sock *record,
		       const struct vif_subject *task, bool listens)
{
	if (task)
		return record && rcu_access_pointer(record->task) == task &&
		       !listens && !READ_ONCE(record->until);
	if (record)
		return !rcu_access_pointer(record->task);
	return !find_listener(sk, atomic64_read(&sk->sk_cookie));
}

static bool listens(const struct sock *sk, int state)
{
	return sk_is_tcp(sk) && state == TCP_LISTEN;
}

/* @state: which a TCP socket is in, or is about to be in. */
static void used_by(struct sock *sk, struct vif_subject *task, int state,
		    const struct cred *user)
{
	struct vif_sock *record = find(atomic64_read(&sk->sk_cookie));

	if (is_used_by(sk, record, task, listens(sk, state)))
		return;
	if (!task)
		used_by_nobody(sk, record, listens(sk, state), user);
	else if (of_interest(sk) && !(sk_is_tcp(sk) && state == TCP_CLOSE))
		learn(sk, task, listens(sk, state), user);
}

void vif_sock_used_by(struct sock *sk, struct vif_subject *task,
		      const struct cred *user)
{
	used_by(sk, task, READ_ONCE(sk->sk_state), user);
}

void vif_sock_sent_by(struct sock *sk, struct vif_subject *task,
		      struct vif_sock_owners *owners)
{
	struct vif_sock *record = find(atomic64_read(&sk->sk_cookie));

	*owners = (struct vif_sock_owners) {
		.cgroup = vif_cgroup_of_sock(sk),
	};
	if (!is_used_by(sk, record, task, listens(sk, READ_ONCE(sk->sk_state)))) {
		vif_sock_used_by(sk, task, current_cred());
		record = find(atomic64_read(&sk->sk_cookie));
	}
	find_owners(sk, record, owners);
	/* whether there was memory for a record or not */
	owners->task = task;
}

/* Connecting and listening are done by a task for itself. */
static void opened(struct sock *sk, int state)
{
	if (in_serving_softirq() || in_hardirq() ||
	    (current->flags & PF_KTHREAD))
		return;
	used_by(sk, vif_task_current(), state, current_cred());
}

/*
 * The group of a socket, if any group is attached on a device of its namespace: what is
 * attached in others is no concern of its packets. Inside RCU.
 */
static struct cgroup *group_of(struct sock *sk)
{
	struct cgroup *cgroup = vif_cgroup_of_sock(sk);
	const struct vif_net *vn = cgroup ? vif_net_find(sock_net(sk)) : NULL;

	return vn && atomic_read(&vn->grouped) ? cgroup : NULL;
}

/*
 * A connection that ends in these states may leave a timewait socket, which has
 * its cookie, but not its control group.
 */
static bool leaves_timewait(int state)
{
	return state == TCP_FIN_WAIT2 || state == TCP_CLOSING;
}

/* A listener resets what nobody has accepted. */
static bool lingers(int state)
{
	return leaves_timewait(state) || state == TCP_LISTEN;
}

static void __linger(struct vif_sock *record, struct cgroup *cgroup)
{
	lockdep_assert_held(&lock);
	if (cgroup && !record->cgroup) {
		vif_cgroup_get(cgroup);
		WRITE_ONCE(record->cgroup, cgroup);
	}
	record->until = (jiffies + LINGER) | 1;
	vif_stamp_change_sock(record->id);
	list_move_tail(&record->end, &ending);
	__line_up(record, VIF_SOCK_CLOSED);
	queue_delayed_work(vif_wq, &sweep_work, SWEEP);
}

void vif_sock_keep(struct sock *sk)
{
	struct cgroup *cgroup = group_of(sk);
	struct vif_sock *record;
	u64 id;

	if (!cgroup)
		return;
	id = vif_sock_cookie(sk);
	if (find(id) || find_listener(sk, id))
		return;
	lock_records();
	record = find(id) ? NULL : __add(id, sk, NULL);
	if (record)
		__linger(record, cgroup);
	unlock_records();
}

/* Is the socket itself attached, and open? It may connect again. */
static bool __is_attached(const struct vif_sock *record)
{
	return record->own && !READ_ONCE(__self_of(record)->ended);
}

/* @cgroup: if it is not NULL, it is to be known after the end. */
static void note_closed(struct sock *sk, int oldstate, struct cgroup *cgroup)
{
	struct vif_sock *record;

	lock_records();
	record = cgroup ? __get(sk, NULL) : find(atomic64_read(&sk->sk_cookie));
	if (record && __is_attached(record))
		record->closed = true;
	else if (record && !lingers(oldstate))
		__forget(record);
	else if (record && !record->until)
		__linger(record, cgroup);
	unlock_records();
}

/* Most connections are nobody's: they do not meet others at the lock. */
static void closed(struct sock *sk, int oldstate)
{
	u64 id = atomic64_read(&sk->sk_cookie);
	struct cgroup *cgroup;

	if (!id)
		return;
	cgroup = lingers(oldstate) ? group_of(sk) : NULL;
	if (cgroup || find(id))
		note_closed(sk, oldstate, cgroup);
}

static void about_to_close(struct sock *sk)
{
	if (group_of(sk))
		vif_sock_cookie(sk);
}

void vif_sock_state(const struct sock *csk, int oldstate, int newstate)
{
	struct sock *sk = (struct sock *)csk;

	if (!vif_task_any() && !vif_sock_any() && !vif_cgroup_any())
		return;
	if (!sk_is_tcp(sk))
		return;
	rcu_read_lock();
	if (newstate == TCP_SYN_SENT || newstate == TCP_LISTEN)
		opened(sk, newstate);
	else if (leaves_timewait(newstate))
		about_to_close(sk);
	else if (newstate == TCP_CLOSE)
		closed(sk, oldstate);
	else if (newstate == TCP_ESTABLISHED && oldstate == TCP_SYN_RECV)
		established(sk);
	rcu_read_unlock();
}

static void *find_sock(const struct vif_subject_id *id)
{
	return id->ptr;
}

void vif_sock_id(struct sock *sk, struct vif_subject_id *id)
{
	*id = (struct vif_subject_id) {
		.kind = VIF_SOCKET,
		.find = find_sock,
		.ptr = sk,
	};
}

int vif_sock_prepare(struct sock *sk)
{
	struct vif_sock *record;

	lock_records();
	record = __get(sk, current_cred());
	unlock_records();
	return record ? 0 : -ENOMEM;
}

/* The reference to @self passes to the record. */
static void __set_self(struct vif_sock *record, struct vif_subject *self)
{
	struct vif_subject *was = __self_of(record);

	rcu_assign_pointer(record->self, self);
	vif_stamp_change_sock(record->id);
	record->own = true;
	__open(record);
	__line_up(record, VIF_SOCK_ATTACHED);
	put_subject(was);
}

void vif_sock_attached(struct sock *sk)
{
	struct vif_subject *self;
	struct vif_sock *record;

	/* it is not buried meanwhile */
	vif_subject_lock();
	lock_records();
	self = vif_subject_find(sk);
	record = self ? __get(sk, current_cred()) : NULL;
	if (record && vif_subject_get(self))
		__set_self(record, self);
	unlock_records();
	vif_subject_unlock();
	queue_delayed_work(vif_wq, &sweep_work, SWEEP);
}

s64 vif_sock_order(struct sock *sk)
{
	return vif_sock_cookie(sk) & S64_MAX;
}

struct next {
	const struct vif *vif;
	s64 after;
	s64 order;
	struct sock *sk;
};

static void find_next(struct vif_subject *subject, void *arg)
{
	struct next *next = arg;
	s64 order;

	if (subject->kind != VIF_SOCKET ||
	    !vif_set_has(rcu_dereference(subject->set), next->vif))
		return;
	order = vif_sock_order(subject->sk);
	if (order > next->after && (!next->sk || order < next->order)) {
		if (next->sk)
			sock_put(next->sk);
		next->order = order;
		next->sk = subject->sk;
		sock_hold(next->sk);
	}
}

struct sock *vif_sock_next(const struct vif *vif, s64 order)
{
	struct next next = {
		.vif = vif,
		.after = order,
	};

	vif_subject_for_each_change(find_next, &next);
	return next.sk;
}

/* A closed socket's attachments end; its connection may still have to be. */
static void sweep_one(struct vif_subject *subject, void *arg)
{
	if (subject->kind == VIF_SOCKET && sock_flag(subject->sk, SOCK_DEAD))
		vif_subject_end(VIF_SOCKET, subject->sk);
}

/* The next one whose time is over; false if there is none. */
static bool __end_next(void *unused)
{
	struct vif_sock *record;

	record = list_first_entry_or_null(&ending, struct vif_sock, end);
	if (!record || time_before(jiffies, record->until))
		return false;
	__forget(record);
	return true;
}

static void sweep(struct work_struct *work)
{
	bool more;

	in_batches(__end_next, NULL);
	more = !list_empty_careful(&ending);
	if (vif_subject_any(VIF_SOCKET)) {
		vif_subject_for_each_change(sweep_one, NULL);
		more = true;
	}
	if (more)
		queue_delayed_work(vif_wq, &sweep_work, SWEEP);
}

/**
 * struct task_end - a task that has gone
 * @task: it
 * @heir: who goes on with its sockets, or NULL
 * @left: records that it had
 */
struct task_end {
	struct vif_subject *task;
	struct vif_subject *heir;
	struct list_head left;
};

/* One of what is left; false if there is no more. */
static bool __pass_on(void *arg)
{
	struct task_end *end = arg;
	struct vif_sock *record;

	record = list_first_entry_or_null(&end->left, struct vif_sock, of_task);
	if (!record)
		return false;
	if (record->tcp) {
		list_move_tail(&record->of_task, &end->task->socks);
	} else if (end->heir && vif_subject_get(end->heir)) {
		__set_task(record, end->heir);
	} else if (__is_attached(record)) {
		__set_task(record, NULL);
	} else if (record->sctp) {
		list_move_tail(&record->of_task, &end->task->socks);
		__linger(record, NULL);
	} else {
		__forget(record);
	}
	return true;
}

/*
 * Connections keep their VIF beyond a task's end; other sockets go on. Who uses one
 * meanwhile takes its record from the list of those that are left.
 */
static void task_gone(struct vif_subject *task)
{
	struct task_end end = {
		.task = task,
		.heir = task->kind == VIF_THREAD && !task->up->ended ? task->up : NULL,
		.left = LIST_HEAD_INIT(end.left),
	};

	lock_records();
	list_splice_init(&task->socks, &end.left);
	unlock_records();
	in_batches(__pass_on, &end);
}

static void sock_gone(struct vif_subject *self)
{
	u64 id = atomic64_read(&self->sk->sk_cookie);
	struct vif_sock *record;

	lock_records();
	record = find(id);
	if (record && record->tcp && !record->closed &&
	    self->sk->sk_state != TCP_CLOSE) {
		record->own = false;
		__line_up(record, VIF_SOCK_TCP);
	} else if (record) {
		__forget(record);
	}
	unlock_records();
}

/*
 * A task has exited, or an attached socket been closed. Records of TCP sockets stay: they
 * may have something to send yet.
 */
static void subject_gone(struct vif_subject *subject)
{
	if (subject->kind == VIF_PROCESS || subject->kind == VIF_THREAD)
		task_gone(subject);
	else if (subject->kind == VIF_SOCKET)
		sock_gone(subject);
}

int vif_sock_init(void)
{
	int err = vif_sock_payer_init();

	if (err)
		return err;
	atomic64_set(&last_id, ktime_get_real_ns() >> ID_UNIT_SHIFT);
	vif_subject_when_gone(subject_gone);
	err = rhashtable_init(&table, &params);
	if (err)
		vif_sock_payer_exit();
	return err;
}

static void end_record(void *record, void *unused)
{
	lock_records();
	__leave(record);
	unlock_records();
}

void vif_sock_exit(void)
{
	cancel_delayed_work_sync(&sweep_work);
	rhashtable_free_and_destroy(&table, end_record, NULL);
	vif_sock_payer_exit();
}
