// SPDX-License-Identifier: GPL-2.0
/*
 * Search for the processes that have a socket open.
 *
 * Each network namespace has its own searches, among the processes that are attached on its
 * devices. So packets, open files and searches in other namespaces do not affect it. But a user who
 * creates namespaces gets only as much CPU for all of them as another user for one, because the
 * namespaces of a user are searched one after the other.
 */
#include "fd_scan.h"

#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/cred.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/idr.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
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
#include "../tree/option.h"
#include "../tree/vif.h"
#include "cgroup.h"
#include "sock.h"
#include "sock_cookie.h"
#include "subject.h"
#include "task.h"

/* For one hold of the lock: how many open descriptors are read, in how many slots of the table. */
#define BATCH	256
#define SPAN	65536

/* Visit some descriptors. Return: false if there are no more, or if @fn wants no more. */
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

/* A search looks for at most this many sockets; others wait for the next search. */
#define WANTED_MAX	64

/*
 * Sockets that no attached process has open, by hash of the cookie; a new entry replaces the old.
 */
#define MISSES_BITS	12
#define MISS_LIFETIME	HZ

/* A scan reads at most this many tables of descriptors of a process. */
#define TABLES_MAX	64

/*
 * Steps are descriptors, words of a table's bitmap, and threads. STEPS_MAX bounds what a search
 * reads of the attached processes of one user; later searches read the rest. STEPS_ALL bounds what
 * it reads of all processes of a user, to tell a hidden socket from an open one, and what an
 * attachment reads of the process: the kernel's bound for one table (fs.nr_open).
 */
#define STEPS_MAX	65536U
#define STEPS_ALL	(1U << 20)

/* Tables that a search remembers. If two share a place, one may be read again. */
#define TABLES_BITS	10

/* For how long it is not read again whether all processes of a user are attached. */
#define JUDGED_FOR	HZ

/* The pause after a search, as a multiple of the time that the search took. */
#define REST		9

/**
 * struct vif_fd_miss - a socket that was searched for and not found
 * @cookie: the socket
 * @until: in jiffies: no search before
 * @lap: struct vif_fd_reader lap in which the first search was, if some processes of the socket's
 *	user have yet to be read; otherwise 0
 */
struct vif_fd_miss {
	u64 cookie;
	unsigned long until;
	unsigned int lap;
};

/**
 * struct vif_fd_reader - how far the attached processes of a user have been read
 * @node: in the namespace's table
 * @uid: the user who is charged for the processes
 * @search: number of the last search that has met one of them
 * @pos: entry with which the next search begins, see vif_subject_after(); 0: from the start
 * @nth: its table to begin with
 * @fd: the descriptor to begin with
 * @steps: in the last search
 * @behind: the last search has not read all that follows
 * @whole: it has read all processes
 * @rests: no search before @after
 * @after: in jiffies
 * @lap: how often the last process was passed, from 1
 * @oldest: the process that gets hidden sockets (referenced), during a search
 * @since: when it began
 * @judge_at: in jiffies: no search before this time judges whether the user needs a stand-in
 */
struct vif_fd_reader {
	struct hlist_node node;
	kuid_t uid;
	unsigned int search;
	u64 pos;
	unsigned int nth;
	unsigned int fd;
	unsigned int steps;
	bool behind;
	bool whole;
	bool rests;
	unsigned long after;
	unsigned int lap;
	struct vif_subject *oldest;
	u64 since;
	unsigned long judge_at;
};

/**
 * struct vif_fd_wanted - a socket that is looked for
 * @sk: the socket (referenced), with a cookie
 * @payer: the charged user
 * @nth: number of this user's sockets before it
 */
struct vif_fd_wanted {
	struct sock *sk;
	kuid_t payer;
	unsigned int nth;
};

/**
 * struct vif_fd_scanner - searches in all namespaces of a user, or in one namespace of root
 * @node: in the table of users
 * @uid: the user
 * @refs: number of namespaces; mutex
 * @work: a search in one of them
 * @lock: guards the following members, and the members of struct vif_fd_scan that name this lock
 * @line: namespaces where a socket is wanted (link of struct vif_fd_scan), the next one first
 * @now: the namespace where it searches, or NULL
 * @after: jiffies: the next search starts after this time
 */
struct vif_fd_scanner {
	struct hlist_node node;
	kuid_t uid;
	unsigned int refs;
	struct delayed_work work;
	spinlock_t lock;
	struct list_head line;
	struct vif_fd_scan *now;
	unsigned long after;
};

/**
 * struct vif_fd_scan - searches in a network namespace
 * @net: the namespace
 * @scanner: the scanner (referenced)
 * @link: in the scanner's list; its lock
 * @wanted: for the next search; scanner's lock
 * @n: how many; scanner's lock
 * @leaving: the namespace ends: a search is to end as soon as it can
 * @misses: 1 << MISSES_BITS, NULL until the first search, which makes them
 * @tables: 1 << TABLES_BITS tables that this search has read, or NULL
 * @readers: struct vif_fd_reader, of users who have attached processes; of the search that runs
 * @searches: the number of this search
 */
struct vif_fd_scan {
	const struct net *net;
	struct vif_fd_scanner *scanner;
	struct list_head link;
	struct vif_fd_wanted wanted[WANTED_MAX];
	unsigned int n;
	bool leaving;
	struct vif_fd_miss *misses;
	struct vif_fd_table *tables;
	DECLARE_HASHTABLE(readers, 6);
	unsigned int searches;
};

/**
 * struct vif_fd_table - a table of descriptors that a search has read
 * @files: its address, only compared: a new table with this address is read by a later search
 * @reader: for which user's processes
 */
