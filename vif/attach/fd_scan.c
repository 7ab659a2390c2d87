// SPDX-License-Identifier: GPL-2.0
/*
 * Each network namespace has its own searches, among the processes that are attached on its
 * devices. So packets, open files and searches in other namespaces do not affect it. But the user
 * who creates namespaces has for all of them only as much CPU as another user for one: they are
 * searched one after the other.
 */
#include "fd_scan.h"

#include <linux/bitops.h>
#include <linux/cred.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>
#include <net/netns/generic.h>
#include <net/sock.h>

#include "../queue/account.h"
#include "../tree/net.h"
#include "../tree/vif.h"
#include "sock.h"
#include "sock_cookie.h"
#include "subject.h"
#include "task.h"

/* Open descriptors looked at in one go, and places for them. */
#define BATCH	256
#define SPAN	65536

/* Some of them; false if there are no more, or no more are wanted. */
static bool vif_fds_visit_some(struct files_struct *files, unsigned int *fd,
			       bool (*fn)(struct file *file, unsigned int fd, void *arg),
			       void *arg)
{
	const struct fdtable *fdt;
	unsigned int n, max, end;
	struct file *file;
	bool wanted = true;

	spin_lock(&files->file_lock);
	fdt = files_fdtable(files);
	max = fdt->max_fds;
	end = min(max, *fd + SPAN);
	for (n = 0; n < BATCH && wanted; n++, ++*fd) {
		*fd = find_next_bit(fdt->open_fds, end, *fd);
		if (*fd >= end)
			break;
		file = files_lookup_fd_locked(files, *fd);
		if (file)
			wanted = fn(file, *fd, arg);
	}
	spin_unlock(&files->file_lock);
	return wanted && *fd < max;
}

void vif_fds_for_each(struct task_struct *task, unsigned int fd,
		      bool (*fn)(struct file *file, unsigned int fd, void *arg),
		      void *arg)
{
	bool more;

	do {
		task_lock(task);
		more = task->files && vif_fds_visit_some(task->files, &fd, fn, arg);
		task_unlock(task);
		cond_resched();
	} while (more);
}

/* How many sockets are looked for in one go; others wait for the next one. */
#define WANTED_MAX	64

/* Sockets that no attached process has open, by cookie; a new one replaces the old. */
#define MISSES_BITS	12
#define MISS_LIFETIME	HZ

/* A scan reads at most this many tables of descriptors of a process. */
#define TABLES_MAX	64

/* Time between two searches, in times of how long one takes. */
#define REST		9

struct miss {
	u64 cookie;
	unsigned long until;
};

/**
 * struct wanted - a socket that is looked for
 * @cookie: its cookie
 * @payer: the charged user
 * @nth: number of this user's sockets before it
 */
struct wanted {
	u64 cookie;
	kuid_t payer;
	unsigned int nth;
};

/**
 * struct scanner - who searches: one for the namespaces of a user, or for one of root's
 * @node: in the table of users
 * @uid: the user
 * @refs: namespaces; mutex
 * @work: a search in one of them
 * @lock: guards what follows, and what of a namespace is said to be
 * @line: struct fd_scan link of those where a socket is wanted, the next first
 * @now: where it searches, or NULL
 * @after: jiffies, from when on it may go on
 */
struct scanner {
	struct hlist_node node;
	kuid_t uid;
	unsigned int refs;
	struct delayed_work work;
	spinlock_t lock;
	struct list_head line;
	struct fd_scan *now;
	unsigned long after;
};

/**
 * struct fd_scan - searches in a network namespace
 * @net: the namespace
 * @scanner: the scanner (referenced)
 * @link: in the scanner's list; its lock
 * @wanted: for the next search; scanner's lock
 * @n: how many; scanner's lock
 * @leaving: the namespace ends: a search is to end as soon as it can
 * @misses: 1 << MISSES_BITS, NULL until the first search, which makes them
 */
struct fd_scan {
	const struct net *net;
	struct scanner *scanner;
	struct list_head link;
	struct wanted wanted[WANTED_MAX];
	unsigned int n;
	bool leaving;
	struct miss *misses;
};

static unsigned int net_id __read_mostly;
static struct workqueue_struct *vif_fd_scan_wq;

/* Users'; mutex. */
static DEFINE_HASHTABLE(scanners, 6);
static DEFINE_MUTEX(vif_fd_scan_mutex);

static struct miss *vif_fd_scan_miss_of(struct miss *misses, u64 cookie)
{
	return &misses[hash_64(cookie, MISSES_BITS)];
}

