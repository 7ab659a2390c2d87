// SPDX-License-Identifier: GPL-2.0
#include "error.h"

#include <linux/cred.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string_helpers.h>

#include "../queue/account.h"
#include "net.h"

/*
 * Callers may hold the tree mutex, for which other tasks wait: fail rather than search long for
 * memory.
 */
#define GFP_SENTENCE	(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

/* A namespace remembers this many callers. */
#define ENTRIES_MAX	64

/**
 * struct vif_error_entry - a caller's last error
 * @link: in the list
 * @uid: the caller's user
 * @session: the caller's session, a number in the initial namespace
 * @payer: the user who is charged
 * @serial: greater than that of any earlier error of the namespace
 * @pid: the process that failed
 * @comm: its name
 * @text: the sentence, NULL if there was no memory for it
 */
struct vif_error_entry {
	struct list_head link;
	kuid_t uid;
	pid_t session;
	kuid_t payer;
	u64 serial;
	struct pid *pid;
	char comm[TASK_COMM_LEN];
	char *text;
};

static pid_t vif_error_current_session(void)
{
	pid_t nr;

	rcu_read_lock();
	nr = pid_nr(task_session(current));
	rcu_read_unlock();
	return nr;
}

void vif_errors_init(struct vif_errors *errors)
{
	spin_lock_init(&errors->lock);
	INIT_LIST_HEAD(&errors->list);
	errors->count = 0;
	errors->serial = 0;
}

static void vif_error_free_entry(struct vif_error_entry *entry)
{
	put_pid(entry->pid);
	kfree(entry->text);
	kfree(entry);
}

void vif_errors_exit(struct vif_errors *errors)
{
	struct vif_error_entry *entry, *next;

	list_for_each_entry_safe(entry, next, &errors->list, link)
		vif_error_free_entry(entry);
}

static struct vif_error_entry *__vif_error_find(struct vif_errors *errors, kuid_t uid,
						pid_t session)
{
	struct vif_error_entry *entry;

	lockdep_assert_held(&errors->lock);
	list_for_each_entry(entry, &errors->list, link)
		if (uid_eq(entry->uid, uid) && entry->session == session)
			return entry;
	return NULL;
}

static unsigned int __vif_error_count_of(struct vif_errors *errors, kuid_t payer)
{
	struct vif_error_entry *entry;
	unsigned int count = 0;

	lockdep_assert_held(&errors->lock);
	list_for_each_entry(entry, &errors->list, link)
		if (uid_eq(entry->payer, payer))
			count++;
	return count;
}

/*
 * Evict the oldest entry of the user with most entries: a user can create any number of sessions,
 * and must not evict other users' sentences.
 */
static struct vif_error_entry *__vif_error_find_surplus(struct vif_errors *errors)
{
	struct vif_error_entry *entry, *found = NULL;
	unsigned int most = 0, count;

	list_for_each_entry(entry, &errors->list, link) {
		count = __vif_error_count_of(errors, entry->payer);
		if (count >= most) {
			most = count;
			found = entry;
		}
	}
	return found;
}

/* Returns what the caller has to free outside the lock. */
static struct vif_error_entry *__vif_error_add(struct vif_errors *errors,
					       struct vif_error_entry *entry)
{
	struct vif_error_entry *old;

	old = __vif_error_find(errors, entry->uid, entry->session);
	/* a time: a counter would reveal how often other users fail */
	errors->serial = max(errors->serial + 1, ktime_get_ns());
	entry->serial = errors->serial;
	list_add(&entry->link, &errors->list);
	if (!old && errors->count >= ENTRIES_MAX)
		old = __vif_error_find_surplus(errors);
	if (old)
		list_del(&old->link);
	else
		errors->count++;
	return old;
}

/* Without memory the old sentence, which would be a wrong one, goes. */
static void vif_error_forget_text(struct vif_errors *errors)
{
	struct vif_error_entry *entry;
	char *text = NULL;

	spin_lock(&errors->lock);
	entry = __vif_error_find(errors, current_real_cred()->uid, vif_error_current_session());
	if (entry)
		swap(text, entry->text);
	spin_unlock(&errors->lock);
	kfree(text);
}

int vif_fail(struct vif_net *vn, int err, const char *fmt, ...)
{
	struct vif_error_entry *entry, *old;
	va_list args;

	entry = kzalloc(sizeof(*entry), GFP_SENTENCE);
	if (entry) {
		va_start(args, fmt);
		entry->text = kvasprintf(GFP_SENTENCE, fmt, args);
		va_end(args);
	}
	if (!entry || !entry->text) {
		kfree(entry);
		vif_error_forget_text(&vn->errors);
		return err;
	}
	entry->uid = current_real_cred()->uid;
	entry->session = vif_error_current_session();
	entry->payer = vif_account_payer();
	entry->pid = get_pid(task_tgid(current));
	get_task_comm(entry->comm, current);
	spin_lock(&vn->errors.lock);
	old = __vif_error_add(&vn->errors, entry);
	spin_unlock(&vn->errors.lock);
	if (old)
		vif_error_free_entry(old);
	return err;
}

/* Names are the users': nothing that a terminal would obey. */
static void vif_error_put_escaped(struct seq_file *seq, const char *text)
{
	seq_escape_str(seq, text, ESCAPE_OCTAL | ESCAPE_NP, NULL);
}

void vif_error_show(struct vif_net *vn, struct seq_file *seq)
{
	struct vif_error_entry *entry;

	spin_lock(&vn->errors.lock);
	entry = __vif_error_find(&vn->errors, current_real_cred()->uid,
				 vif_error_current_session());
	if (entry && entry->text) {
		vif_error_put_escaped(seq, entry->text);
		seq_printf(seq, "\nserial %llu\nprocess %d ", entry->serial,
			   pid_nr_ns(entry->pid, task_active_pid_ns(current)));
		vif_error_put_escaped(seq, entry->comm);
		seq_putc(seq, '\n');
	}
	spin_unlock(&vn->errors.lock);
}
