// SPDX-License-Identifier: GPL-2.0
/*
 * Lookups are lockless. One lock makes changes exclusive; it guards the lists,
 * too.
 */
#include "sock.h"

#include <linux/bitmap.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/net.h>
#include <linux/rhashtable.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <net/request_sock.h>
#include <net/sock.h>

#include "attach.h"

/*
 * Cookies. The kernel numbers from 0 up and from -1 down: ours have bit 62 set
 * and bit 63 clear. Below are a listener's slot, or 0, which a connection gets
 * from the request that it comes of; and a number that starts at the time of
 * loading, in units of 4096 ns, which is more than any earlier load can have
 * given away.
 */
#define ID_BASE		BIT_ULL(62)
#define ID_SLOT_SHIFT	50
#define ID_SLOT_BITS	12
#define ID_UNIT_SHIFT	12

/*
 * Records; beyond that the one that has not been looked up for longest goes.
 * Those of TCP come last: their end is known, and many datagram sockets of one
 * process shall not push out another's connections.
 */
#define RECORDS_MAX	65536

/**
 * struct vif_sock - a record
 * @node: in the table
 * @id: the socket's cookie
 * @task: who used it last (referenced); changed under the lock
 * @of_task: in the task's list; lock
 * @age: in one of the lists of all records, the oldest first; lock
 * @slot: a listener's, 0 for none; lock
 * @used: looked up since it was last passed over
 * @tcp: ends with a state change, otherwise with the task
 * @rcu: readers in packet context
 */
struct vif_sock {
	struct rhash_head node;
	u64 id;
	struct vif_task __rcu *task;
	struct list_head of_task;
	struct list_head age;
	unsigned int slot;
	bool used;
	bool tcp;
	struct rcu_head rcu;
};

static const struct rhashtable_params params = {
	.key_len = sizeof_field(struct vif_sock, id),
	.key_offset = offsetof(struct vif_sock, id),
	.head_offset = offsetof(struct vif_sock, node),
	.automatic_shrinking = true,
};

static struct rhashtable table;
static DEFINE_SPINLOCK(lock);
static LIST_HEAD(all_tcp);
static LIST_HEAD(all_other);
static unsigned int count;
static atomic64_t last_id;

/* Records of listeners, by slot; slot 0 is none. Changed under the lock. */
static struct vif_sock __rcu *listeners[1 << ID_SLOT_BITS];
static DECLARE_BITMAP(slots, 1 << ID_SLOT_BITS);

bool vif_sock_any(void)
{
	return READ_ONCE(count);
}

static struct vif_sock *find(u64 id)
{
	return id ? rhashtable_lookup(&table, &id, params) : NULL;
}

static u64 new_id(unsigned int slot)
{
	u64 nr = atomic64_inc_return(&last_id) & (BIT_ULL(ID_SLOT_SHIFT) - 1);

	return ID_BASE | (u64)slot << ID_SLOT_SHIFT | nr;
}

/* The listener's record, for a connection that has none of its own. */
static struct vif_sock *find_listener(u64 id)
{
	unsigned int slot;

	if (id >> ID_SLOT_SHIFT >> ID_SLOT_BITS != 1)
		return NULL;
	slot = (id >> ID_SLOT_SHIFT) & ((1 << ID_SLOT_BITS) - 1);
	return slot ? rcu_dereference(listeners[slot]) : NULL;
}

static u64 give_id(struct sock *sk)
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

void vif_sock_mark_request(struct sock *sk)
{
	struct sock *listener = request_listener(sk);
	struct vif_sock *record;
	unsigned int slot;

	if (!listener || !vif_sock_any() || atomic64_read(&sk->sk_cookie))
		return;
	record = find(atomic64_read(&listener->sk_cookie));
	slot = record ? READ_ONCE(record->slot) : 0;
	if (slot)
		atomic64_cmpxchg(&sk->sk_cookie, 0, new_id(slot));
}

struct vif_task *vif_sock_task(struct sock *sk)
{
	struct vif_sock *record;
	u64 id;