struct vif_fd_table {
	const struct files_struct *files;
	const struct vif_fd_reader *reader;
};

static unsigned int vif_fd_scan_net_id __read_mostly;
static struct workqueue_struct *vif_fd_scan_wq;

/* Users'; mutex. */
static DEFINE_HASHTABLE(vif_fd_scanners, 6);
static DEFINE_MUTEX(vif_fd_scan_mutex);

static struct vif_fd_miss *vif_fd_scan_miss_of(struct vif_fd_miss *misses, u64 cookie)
{
	return &misses[hash_64(cookie, MISSES_BITS)];
}

/* Return the result of the last search for a socket, however old it is, or NULL. */
static const struct vif_fd_miss *vif_fd_scan_find_miss(const struct vif_fd_scan *scan, u64 cookie)
{
	/* pairs with the release in vif_fd_scan_search(): the table is zeroed before it is read */
	struct vif_fd_miss *misses = smp_load_acquire(&scan->misses);
	const struct vif_fd_miss *miss;

	if (!misses)
		return NULL;
	miss = vif_fd_scan_miss_of(misses, cookie);
	return READ_ONCE(miss->cookie) == cookie ? miss : NULL;
}

/* Return the index of a socket in @wanted, or @n. */
static unsigned int vif_fd_scan_find_wanted(const struct vif_fd_wanted *wanted, unsigned int n,
					    const struct sock *sk)
{
	unsigned int i;

	for (i = 0; i < n && wanted[i].sk != sk; i++)
		;
	return i;
}

/*
 * Return the slot for another socket. If all are full, that is the last slot of the user with most.
 */
static struct vif_fd_wanted *__vif_fd_scan_place_for(struct vif_fd_scan *scan,
						     const struct vif_fd_wanted *new)
{
	struct vif_fd_wanted *most = scan->wanted;
	unsigned int i;

	lockdep_assert_held(&scan->scanner->lock);
	if (scan->n < WANTED_MAX) {
		scan->wanted[scan->n] = (struct vif_fd_wanted) { };
		return &scan->wanted[scan->n++];
	}
	for (i = 1; i < WANTED_MAX; i++)
		if (scan->wanted[i].nth > most->nth)
			most = &scan->wanted[i];
	return most->nth > new->nth ? most : NULL;
}

/* @new: out: the socket that is no longer wanted, or none. */
static bool __vif_fd_scan_want(struct vif_fd_scan *scan, struct vif_fd_wanted *new)
{
	struct vif_fd_wanted *place;
	unsigned int i;

	if (vif_fd_scan_find_wanted(scan->wanted, scan->n, new->sk) < scan->n)
		return false;
	for (i = 0; i < scan->n; i++)
		new->nth += uid_eq(scan->wanted[i].payer, new->payer);
	place = __vif_fd_scan_place_for(scan, new);
	if (!place)
		return false;
	swap(*place, *new);
	return true;
}

/* Requeue the scanner after its backoff. */
static void __vif_fd_scan_requeue(struct vif_fd_scanner *scanner)
{
	long rest = scanner->after - jiffies;

	lockdep_assert_held(&scanner->lock);
	if (scanner->now)
		return;
	queue_delayed_work(vif_fd_scan_wq, &scanner->work, max(rest, 0L));
}

/*
 * The socket of a user-level stack's port is in no table of descriptors. It is not hidden: the
 * user's oldest attached process may have nothing to do with the stack.
 */
static bool vif_fd_scan_is_port(const struct sock *sk)
{
	const struct vif_option *option;

	if (!static_branch_unlikely(&vif_option_stack))
		return false;
	option = vif_option_rcu(VIF_OPTION_STACK);
	return option && vif_stack_ops_of(option)->is_port(sk);
}

bool vif_fd_scan_owner(struct sock *sk)
{
	struct vif_fd_scan *scan = net_generic(sock_net(sk), vif_fd_scan_net_id);
	const struct vif_fd_miss *miss = vif_fd_scan_find_miss(scan, vif_sock_cookie(sk));
	struct vif_fd_wanted new = { .sk = sk };
	struct vif_fd_scanner *scanner = scan->scanner;

	if (miss && time_before(jiffies, READ_ONCE(miss->until)))
		return false;
	if (vif_fd_scan_is_port(sk))
		return false;
	/* the last reference may be gone: a packet holds the socket without one */
	if (!refcount_inc_not_zero(&sk->sk_refcnt))
		return false;
	new.payer = vif_account_payer_of_sock(sk);
	spin_lock_bh(&scanner->lock);
	if (__vif_fd_scan_want(scan, &new)) {
		if (list_empty(&scan->link))
			list_add_tail(&scan->link, &scanner->line);
		__vif_fd_scan_requeue(scanner);
	}
	spin_unlock_bh(&scanner->lock);
	if (new.sk)
		sock_put(new.sk);
	return !miss || READ_ONCE(miss->lap);
}

bool vif_fd_scan_has_owner(struct sock *sk)
{
	struct vif_sock_owners owners = { };

	if (vif_sock_any())
		vif_sock_owners_of(sock_net(sk), atomic64_read(&sk->sk_cookie), &owners);
	if (vif_sock_is_sought(sk, &owners) && vif_task_any())
		vif_fd_scan_owner(sk);
	return owners.self || (owners.task && !owners.left);
}