/* Return the result of the last search for a socket, however old it is, or NULL. */
static const struct miss *vif_fd_scan_find_miss(const struct fd_scan *scan, u64 cookie)
{
	/* pairs with that in vif_fd_scan_search(): they are zero before anybody looks */
	struct miss *misses = smp_load_acquire(&scan->misses);
	const struct miss *miss;

	if (!misses)
		return NULL;
	miss = vif_fd_scan_miss_of(misses, cookie);
	return READ_ONCE(miss->cookie) == cookie ? miss : NULL;
}

static bool vif_fd_scan_is_wanted(const struct wanted *wanted, unsigned int n, u64 cookie)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (wanted[i].cookie == cookie)
			return true;
	return false;
}

/* Return the slot for another socket: if all are full, the last one of the user with most. */
static struct wanted *__vif_fd_scan_place_for(struct fd_scan *scan, const struct wanted *new)
{
	struct wanted *most = scan->wanted;
	unsigned int i;

	lockdep_assert_held(&scan->scanner->lock);
	if (scan->n < WANTED_MAX)
		return &scan->wanted[scan->n++];
	for (i = 1; i < WANTED_MAX; i++)
		if (scan->wanted[i].nth > most->nth)
			most = &scan->wanted[i];
	return most->nth > new->nth ? most : NULL;
}

static bool __vif_fd_scan_want(struct fd_scan *scan, struct wanted *new)
{
	struct wanted *place;
	unsigned int i;

	if (vif_fd_scan_is_wanted(scan->wanted, scan->n, new->cookie))
		return false;
	for (i = 0; i < scan->n; i++)
		new->nth += uid_eq(scan->wanted[i].payer, new->payer);
	place = __vif_fd_scan_place_for(scan, new);
	if (!place)
		return false;
	*place = *new;
	return true;
}

/* Requeue the scanner after its backoff. */
static void __vif_fd_scan_requeue(struct scanner *scanner)
{
	long rest = scanner->after - jiffies;

	lockdep_assert_held(&scanner->lock);
	if (scanner->now)
		return;
	queue_delayed_work(vif_fd_scan_wq, &scanner->work, max(rest, 0L));
}

bool vif_fd_scan_owner(struct sock *sk)
{
	struct fd_scan *scan = net_generic(sock_net(sk), net_id);
	struct wanted new = { .cookie = vif_sock_cookie(sk) };
	const struct miss *miss = vif_fd_scan_find_miss(scan, new.cookie);
	struct scanner *scanner = scan->scanner;

	if (miss && time_before(jiffies, READ_ONCE(miss->until)))
		return false;
	new.payer = vif_account_payer_of_sock(sk);
	spin_lock_bh(&scanner->lock);
	if (__vif_fd_scan_want(scan, &new)) {
		if (list_empty(&scan->link))
			list_add_tail(&scan->link, &scanner->line);
		__vif_fd_scan_requeue(scanner);
	}
	spin_unlock_bh(&scanner->lock);
	return !miss;
}

/**
 * struct search - a search for sockets in a process
 * @vn: only processes that are attached on a device of this namespace
 * @leaving: see struct fd_scan
 * @task: the process's entry
 * @thread: whose descriptors are looked at
 * @wanted: the sockets; NULL for all
 * @n: how many
 */
struct search {
	const struct vif_net *vn;
	const bool *leaving;
	struct vif_subject *task;
	struct task_struct *thread;
	const struct wanted *wanted;
	unsigned int n;
};

static bool vif_fd_scan_check_file(struct file *file, unsigned int fd, void *arg)
{
	const struct search *search = arg;
	struct socket *sock = sock_from_file(file);
	struct sock *sk = sock ? sock->sk : NULL;

	/* a file has it open */
	if (sk && sk->sk_net_refcnt &&
	    (!search->wanted || vif_fd_scan_is_wanted(search->wanted, search->n,
						      atomic64_read(&sk->sk_cookie)))) {
		rcu_read_lock();
		vif_sock_used_by(sk, search->task, vif_sock_used_in(sk, search->thread),
				 READ_ONCE(sk->sk_state), __task_cred(search->thread));
		rcu_read_unlock();
	}
	return search->leaving ? !READ_ONCE(*search->leaving) :
				 !fatal_signal_pending(current);
}

/*
 * The @nth thread that has files, and others than the first such, counted from 0,
 * which is this first one; referenced, or NULL.
 */
static struct task_struct *vif_fd_scan_get_thread(struct pid *pid, unsigned int nth)
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
static void vif_fd_scan_process(struct pid *pid, struct search *search)
{
	struct task_struct *thread;
	unsigned int nth;

	for (nth = 0; nth < TABLES_MAX; nth++) {
		thread = vif_fd_scan_get_thread(pid, nth);
		if (!thread)
			break;
		search->thread = thread;
		vif_fds_for_each(thread, 0, vif_fd_scan_check_file, search);
		put_task_struct(thread);
	}
}