	if (!vif_sock_any())
		return NULL;
	if (sk->sk_state == TCP_NEW_SYN_RECV) {
		sk = request_listener(sk);
		if (!sk)
			return NULL;
	}
	id = atomic64_read(&sk->sk_cookie);
	record = find(id);
	if (!record)
		record = find_listener(id);
	if (!record)
		return NULL;
	if (!READ_ONCE(record->used))
		WRITE_ONCE(record->used, true);
	return rcu_dereference(record->task);
}

static void __drop_slot(struct vif_sock *record)
{
	lockdep_assert_held(&lock);
	if (!record->slot)
		return;
	RCU_INIT_POINTER(listeners[record->slot], NULL);
	__clear_bit(record->slot, slots);
	record->slot = 0;
}

/* Without a free slot, its connections are known from their first use. */
static void __take_slot(struct vif_sock *record)
{
	unsigned int slot;

	lockdep_assert_held(&lock);
	if (record->slot)
		return;
	slot = find_next_zero_bit(slots, 1 << ID_SLOT_BITS, 1);
	if (slot >= 1 << ID_SLOT_BITS)
		return;
	__set_bit(slot, slots);
	WRITE_ONCE(record->slot, slot);
	rcu_assign_pointer(listeners[slot], record);
}

/* Returns the task whose reference the caller has to put outside the lock. */
static struct vif_task *__forget(struct vif_sock *record)
{
	struct vif_task *task;

	lockdep_assert_held(&lock);
	task = rcu_dereference_protected(record->task, lockdep_is_held(&lock));
	rhashtable_remove_fast(&table, &record->node, params);
	__drop_slot(record);
	list_del(&record->of_task);
	list_del(&record->age);
	WRITE_ONCE(count, count - 1);
	kfree_rcu(record, rcu);
	return task;
}

static void forget(u64 id)
{
	struct vif_task *task = NULL;
	struct vif_sock *record;

	rcu_read_lock();
	spin_lock_bh(&lock);
	record = find(id);
	if (record)
		task = __forget(record);
	spin_unlock_bh(&lock);
	rcu_read_unlock();
	if (task)
		vif_attach_put(task);
}

/* Second chance: a record in use goes to the end of the line, once around. */
static struct vif_task *__evict(void)
{
	struct list_head *all = list_empty(&all_other) ? &all_tcp : &all_other;
	struct vif_sock *record;
	unsigned int i;

	lockdep_assert_held(&lock);
	for (i = 0; i < 16; i++) {
		record = list_first_entry(all, struct vif_sock, age);
		if (!record->used)
			break;
		record->used = false;
		list_move_tail(&record->age, all);
	}
	return __forget(list_first_entry(all, struct vif_sock, age));
}

static struct vif_sock *__add(u64 id, struct vif_task *task, bool tcp)
{
	struct vif_sock *record = kzalloc(sizeof(*record),
					  GFP_ATOMIC | __GFP_NOWARN);

	lockdep_assert_held(&lock);
	if (!record)
		return NULL;
	record->id = id;
	record->tcp = tcp;
	RCU_INIT_POINTER(record->task, task);
	if (rhashtable_insert_fast(&table, &record->node, params)) {
		kfree(record);
		return NULL;
	}
	list_add_tail(&record->of_task, &task->socks);
	list_add_tail(&record->age, tcp ? &all_tcp : &all_other);
	WRITE_ONCE(count, count + 1);
	return record;
}

static struct vif_task *__change(struct vif_sock *record, struct vif_task *task)
{
	struct vif_task *old;

	lockdep_assert_held(&lock);
	old = rcu_dereference_protected(record->task, lockdep_is_held(&lock));
	rcu_assign_pointer(record->task, task);
	list_move_tail(&record->of_task, &task->socks);
	return old;
}

static void learn(u64 id, struct vif_task *task, bool tcp, bool listens)
{
	struct vif_task *put = NULL, *evicted = NULL;
	struct vif_sock *record;

	if (!vif_attach_get(task))
		return;
	spin_lock_bh(&lock);
	record = find(id);
	if (record)
		put = __change(record, task);
	else
		record = __add(id, task, tcp);
	if (!record)
		put = task;
	else if (listens)
		__take_slot(record);
	if (count > RECORDS_MAX)
		evicted = __evict();
	spin_unlock_bh(&lock);
	if (put)
		vif_attach_put(put);
	if (evicted)
		vif_attach_put(evicted);
}