/**
 * struct vif_fd_search - a search for sockets in a process
 * @scan: the namespace that is searched; NULL in an attaching task
 * @vn: the search reads only processes that are attached on a device of this namespace
 * @leaving: see struct vif_fd_scan
 * @reader: the reader of the process; NULL in an attaching task
 * @task: the process's entry; NULL for a process that is not attached
 * @threads: the process is not attached, but some of its threads may be
 * @thread: its descriptors are read
 * @nth: which table of the process this is
 * @fd: the next descriptor
 * @steps: in this process
 * @steps_max: then it pauses
 * @steps_all: of finished processes
 * @wanted: the sockets; NULL for all
 * @n: number of @wanted
 * @users: first, one of @wanted for each user all of whose processes are attached; then those that
 *	may be hidden
 * @seen: those of @wanted that any process of their user has open
 * @free: those of @wanted that a process has open that is not attached
 */
struct vif_fd_search {
	struct vif_fd_scan *scan;
	const struct vif_net *vn;
	const bool *leaving;
	const struct vif_fd_reader *reader;
	struct vif_subject *task;
	bool threads;
	struct task_struct *thread;
	unsigned int nth;
	unsigned int fd;
	unsigned int steps;
	unsigned int steps_max;
	u64 steps_all;
	const struct vif_fd_wanted *wanted;
	unsigned int n;
	DECLARE_BITMAP(users, WANTED_MAX);
	DECLARE_BITMAP(seen, WANTED_MAX);
	DECLARE_BITMAP(free, WANTED_MAX);
};

static bool vif_fd_scan_goes_on(const struct vif_fd_search *search)
{
	return search->leaving ? !READ_ONCE(*search->leaving) :
				 !fatal_signal_pending(current);
}

/*
 * Return the first wanted socket from @i on that a file's @sock has, or search->n. Several may
 * belong to one file: the subflows of MPTCP have the struct socket of the MPTCP socket.
 */
static unsigned int vif_fd_scan_next_wanted(const struct vif_fd_search *search,
					    const struct socket *sock, unsigned int i)
{
	while (i < search->n && READ_ONCE(search->wanted[i].sk->sk_socket) != sock)
		i++;
	return i;
}

static void vif_fd_scan_found(const struct vif_fd_search *search, struct sock *sk)
{
	rcu_read_lock();
	vif_sock_used_by(sk, search->task, vif_sock_used_in(sk, search->thread),
			 READ_ONCE(sk->sk_state), __task_cred(search->thread));
	rcu_read_unlock();
}

static bool vif_fd_scan_check_file(struct file *file, unsigned int fd, void *arg)
{
	const struct socket *sock = sock_from_file(file);
	struct vif_fd_search *search = arg;
	struct sock *sk = sock ? sock->sk : NULL;
	unsigned int i = 0;

	search->steps++;
	/* a file has it open */
	if (!sk || !sk->sk_net_refcnt)
		return vif_fd_scan_goes_on(search);
	if (!search->wanted)
		vif_fd_scan_found(search, sk);
	while ((i = vif_fd_scan_next_wanted(search, sock, i)) < search->n)
		vif_fd_scan_found(search, search->wanted[i++].sk);
	return vif_fd_scan_goes_on(search);
}

/*
 * Return the @nth thread with a table of files, referenced, or NULL. Thread 0 is the first one that
 * has a table. Then only threads with another table than this one count.
 */