static bool vif_fd_scan_is_attached(const struct vif_subject *subject,
				    const struct vif_net *vn)
{
	bool attached;

	rcu_read_lock();
	attached = vif_set_count(rcu_dereference(subject->set), vn);
	rcu_read_unlock();
	return attached;
}

static void vif_fd_scan_subject(struct vif_subject *subject, struct search *search)
{
	if (subject->kind != VIF_PROCESS || READ_ONCE(*search->leaving) ||
	    !vif_fd_scan_is_attached(subject, search->vn))
		return;
	search->task = subject;
	vif_fd_scan_process(subject->pid, search);
}

/* A socket without a record now has no owner. */
static void vif_fd_scan_note_misses(struct miss *misses, const struct wanted *wanted,
				    unsigned int n)
{
	struct vif_sock_owners owners;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct miss *miss = vif_fd_scan_miss_of(misses, wanted[i].cookie);

		rcu_read_lock();
		vif_sock_owners_of(wanted[i].cookie, &owners);
		rcu_read_unlock();
		if (owners.known)
			continue;
		WRITE_ONCE(miss->until, jiffies + MISS_LIFETIME);
		WRITE_ONCE(miss->cookie, wanted[i].cookie);
	}
}

/*
 * Return the next namespace and its wanted sockets; or NULL if there is none, or if the work was
 * queued while the last search started.
 */
static struct fd_scan *vif_fd_scan_next(struct scanner *scanner, struct wanted *wanted,
					unsigned int *n)
{
	struct fd_scan *scan;

	spin_lock_bh(&scanner->lock);
	scan = list_first_entry_or_null(&scanner->line, struct fd_scan, link);
	if (scan && time_before(jiffies, scanner->after)) {
		__vif_fd_scan_requeue(scanner);
		scan = NULL;
	}
	WRITE_ONCE(scanner->now, scan);
	if (scan) {
		list_del_init(&scan->link);
		*n = scan->n;
		memcpy(wanted, scan->wanted, *n * sizeof(*wanted));
		scan->n = 0;
	}
	spin_unlock_bh(&scanner->lock);
	return scan;
}

/* The namespace that was searched may go now. */
static void vif_fd_scan_back_off(struct scanner *scanner, u64 took_ns)
{
	spin_lock_bh(&scanner->lock);
	WRITE_ONCE(scanner->now, NULL);
	scanner->after = jiffies + 1 + nsecs_to_jiffies(REST * took_ns);
	if (!list_empty(&scanner->line))
		__vif_fd_scan_requeue(scanner);
	spin_unlock_bh(&scanner->lock);
	/* pairs with that of who prepares to wait: either sees what the other one has done */
	smp_mb();
	wake_up_var(&scanner->now);
}

static void vif_fd_scan_search(struct fd_scan *scan, const struct wanted *wanted,
			       unsigned int n)
{
	struct search search = {
		.vn = vif_net_of(scan->net),
		.leaving = &scan->leaving,
		.wanted = wanted,
		.n = n,
	};
	u64 pos = 0;
	struct vif_subject *subject;

	/* pairs with that in vif_fd_scan_find_miss() */
	if (!scan->misses)
		smp_store_release(&scan->misses,
				  kvcalloc(1 << MISSES_BITS,
					   sizeof(*scan->misses), GFP_KERNEL));
	while ((subject = vif_subject_after(&pos, NULL))) {
		vif_fd_scan_subject(subject, &search);
		vif_subject_put(subject);
		cond_resched();
	}
	if (scan->misses)
		vif_fd_scan_note_misses(scan->misses, wanted, n);
}

static void vif_fd_scan_work(struct work_struct *work)
{
	struct scanner *scanner = container_of(to_delayed_work(work),
					       struct scanner, work);
	struct wanted wanted[WANTED_MAX];
	ktime_t start = ktime_get();
	struct fd_scan *scan;
	unsigned int n;

	scan = vif_fd_scan_next(scanner, wanted, &n);
	if (!scan)
		return;
	vif_fd_scan_search(scan, wanted, n);
	vif_fd_scan_back_off(scanner, ktime_to_ns(ktime_sub(ktime_get(), start)));
}

static bool vif_fd_scan_refresh(struct file *file, unsigned int fd, void *arg)
{
	struct socket *sock = sock_from_file(file);
	u64 cookie = sock && sock->sk ? atomic64_read(&sock->sk->sk_cookie) : 0;

	if (cookie)
		vif_genid_change_sock(cookie);
	return true;
}