/* Others never reach a device, or not by their socket. */
static bool of_interest(const struct sock *sk)
{
	return sk->sk_family == AF_INET || sk->sk_family == AF_INET6 ||
	       sk->sk_family == AF_PACKET;
}

/* @state: which a TCP socket is in, or is about to be in. */
static void used_by(struct sock *sk, struct vif_task *task, int state)
{
	bool tcp = sk_is_tcp(sk), listens = tcp && state == TCP_LISTEN;
	u64 id = atomic64_read(&sk->sk_cookie);
	struct vif_sock *record = find(id);

	if (!task) {
		if (record)
			forget(id);
		return;
	}
	if (record && rcu_access_pointer(record->task) == task && !listens)
		return;
	/* no event tells of the end of a TCP socket that is closed already */
	if (!of_interest(sk) || (tcp && state == TCP_CLOSE))
		return;
	learn(give_id(sk), task, tcp, listens);
}

void vif_sock_used_by(struct sock *sk, struct vif_task *task)
{
	used_by(sk, task, READ_ONCE(sk->sk_state));
}

/* Connecting and listening are done by a task for itself. */
static void opened(struct sock *sk, int state)
{
	if (in_serving_softirq() || in_hardirq() ||
	    (current->flags & PF_KTHREAD))
		return;
	rcu_read_lock();
	used_by(sk, vif_attach_current(), state);
	rcu_read_unlock();
}

void vif_sock_state(const struct sock *csk, int newstate)
{
	struct sock *sk = (struct sock *)csk;

	if (!vif_attach_any() && !vif_sock_any())
		return;
	if (!sk_is_tcp(sk))
		return;
	if (newstate == TCP_SYN_SENT || newstate == TCP_LISTEN)
		opened(sk, newstate);
	else if (newstate == TCP_CLOSE && vif_sock_any())
		forget(atomic64_read(&sk->sk_cookie));
}

static int learn_file(const void *arg, struct file *file, unsigned int fd)
{
	struct socket *sock = sock_from_file(file);
	struct vif_task *task = (struct vif_task *)arg;

	if (sock && sock->sk && sock->sk->sk_net_refcnt)
		vif_sock_used_by(sock->sk, task);
	return 0;
}

/* Threads may have files of their own, and outlive their leader's. */
static void learn_files(struct vif_task *entry, void *arg)
{
	struct files_struct *seen = NULL;
	struct task_struct *leader = arg, *thread;

	for_each_thread(leader, thread) {
		task_lock(thread);
		if (thread->files && thread->files != seen) {
			seen = thread->files;
			iterate_fd(seen, 0, learn_file, entry);
		}
		task_unlock(thread);
	}
}

void vif_sock_learn_open(struct pid *pid)
{
	struct task_struct *leader = get_pid_task(pid, PIDTYPE_TGID);

	if (!leader)
		return;
	vif_attach_entry(pid, learn_files, leader);
	put_task_struct(leader);
}

void vif_sock_task_gone(struct vif_task *task)
{
	struct vif_sock *record, *next;
	unsigned int puts = 0;

	spin_lock_bh(&lock);
	list_for_each_entry_safe(record, next, &task->socks, of_task) {
		if (record->tcp)
			continue;
		__forget(record);
		puts++;
	}
	spin_unlock_bh(&lock);
	while (puts--)
		vif_attach_put(task);
}

int vif_sock_init(void)
{
	atomic64_set(&last_id, ktime_get_real_ns() >> ID_UNIT_SHIFT);
	return rhashtable_init(&table, &params);
}

void vif_sock_exit(void)
{
	struct vif_task *task;

	for (;;) {
		spin_lock_bh(&lock);
		task = count ? __evict() : NULL;
		spin_unlock_bh(&lock);
		if (!task)
			break;
		vif_attach_put(task);
	}
	rhashtable_destroy(&table);
}