static struct task_struct *vif_fd_scan_get_thread(struct pid *pid, unsigned int nth,
						  unsigned int *steps)
{
	struct task_struct *leader, *thread, *found = NULL;
	struct files_struct *first = NULL;

	rcu_read_lock();
	leader = pid_task(pid, PIDTYPE_TGID);
	if (!leader)
		goto out;
	for_each_thread(leader, thread) {
		struct files_struct *files = READ_ONCE(thread->files);

		++*steps;
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

/* Has this search read the thread's table, for another process of the user that shares it? */
static bool vif_fd_scan_was_read(const struct vif_fd_search *search)
{
	const struct vif_fd_table table = {
		.files = READ_ONCE(search->thread->files),
		.reader = search->reader,
	};
	struct vif_fd_table *place;

	if (!search->scan || !search->scan->tables)
		return false;
	place = &search->scan->tables[hash_ptr(table.files, TABLES_BITS)];
	if (place->files == table.files && place->reader == table.reader)
		return true;
	*place = table;
	return false;
}

static void vif_fd_scan_forget_tables(const struct vif_fd_scan *scan)
{
	if (scan->tables)
		memset(scan->tables, 0, sizeof(*scan->tables) << TABLES_BITS);
}

/* Read the thread's table, from search->fd on; false if it pauses before the end. */
static bool vif_fd_scan_table(struct vif_fd_search *search,
			      bool (*fn)(struct file *file, unsigned int fd, void *arg))
{
	struct task_struct *thread = search->thread;
	unsigned int from;
	bool more;

	do {
		from = search->fd;
		task_lock(thread);
		more = thread->files &&
		       vif_fds_visit_some(thread->files, &search->fd, fn, search);
		task_unlock(thread);
		search->steps += (search->fd - from) / BITS_PER_LONG;
		cond_resched();
	} while (more && search->steps < search->steps_max);
	return !more;
}

/*
 * Read a process, from search->nth and search->fd on. Threads may have files of their own, and
 * outlive their leader's. Return false if it pauses before the end.
 */
static bool vif_fd_scan_process(struct pid *pid, struct vif_fd_search *search,
				bool (*fn)(struct file *file, unsigned int fd, void *arg))
{
	bool done = true;

	for (search->steps = 1; search->nth < TABLES_MAX; search->nth++, search->fd = 0) {
		search->thread = vif_fd_scan_get_thread(pid, search->nth, &search->steps);
		if (!search->thread)
			break;
		if (!vif_fd_scan_was_read(search) || search->fd)
			done = vif_fd_scan_table(search, fn);
		put_task_struct(search->thread);
		if (!done)
			break;
	}
	search->steps_all += search->steps;
	return done;
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

/* Return the user that a process is charged to; of none, an invalid one. */
static kuid_t vif_fd_scan_payer_of(struct pid *pid)
{
	const struct task_struct *leader;
	kuid_t payer = INVALID_UID;

	rcu_read_lock();
	leader = pid_task(pid, PIDTYPE_TGID);
	if (leader)
		payer = vif_account_payer_of(__task_cred(leader));
	rcu_read_unlock();
	return payer;
}

static struct vif_fd_reader *vif_fd_scan_find_reader(const struct vif_fd_scan *scan, kuid_t uid)
{
	struct vif_fd_reader *reader;

	hash_for_each_possible(scan->readers, reader, node, __kuid_val(uid))
		if (uid_eq(reader->uid, uid))
			return reader;
	return NULL;
}

/* Return the reader of a user's processes in this search; NULL without memory. */
static struct vif_fd_reader *vif_fd_scan_get_reader(struct vif_fd_scan *scan, kuid_t uid)
{
	struct vif_fd_reader *reader = vif_fd_scan_find_reader(scan, uid);

	if (!reader) {
		reader = kzalloc(sizeof(*reader), GFP_KERNEL);
		if (!reader)
			return NULL;
		reader->uid = uid;
		reader->lap = 1;
		reader->judge_at = jiffies;
		reader->search = scan->searches - 1;
		hash_add(scan->readers, &reader->node, __kuid_val(uid));
	}
	if (reader->search == scan->searches)
		return reader;
	reader->search = scan->searches;
	reader->steps = 0;
	reader->rests = reader->rests && time_before(jiffies, reader->after);
	reader->behind = reader->rests;
	reader->whole = !reader->rests && !reader->pos;
	return reader;
}

/* Return the process's number of an entry of a process or thread. */
static struct pid *vif_fd_scan_pid_of(const struct vif_subject *subject)
{
	return subject->kind == VIF_THREAD ? subject->up->pid : subject->pid;
}

/* Is the entry one of a process, or thread, that is attached? */
static bool vif_fd_scan_is_task(const struct vif_subject *subject, const struct vif_net *vn)
{
	return (subject->kind == VIF_PROCESS || subject->kind == VIF_THREAD) &&
	       vif_fd_scan_is_attached(subject, vn);
}

static void vif_fd_scan_hold_thread(struct vif_subject *subject, void *arg)
{
	struct task_struct **thread = arg;

	*thread = get_task_struct(subject->task);
}

/* Read an attached thread's table; false if it pauses before the end. */
static bool vif_fd_scan_thread(struct vif_subject *subject, struct vif_fd_search *search)
{
	bool done = true;

	search->steps = 1;
	search->thread = NULL;
	rcu_read_lock();
	/* once the entry has ended it does not hold the thread */
	vif_subject_run_locked(subject, vif_fd_scan_hold_thread, &search->thread);
	rcu_read_unlock();
	if (!search->thread)
		return true;
	if (!vif_fd_scan_was_read(search) || search->fd)
		done = vif_fd_scan_table(search, vif_fd_scan_check_file);
	put_task_struct(search->thread);
	search->steps_all += search->steps;
	return done;
}

static bool vif_fd_scan_task(struct vif_subject *subject, struct vif_fd_search *search)
{
	if (subject->kind == VIF_THREAD)
		return vif_fd_scan_thread(subject, search);
	return vif_fd_scan_process(subject->pid, search, vif_fd_scan_check_file);
}

/* Read one attached process or thread, unless it is another one's turn. */
static void vif_fd_scan_read(struct vif_subject *subject, u64 pos, struct vif_fd_reader *reader,
			     struct vif_fd_search *search)
{
	if (reader->behind || pos < reader->pos)
		return;
	search->reader = reader;
	search->task = subject;
	search->nth = pos == reader->pos ? reader->nth : 0;
	search->fd = pos == reader->pos ? reader->fd : 0;
	search->steps_max = STEPS_MAX - min(reader->steps, STEPS_MAX);
	reader->behind = !search->steps_max ||
			 !vif_fd_scan_task(subject, search);
	if (search->steps_max)
		reader->steps += search->steps;
	if (!reader->behind)
		return;
	reader->whole = false;
	reader->pos = pos;
	reader->nth = search->nth;
	reader->fd = search->fd;
}

/*
 * If a process is attached, sockets in the tables of its threads are the process's. If only threads
 * are, such as the one thread that an attached thread has forked, sockets in the table of a thread
 * are that thread's: it is not known which one of several that share a table receives by it.
 */
static void vif_fd_scan_subject(struct vif_subject *subject, u64 pos, struct vif_fd_search *search)
{
	struct vif_fd_reader *reader;
	kuid_t payer;

	if (READ_ONCE(*search->leaving) || !vif_fd_scan_is_task(subject, search->vn) ||
	    (subject->kind == VIF_THREAD && vif_fd_scan_is_attached(subject->up, search->vn)))
		return;
	payer = vif_fd_scan_payer_of(vif_fd_scan_pid_of(subject));
	reader = vif_fd_scan_get_reader(search->scan, payer);
	if (reader)
		vif_fd_scan_read(subject, pos, reader, search);
}

/* Return the reader of the processes of a socket's user, NULL if none is attached. */
static struct vif_fd_reader *vif_fd_scan_reader_of(const struct vif_fd_search *search,
						   unsigned int i)
{
	struct vif_fd_reader *reader = vif_fd_scan_find_reader(search->scan,
							       search->wanted[i].payer);

	return reader && reader->search == search->scan->searches ? reader : NULL;
}

/*
 * Has each attached process of the socket's user been read since the socket was wanted? If not, it
 * is searched for again: no other user's processes make it wait.
 */
static bool vif_fd_scan_has_read(const struct vif_fd_search *search, unsigned int i)
{
	const struct vif_fd_reader *reader = vif_fd_scan_reader_of(search, i);
	u64 cookie = atomic64_read(&search->wanted[i].sk->sk_cookie);
	const struct vif_fd_miss *miss;

	if (!reader || reader->whole)
		return true;
	/* a lap that began before it was wanted does not count */
	miss = vif_fd_scan_find_miss(search->scan, cookie);
	return miss && miss->lap && reader->lap - miss->lap >= 2;
}

/*
 * A user can receive by a socket that no process has open: the socket is in a message of AF_UNIX,
 * is among the files of an io_uring, or is in a table of descriptors that no scan reads. Such a
 * socket counts as used by the user's oldest attached process, because all processes of a user can
 * give sockets to each other. Hidden sockets of root and of the kernel stay without an owner: root
 * may leave each VIF anyway.
 */

static bool vif_fd_scan_is_owned(const struct sock *sk)
{
	struct vif_sock_owners owners;

	vif_sock_owners_of(sock_net(sk), atomic64_read(&sk->sk_cookie), &owners);
	return !vif_sock_is_sought(sk, &owners);
}

/* May a socket be hidden, if no process has it open? Caller holds rcu_read_lock(). */
static bool vif_fd_scan_may_hide(const struct vif_fd_search *search,
				 const struct vif_fd_wanted *wanted)
{
	struct sock *sk = wanted->sk;
	/* its memory is used for nothing else meanwhile; the kernel's own have no file */
	const struct socket *sock = READ_ONCE(sk->sk_socket);

	return !uid_eq(wanted->payer, GLOBAL_ROOT_UID) && !sock_flag(sk, SOCK_DEAD) && sock &&
	       READ_ONCE(sock->file) && !vif_fd_scan_is_owned(sk) &&
	       !vif_cgroup_is_attached(vif_cgroup_of_sock(sk), search->vn);
}

static bool vif_fd_scan_see_file(struct file *file, unsigned int fd, void *arg)
{
	const struct socket *sock = sock_from_file(file);
	struct vif_fd_search *search = arg;
	unsigned int i = 0;

	search->steps++;
	while (sock && (i = vif_fd_scan_next_wanted(search, sock, i)) < search->n) {
		__set_bit(i, search->seen);
		if (search->task)
			vif_fd_scan_found(search, search->wanted[i].sk);
		else if (!search->threads)
			__set_bit(i, search->free);
		i++;
	}
	return vif_fd_scan_goes_on(search);
}

/* Return the process with this number, or the next one, referenced; or NULL. */
static struct pid *vif_fd_scan_get_pid(int *nr)
{
	struct pid *pid;

	rcu_read_lock();
	pid = get_pid(idr_get_next(&init_pid_ns.idr, nr));
	rcu_read_unlock();
	return pid;
}

static bool vif_fd_scan_is_user(const struct vif_fd_search *search, kuid_t uid)
{
	unsigned int i;

	for_each_set_bit(i, search->users, search->n)
		if (uid_eq(search->wanted[i].payer, uid))
			return true;
	return false;
}

static void vif_fd_scan_get_subject(struct vif_subject *subject, void *arg)
{
	struct vif_subject **got = arg;

	if (vif_subject_get(subject))
		*got = subject;
}

/* Return a process's entry, referenced, or NULL. */
static struct vif_subject *vif_fd_scan_get_entry(struct pid *pid)
{
	struct vif_subject *subject = NULL;
	struct vif_subject_id id, up;

	if (!vif_task_id(VIF_PROCESS, pid, &up, &id))
		vif_subject_run(&id, vif_fd_scan_get_subject, &subject);
	return subject;
}

/* A process that is attached may have got a socket after it was searched. */
static void vif_fd_scan_see(struct pid *pid, struct vif_fd_search *search)
{
	struct vif_subject *subject = vif_fd_scan_get_entry(pid);
	bool attached = subject && vif_fd_scan_is_attached(subject, search->vn);

	search->task = attached ? subject : NULL;
	search->threads = subject && !attached && READ_ONCE(subject->has_threads);
	vif_fd_scan_process(pid, search, vif_fd_scan_see_file);
	search->task = NULL;
	if (subject)
		vif_subject_put(subject);
}

/*
 * Only processes of these users are read, each user's up to a bound: no other user can make the
 * search take longer.
 */
static void vif_fd_scan_see_all(struct vif_fd_search *search)
{
	struct vif_fd_reader *reader;
	struct pid *pid;
	kuid_t payer;
	int nr;

	vif_fd_scan_forget_tables(search->scan);
	for (nr = 1; (pid = vif_fd_scan_get_pid(&nr)); nr++) {
		payer = vif_fd_scan_payer_of(pid);
		reader = vif_fd_scan_is_user(search, payer) ?
				 vif_fd_scan_find_reader(search->scan, payer) : NULL;
		if (reader && reader->steps < STEPS_ALL) {
			search->reader = reader;
			search->nth = 0;
			search->fd = 0;
			search->steps_max = STEPS_ALL - reader->steps;
			vif_fd_scan_see(pid, search);
			reader->steps += search->steps;
		}
		put_pid(pid);
		cond_resched();
		if (READ_ONCE(*search->leaving) ||
		    bitmap_subset(search->users, search->seen, search->n))
			break;
	}
}

/* Return when the process, of a thread its process, began. */
static u64 vif_fd_scan_since(const struct vif_subject *subject)
{
	const struct task_struct *leader;
	u64 since;

	rcu_read_lock();
	leader = pid_task(vif_fd_scan_pid_of(subject), PIDTYPE_TGID);
	since = leader ? leader->start_boottime : U64_MAX;
	rcu_read_unlock();
	return since;
}

/* The oldest attached process of a user has them: a user may have many that exit at once. */
static void vif_fd_scan_find_adopters(struct vif_fd_search *search)
{
	struct vif_subject *subject;
	struct vif_fd_reader *reader;
	u64 pos = 0, since;
	kuid_t payer;

	while (!READ_ONCE(*search->leaving) && (subject = vif_subject_after(&pos, NULL))) {
		reader = NULL;
		if (vif_fd_scan_is_task(subject, search->vn)) {
			payer = vif_fd_scan_payer_of(vif_fd_scan_pid_of(subject));
			if (vif_fd_scan_is_user(search, payer))
				reader = vif_fd_scan_find_reader(search->scan, payer);
		}
		since = reader ? vif_fd_scan_since(subject) : U64_MAX;
		if (reader && (!reader->oldest || since < reader->since)) {
			reader->since = since;
			swap(reader->oldest, subject);
		}
		if (subject)
			vif_subject_put(subject);
		cond_resched();
	}
}

static void vif_fd_scan_adopt(struct vif_subject *subject, struct sock *sk)
{
	struct task_struct *leader;

	rcu_read_lock();
	leader = pid_task(vif_fd_scan_pid_of(subject), PIDTYPE_TGID);
	if (leader)
		vif_sock_used_by(sk, subject, vif_sock_used_in(sk, leader),
				 READ_ONCE(sk->sk_state), __task_cred(leader));
	rcu_read_unlock();
}

static void vif_fd_scan_find_hidden(struct vif_fd_search *search)
{
	struct vif_fd_reader *reader;
	unsigned int i;

	for (i = 0; i < search->n; i++)
		if (!vif_fd_scan_reader_of(search, i))
			vif_sock_end_left(search->wanted[i].sk, false);
	rcu_read_lock();
	for (i = 0; i < search->n; i++)
		if (vif_fd_scan_reader_of(search, i) && vif_fd_scan_has_read(search, i) &&
		    vif_fd_scan_may_hide(search, &search->wanted[i]))
			__set_bit(i, search->users);
	rcu_read_unlock();
	if (bitmap_empty(search->users, search->n))
		return;
	vif_fd_scan_see_all(search);
	for_each_set_bit(i, search->free, search->n)
		vif_sock_end_left(search->wanted[i].sk, true);
	bitmap_andnot(search->users, search->users, search->seen, search->n);
	if (!bitmap_empty(search->users, search->n))
		vif_fd_scan_find_adopters(search);
	for_each_set_bit(i, search->users, search->n) {
		reader = vif_fd_scan_reader_of(search, i);
		if (reader->oldest)
			vif_fd_scan_adopt(reader->oldest, search->wanted[i].sk);
	}
}

/* Forget the users who have a process that is not attached. */
static void vif_fd_scan_leave_free(struct vif_fd_search *search)
{
	struct pid *pid;
	kuid_t payer;
	unsigned int i;
	int nr;

	for (nr = 1; !bitmap_empty(search->users, search->n) && (pid = vif_fd_scan_get_pid(&nr));
	     nr++) {
		payer = vif_fd_scan_payer_of(pid);
		if (vif_fd_scan_is_user(search, payer) && vif_task_is_free(pid, search->vn))
			for_each_set_bit(i, search->users, search->n)
				if (uid_eq(search->wanted[i].payer, payer))
					__clear_bit(i, search->users);
		put_pid(pid);
		cond_resched();
		if (READ_ONCE(*search->leaving))
			bitmap_zero(search->users, search->n);
	}
}

/* Must the search judge whether all processes of the user of socket @i are attached? */
static bool vif_fd_scan_is_to_judge(const struct vif_fd_search *search, unsigned int i)
{
	const struct vif_fd_reader *reader = vif_fd_scan_reader_of(search, i);
	const struct vif_fd_wanted *wanted = &search->wanted[i];

	if (wanted->nth || uid_eq(wanted->payer, GLOBAL_ROOT_UID))
		return false;
	return reader ? !time_before(jiffies, reader->judge_at) :
			vif_sock_has_stand_in(search->scan->net, wanted->payer);
}

/* A process that is not attached has the sockets of a user who has none that is attached. */
static void vif_fd_scan_end_left_of(const struct vif_fd_search *search, kuid_t uid)
{
	unsigned int i;

	for (i = 0; i < search->n; i++)
		if (uid_eq(search->wanted[i].payer, uid))
			vif_sock_end_left(search->wanted[i].sk, true);
}

/*
 * If all processes of a user are attached, one of them has each socket of the user that is searched
 * for, whichever it is. The oldest process has these sockets until they are found. If one process
 * is not attached, they may be its: then there is no stand-in. Root may leave each VIF anyway. If
 * the search has met no process of the user, all may have exited during the walk: the last stand-in
 * stays.
 */
static void vif_fd_scan_find_stand_ins(struct vif_fd_search *search)
{
	DECLARE_BITMAP(judged, WANTED_MAX) = { };
	struct vif_fd_reader *reader;
	unsigned int i;
	kuid_t payer;

	for (i = 0; i < search->n; i++)
		if (vif_fd_scan_is_to_judge(search, i))
			__set_bit(i, judged);
	if (bitmap_empty(judged, search->n))
		return;
	bitmap_copy(search->users, judged, search->n);
	vif_fd_scan_leave_free(search);
	if (!bitmap_empty(search->users, search->n))
		vif_fd_scan_find_adopters(search);
	for_each_set_bit(i, judged, search->n) {
		reader = vif_fd_scan_reader_of(search, i);
		payer = search->wanted[i].payer;
		if (reader)
			reader->judge_at = jiffies + JUDGED_FOR;
		if (!test_bit(i, search->users)) {
			vif_sock_set_stand_in(search->scan->net, payer, NULL);
			if (!reader)
				vif_fd_scan_end_left_of(search, payer);
		} else if (reader && reader->oldest) {
			vif_sock_set_stand_in(search->scan->net, payer, reader->oldest);
			reader->oldest = NULL;
		}
	}
	bitmap_zero(search->users, search->n);
}

/*
 * End the search for its readers. Users who are read in parts are in no other user's way: they
 * have a tenth of a CPU together, apart from the tenth of the others. Return the time that was
 * theirs, which is at most @took_ns.
 */
static u64 vif_fd_scan_end_readers(struct vif_fd_search *search, u64 took_ns)
{
	struct vif_fd_scan *scan = search->scan;
	u64 step_ns = div64_u64(took_ns, max(search->steps_all, 1ULL));
	struct vif_fd_reader *reader;
	struct hlist_node *next;
	unsigned int bucket, n = 0;
	u64 own_ns = 0, ns;

	hash_for_each(scan->readers, bucket, reader, node)
		n += reader->search == scan->searches && (reader->behind || reader->pos);
	hash_for_each_safe(scan->readers, bucket, next, reader, node) {
		if (reader->oldest)
			vif_subject_put(reader->oldest);
		reader->oldest = NULL;
		if (reader->search != scan->searches) {
			hash_del(&reader->node);
			kfree(reader);
			continue;
		}
		if (!reader->behind && reader->pos) {
			reader->lap++;
			reader->pos = 0;
		}
		if (reader->steps < STEPS_MAX)
			continue;
		ns = step_ns * reader->steps;
		own_ns += ns;
		reader->rests = true;
		reader->after = jiffies + 1 + nsecs_to_jiffies(REST * ns * max(n, 1U));
	}
	return own_ns;
}

/* Search for an open socket again, in the processes that have yet to be read. */
static void vif_fd_scan_want_again(struct vif_fd_scan *scan, const struct vif_fd_wanted *wanted)
{
	struct vif_fd_wanted new = { .sk = wanted->sk, .payer = wanted->payer };
	struct vif_fd_scanner *scanner = scan->scanner;

	if (sock_flag(new.sk, SOCK_DEAD))
		return;
	sock_hold(new.sk);
	spin_lock_bh(&scanner->lock);
	/* after this has been set, no search begins */
	if (!READ_ONCE(scan->leaving) && __vif_fd_scan_want(scan, &new) &&
	    list_empty(&scan->link))
		list_add_tail(&scan->link, &scanner->line);
	spin_unlock_bh(&scanner->lock);
	if (new.sk)
		sock_put(new.sk);
}

/* A socket without a record now has no owner, unless some processes have yet to be read. */
static void vif_fd_scan_note_misses(const struct vif_fd_search *search)
{
	unsigned int i;
	bool owned;

	for (i = 0; i < search->n; i++) {
		struct sock *sk = search->wanted[i].sk;
		u64 cookie = atomic64_read(&sk->sk_cookie);
		struct vif_fd_miss *miss = vif_fd_scan_miss_of(search->scan->misses, cookie);
		bool found = vif_fd_scan_has_read(search, i);

		rcu_read_lock();
		owned = vif_fd_scan_is_owned(sk);
		rcu_read_unlock();
		if (owned)
			continue;
		if (!found)
			vif_fd_scan_want_again(search->scan, &search->wanted[i]);
		if (!found && miss->cookie == cookie && miss->lap)
			continue;
		WRITE_ONCE(miss->lap, found ? 0 : vif_fd_scan_reader_of(search, i)->lap);
		WRITE_ONCE(miss->until, jiffies + (found ? MISS_LIFETIME : 0));
		WRITE_ONCE(miss->cookie, cookie);
	}
}

/*
 * Return the next namespace and its wanted sockets; or NULL if there is none, or if the work was
 * queued while the last search started.
 */
static struct vif_fd_scan *vif_fd_scan_next(struct vif_fd_scanner *scanner,
					    struct vif_fd_wanted *wanted,
					    unsigned int *n)
{
	struct vif_fd_scan *scan;

	spin_lock_bh(&scanner->lock);
	scan = list_first_entry_or_null(&scanner->line, struct vif_fd_scan, link);
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
static void vif_fd_scan_back_off(struct vif_fd_scanner *scanner, u64 took_ns)
{
	spin_lock_bh(&scanner->lock);
	WRITE_ONCE(scanner->now, NULL);
	scanner->after = jiffies + 1 + nsecs_to_jiffies(REST * took_ns);
	if (!list_empty(&scanner->line))
		__vif_fd_scan_requeue(scanner);
	spin_unlock_bh(&scanner->lock);
	/*
	 * pairs with the barrier of a task that prepares to wait: one sees the change of the other
	 */
	smp_mb();
	wake_up_var(&scanner->now);
}

/*
 * Return the time after which the scanner rests: without that of users who rest themselves. A user
 * who has created the namespace may have many, so there it is all of the time.
 */
static u64 vif_fd_scan_search(struct vif_fd_scan *scan, const struct vif_fd_wanted *wanted,
			      unsigned int n)
{
	struct vif_fd_search search = {
		.scan = scan,
		.vn = vif_net_of(scan->net),
		.leaving = &scan->leaving,
		.wanted = wanted,
		.n = n,
	};
	ktime_t start = ktime_get();
	struct vif_subject *subject;
	u64 pos = 0, took_ns, own_ns;

	/* pairs with the acquire in vif_fd_scan_find_miss() */
	if (!scan->misses)
		smp_store_release(&scan->misses,
				  kvcalloc(1 << MISSES_BITS,
					   sizeof(*scan->misses), GFP_KERNEL));
	if (!scan->tables)
		scan->tables = kvcalloc(1 << TABLES_BITS, sizeof(*scan->tables), GFP_KERNEL);
	vif_fd_scan_forget_tables(scan);
	scan->searches++;
	while ((subject = vif_subject_after(&pos, NULL))) {
		search.steps_all++;
		vif_fd_scan_subject(subject, pos, &search);
		vif_subject_put(subject);
		cond_resched();
	}
	vif_fd_scan_find_stand_ins(&search);
	vif_fd_scan_find_hidden(&search);
	if (scan->misses)
		vif_fd_scan_note_misses(&search);
	took_ns = ktime_to_ns(ktime_sub(ktime_get(), start));
	own_ns = vif_fd_scan_end_readers(&search, took_ns);
	return uid_eq(scan->scanner->uid, GLOBAL_ROOT_UID) ? took_ns - own_ns : took_ns;
}

static void vif_fd_scan_put_wanted(const struct vif_fd_wanted *wanted, unsigned int n)
{
	while (n--)
		sock_put(wanted[n].sk);
}

static void vif_fd_scan_work(struct work_struct *work)
{
	struct vif_fd_scanner *scanner = container_of(to_delayed_work(work),
						      struct vif_fd_scanner, work);
	struct vif_fd_wanted wanted[WANTED_MAX];
	struct vif_fd_scan *scan;
	unsigned int n;
	u64 took_ns;

	scan = vif_fd_scan_next(scanner, wanted, &n);
	if (!scan)
		return;
	took_ns = vif_fd_scan_search(scan, wanted, n);
	vif_fd_scan_put_wanted(wanted, n);
	vif_fd_scan_back_off(scanner, took_ns);
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

void vif_fd_scan_open(struct pid *pid)
{
	struct vif_fd_search search = {
		.task = vif_fd_scan_get_entry(pid),
		.steps_max = STEPS_ALL,
	};

	if (!search.task)
		return;
	vif_fd_scan_process(pid, &search, vif_fd_scan_check_file);
	vif_subject_put(search.task);
}

static struct vif_fd_scanner *vif_fd_scan_create(kuid_t uid)
{
	struct vif_fd_scanner *scanner = kzalloc(sizeof(*scanner), GFP_KERNEL_ACCOUNT);

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

static struct vif_fd_scanner *__vif_fd_scan_find(kuid_t uid)
{
	struct vif_fd_scanner *scanner;

	hash_for_each_possible(vif_fd_scanners, scanner, node, __kuid_val(uid))
		if (uid_eq(scanner->uid, uid))
			return scanner;
	return NULL;
}

/* Root's namespaces have one each, which is not in the table. */
static struct vif_fd_scanner *vif_fd_scan_get_scanner(kuid_t uid)
{
	struct vif_fd_scanner *scanner;

	if (uid_eq(uid, GLOBAL_ROOT_UID))
		return vif_fd_scan_create(uid);
	mutex_lock(&vif_fd_scan_mutex);
	scanner = __vif_fd_scan_find(uid);
	if (scanner) {
		scanner->refs++;
	} else {
		scanner = vif_fd_scan_create(uid);
		if (scanner)
			hash_add(vif_fd_scanners, &scanner->node, __kuid_val(uid));
	}
	mutex_unlock(&vif_fd_scan_mutex);
	return scanner;
}

static void vif_fd_scan_put_scanner(struct vif_fd_scanner *scanner)
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
	struct vif_fd_scan *scan = net_generic(net, vif_fd_scan_net_id);

	scan->net = net;
	INIT_LIST_HEAD(&scan->link);
	hash_init(scan->readers);
	scan->scanner = vif_fd_scan_get_scanner(vif_account_payer_in(net->user_ns));
	return scan->scanner ? 0 : -ENOMEM;
}

static void vif_fd_scan_free_readers(struct vif_fd_scan *scan)
{
	struct vif_fd_reader *reader;
	struct hlist_node *next;
	unsigned int bucket;

	hash_for_each_safe(scan->readers, bucket, next, reader, node)
		kfree(reader);
}

/* Its devices have gone: there are no packets. */
static void __net_exit vif_fd_scan_exit_net_ns(struct net *net)
{
	struct vif_fd_scan *scan = net_generic(net, vif_fd_scan_net_id);
	struct vif_fd_scanner *scanner = scan->scanner;

	WRITE_ONCE(scan->leaving, true);
	spin_lock_bh(&scanner->lock);
	list_del_init(&scan->link);
	spin_unlock_bh(&scanner->lock);
	wait_var_event(&scanner->now, READ_ONCE(scanner->now) != scan);
	vif_fd_scan_put_scanner(scanner);
	vif_fd_scan_put_wanted(scan->wanted, scan->n);
	vif_fd_scan_free_readers(scan);
	kvfree(scan->tables);
	kvfree(scan->misses);
}

static struct pernet_operations vif_fd_scan_pernet = {
	.init = vif_fd_scan_init_net_ns,
	.exit = vif_fd_scan_exit_net_ns,
	.id = &vif_fd_scan_net_id,
	.size = sizeof(struct vif_fd_scan),
};

int vif_fd_scan_init(void)
{
	int err;

	vif_fd_scan_wq = alloc_workqueue("netnice_fd_scan", WQ_UNBOUND, 0);
	if (!vif_fd_scan_wq)
		return -ENOMEM;
	err = register_pernet_subsys(&vif_fd_scan_pernet);
	if (err)
		destroy_workqueue(vif_fd_scan_wq);
	return err;
}

void vif_fd_scan_exit(void)
{
	unregister_pernet_subsys(&vif_fd_scan_pernet);
	destroy_workqueue(vif_fd_scan_wq);
}