void vif_fd_scan_renew(struct pid *pid)
{
	struct task_struct *thread = get_pid_task(pid, PIDTYPE_PID);

	if (!thread)
		return;
	vif_fds_for_each(thread, 0, vif_fd_scan_refresh, NULL);
	put_task_struct(thread);
}

static void vif_fd_scan_get_subject(struct vif_subject *subject, void *arg)
{
	struct vif_subject **got = arg;

	if (vif_subject_get(subject))
		*got = subject;
}

void vif_fd_scan_open(struct pid *pid)
{
	struct vif_subject_id id, up;
	struct search search = { };

	if (vif_task_id(VIF_PROCESS, pid, &up, &id))
		return;
	vif_subject_run(&id, vif_fd_scan_get_subject, &search.task);
	if (!search.task)
		return;
	vif_fd_scan_process(pid, &search);
	vif_subject_put(search.task);
}

static struct scanner *vif_fd_scan_create(kuid_t uid)
{
	struct scanner *scanner = kzalloc(sizeof(*scanner), GFP_KERNEL_ACCOUNT);

	if (!scanner)
		return NULL;
	scanner->uid = uid;
	scanner->refs = 1;
	INIT_DELAYED_WORK(&scanner->work, vif_fd_scan_work);
	spin_lock_init(&scanner->lock);
	INIT_LIST_HEAD(&scanner->line);
	scanner->after = jiffies;
	return scanner;
}

static struct scanner *__vif_fd_scan_find(kuid_t uid)
{
	struct scanner *scanner;

	hash_for_each_possible(scanners, scanner, node, __kuid_val(uid))
		if (uid_eq(scanner->uid, uid))
			return scanner;
	return NULL;
}

/* Root's namespaces have one each, which is not in the table. */
static struct scanner *vif_fd_scan_get_scanner(kuid_t uid)
{
	struct scanner *scanner;

	if (uid_eq(uid, GLOBAL_ROOT_UID))
		return vif_fd_scan_create(uid);
	mutex_lock(&vif_fd_scan_mutex);
	scanner = __vif_fd_scan_find(uid);
	if (scanner) {
		scanner->refs++;
	} else {
		scanner = vif_fd_scan_create(uid);
		if (scanner)
			hash_add(scanners, &scanner->node, __kuid_val(uid));
	}
	mutex_unlock(&vif_fd_scan_mutex);
	return scanner;
}

static void vif_fd_scan_put_scanner(struct scanner *scanner)
{
	bool last;

	mutex_lock(&vif_fd_scan_mutex);
	last = --scanner->refs == 0;
	if (last)
		hash_del(&scanner->node);
	mutex_unlock(&vif_fd_scan_mutex);
	if (!last)
		return;
	cancel_delayed_work_sync(&scanner->work);
	kfree(scanner);
}

static int __net_init vif_fd_scan_init_net_ns(struct net *net)
{
	struct fd_scan *scan = net_generic(net, net_id);

	scan->net = net;
	INIT_LIST_HEAD(&scan->link);
	scan->scanner = vif_fd_scan_get_scanner(vif_account_payer_in(net->user_ns));
	return scan->scanner ? 0 : -ENOMEM;
}

/* Its devices have gone: there are no packets. */
static void __net_exit vif_fd_scan_exit_net_ns(struct net *net)
{
	struct fd_scan *scan = net_generic(net, net_id);
	struct scanner *scanner = scan->scanner;

	WRITE_ONCE(scan->leaving, true);
	spin_lock_bh(&scanner->lock);
	list_del_init(&scan->link);
	spin_unlock_bh(&scanner->lock);
	wait_var_event(&scanner->now, READ_ONCE(scanner->now) != scan);
	vif_fd_scan_put_scanner(scanner);
	kvfree(scan->misses);
}

static struct pernet_operations pernet = {
	.init = vif_fd_scan_init_net_ns,
	.exit = vif_fd_scan_exit_net_ns,
	.id = &net_id,
	.size = sizeof(struct fd_scan),
};

int vif_fd_scan_init(void)
{
	int err;

	vif_fd_scan_wq = alloc_workqueue("netnice_fd_scan", WQ_UNBOUND, 0);
	if (!vif_fd_scan_wq)
		return -ENOMEM;
	err = register_pernet_subsys(&pernet);
	if (err)
		destroy_workqueue(vif_fd_scan_wq);
	return err;
}

void vif_fd_scan_exit(void)
{
	unregister_pernet_subsys(&pernet);
	destroy_workqueue(vif_fd_scan_wq);
}
