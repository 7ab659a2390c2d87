// SPDX-License-Identifier: GPL-2.0
#include "seek.h"

#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/net.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include "sock.h"
#include "subject.h"
#include "task.h"
#include "vif.h"

/* How many sockets are looked for in one go; others wait for the next one. */
#define WANTED_MAX	64

/* Sockets that nobody attached has open, by cookie; the new replaces the old. */
#define MISSES_BITS	12
#define MISS_LIFETIME	HZ

/* Descriptors looked at in one go, and tables of them in a process. */
#define BATCH		1024
#define TABLES_MAX	64

/* Time between two searches, in times of how long one takes. */
#define REST		9

struct miss {
	u64 cookie;
	unsigned long until;
};

static struct miss misses[1 << MISSES_BITS];

static DEFINE_SPINLOCK(lock);
static u64 wanted[WANTED_MAX];
static unsigned int nr_wanted;

static void seek(struct work_struct *work);
static DECLARE_DELAYED_WORK(seek_work, seek);
static unsigned long not_before;

static struct miss *miss_of(u64 cookie)
{
	return &misses[hash_64(cookie, MISSES_BITS)];
}

static bool is_miss(u64 cookie)
{
	const struct miss *miss = miss_of(cookie);

	return READ_ONCE(miss->cookie) == cookie &&
	       time_before(jiffies, READ_ONCE(miss->until));
}

static bool is_wanted(const u64 *cookies, unsigned int n, u64 cookie)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (cookies[i] == cookie)
			return true;
	return false;
}

void vif_seek_owner(struct sock *sk)
{
	u64 cookie = vif_sock_cookie(sk);
	bool added = false;
	long rest;

	if (is_miss(cookie))
		return;
	spin_lock_bh(&lock);
	if (nr_wanted < WANTED_MAX && !is_wanted(wanted, nr_wanted, cookie)) {
		wanted[nr_wanted++] = cookie;
		added = true;
	}
	spin_unlock_bh(&lock);
	if (!added)
		return;
	rest = READ_ONCE(not_before) - jiffies;
	queue_delayed_work(vif_wq, &seek_work, max(rest, 0L));
}

/**
 * struct search - a search for sockets in a process
 * @task: the process's entry
 * @cookies: of the sockets; NULL for all
 * @n: how many
 * @looked: how many descriptors have been looked at
 */
struct search {
	struct vif_subject *task;
	const u64 *cookies;
	unsigned int n;
	unsigned int looked;
};

/* Not 0 after every so many, for a pause. */
static int look_at(const void *arg, struct file *file, unsigned int fd)
{
	struct search *search = (struct search *)arg;
	struct socket *sock = sock_from_file(file);
	struct sock *sk = sock ? sock->sk : NULL;

	if (sk && sk->sk_net_refcnt &&
	    (!search->cookies ||
	     is_wanted(search->cookies, search->n,
		       atomic64_read(&sk->sk_cookie)))) {
		rcu_read_lock();
		vif_sock_used_by(sk, search->task, NULL);
		rcu_read_unlock();
	}
	return ++search->looked % BATCH ? 0 : fd + 1;
}

static void look_at_files(struct task_struct *task, struct search *search)
{
	int next = 0;

	do {
		task_lock(task);
		next = task->files ? iterate_fd(task->files, next, look_at,
						search) : 0;
		task_unlock(task);
		cond_resched();
	} while (next);
}

/*
 * The @nth thread that has files, and others than the first such, counted from 0,
 * which is this first one; referenced, or NULL.
 */
static struct task_struct *get_thread(struct pid *pid, unsigned int nth)
{
	struct task_struct *leader, *thread, *found = NULL;
	struct files_struct *first = NULL;

	rcu_read_lock();
	leader = pid_task(pid, PIDTYPE_TGID);
	if (!leader)
		goto out;
	for_each_thread(leader, thread) {
		struct files_struct *files = READ_ONCE(thread->files);

		if (!files || files == first)
			continue;
		if (!first)
			first = files;
		if (nth-- == 0) {
			found = thread;
			get_task_struct(found);
			break;
		}
	}
out:
	rcu_read_unlock();
	return found;
}

/* Threads may have files of their own, and outlive their leader's. */
static void look_through(struct pid *pid, struct search *search)
{
	struct task_struct *thread;
	unsigned int nth;

	for (nth = 0; nth < TABLES_MAX; nth++) {
		thread = get_thread(pid, nth);
		if (!thread)
			break;
		look_at_files(thread, search);
		put_task_struct(thread);
	}
}

static void look_in(struct vif_subject *subject, void *arg)
{
	struct search *search = arg;

	if (subject->kind != VIF_PROCESS)
		return;
	search->task = subject;
	look_through(subject->pid, search);
}

/* What has no record now is nobody's. */
static void note_misses(const u64 *cookies, unsigned int n)
{
	struct vif_sock_owners owners;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct miss *miss = miss_of(cookies[i]);

		rcu_read_lock();
		vif_sock_owners_of(cookies[i], &owners);
		rcu_read_unlock();
		if (owners.known)
			continue;
		WRITE_ONCE(miss->until, jiffies + MISS_LIFETIME);
		WRITE_ONCE(miss->cookie, cookies[i]);
	}
}

static void seek(struct work_struct *work)
{
	u64 cookies[WANTED_MAX];
	struct search search = { .cookies = cookies };
	ktime_t start = ktime_get();
	u64 rest;

	spin_lock_bh(&lock);
	search.n = nr_wanted;
	memcpy(cookies, wanted, search.n * sizeof(cookies[0]));
	nr_wanted = 0;
	spin_unlock_bh(&lock);

	vif_subject_visit(look_in, &search);
	note_misses(cookies, search.n);
	rest = REST * ktime_to_ns(ktime_sub(ktime_get(), start));
	WRITE_ONCE(not_before, jiffies + 1 + nsecs_to_jiffies(rest));
}

static void get_subject(struct vif_subject *subject, void *arg)
{
	struct vif_subject **got = arg;

	if (vif_subject_get(subject))
		*got = subject;
}

void vif_seek_open(struct pid *pid)
{
	struct vif_subject_id id, up;
	struct search search = { };

	if (vif_task_id(VIF_PROCESS, pid, &up, &id))
		return;
	vif_subject_run(&id, get_subject, &search.task);
	if (!search.task)
		return;
	look_through(pid, &search);
	vif_subject_put(search.task);
}

int vif_seek_init(void)
{
	return 0;
}

void vif_seek_exit(void)
{
	cancel_delayed_work_sync(&seek_work);
}
