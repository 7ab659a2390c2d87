// SPDX-License-Identifier: GPL-2.0
#include "sender.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/kfifo.h>
#include <linux/net.h>
#include <linux/netfilter.h>
#include <linux/netlink.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <net/neighbour.h>
#include <net/sock.h>

#include <asm/syscall.h>

#include "../tree/net.h"
#include "incoming.h"
#include "late_hooks.h"
#include "raw.h"
#include "sock.h"
#include "subject.h"
#include "task.h"

/* --- packets that wait for a verdict --- */

/* Tasks without user space of their own: their saved registers are not those of a call. */
#define WORKERS	(PF_KTHREAD | PF_IO_WORKER)

static bool vif_verdict_is_netfilters(struct file *file, const struct net *net)
{
	const struct socket *sock = sock_from_file(file);

	return sock && sock->sk && sock->sk->sk_family == AF_NETLINK &&
	       sock->sk->sk_protocol == NETLINK_NETFILTER && net_eq(sock_net(sock->sk), net);
}

/* Is the running system call about a socket of netfilter's, by which verdicts are sent? */
static bool vif_verdict_call_is_netfilters(const struct net *net)
{
	unsigned long args[6];
	struct file *file;
	bool is;

	/* a task that exits has closed its files */
	if (current->flags & WORKERS || !current->files)
		return false;
	syscall_get_arguments(current, current_pt_regs(), args);
	file = fget(args[0]);
	if (!file)
		return false;
	is = vif_verdict_is_netfilters(file, net);
	fput(file);
	return is;
}

/* Note the sender with the socket, before netfilter may queue the packet. */
static unsigned int
vif_verdict_note_sender(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct sock *sk = vif_classify_sender(skb);

	if ((vif_task_any() || vif_cgroup_any()) && sk && vif_classify_is_full(sk) &&
	    net_eq(sock_net(sk), state->net) && vif_classify_is_current(skb, sk) &&
	    /*
	     * also with bottom halves enabled, where a packet that was queued before runs this hook
	     */
	    !__vif_verdict_is_running(state->net))
		vif_sock_used_by(sk, vif_task_current(), vif_sock_used_in(sk, current),
				 READ_ONCE(sk->sk_state), current_cred());
	return NF_ACCEPT;
}

static bool vif_verdict_bridges_may_queue(const struct net *net, unsigned int place)
{
#ifdef CONFIG_NETFILTER_FAMILY_BRIDGE
	return rcu_access_pointer(net->nf.hooks_bridge[place]);
#else
	return false;
#endif
}

/*
 * Has the namespace hooks that may queue sent packets? Many have none. Bridges' have the same
 * numbers.
 */
static bool vif_verdict_may_queue(const struct net *net)
{
	static const u8 places[] = { NF_INET_LOCAL_OUT, NF_INET_POST_ROUTING };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		if (rcu_access_pointer(net->nf.hooks_ipv4[places[i]]) ||
		    rcu_access_pointer(net->nf.hooks_ipv6[places[i]]) ||
		    vif_verdict_bridges_may_queue(net, places[i]))
			return true;
	return false;
}

/*
 * A task can make its registers look like such a call. So only a task with the capability to send
 * verdicts is believed.
 */
bool __vif_verdict_is_running(struct net *net)
{
	if (!vif_verdict_may_queue(net) ||
	    !cap_raised(current_cred()->cap_effective, CAP_NET_ADMIN) ||
	    !vif_verdict_call_is_netfilters(net) ||
	    !ns_capable_noaudit(net->user_ns, CAP_NET_ADMIN))
		return false;
	vif_late_hooks_are_there(net, VIF_LATE_SENT, vif_verdict_note_sender);
	return true;
}

/* --- packets that wait for a neighbour's address --- */

/*
 * The owner of these packets is read under the lock of the neighbour, in the event that they start
 * to wait. A probe of a real-time kernel (raw.h) cannot wait for that lock: if the lock is taken, a
 * worker reads it, usually before the address arrives.
 */

/* At most this many senders wait for the worker; further ones are not recorded. */
#define LATER_MAX	64

/**
 * struct vif_sender - possible sender of waiting packets
 * @neigh: the neighbour that they wait for
 * @task: its entry
 * @cred: its credentials
 */
struct vif_sender {
	struct neighbour *neigh;
	struct vif_subject *task;
	const struct cred *cred;
};

/* Each entry holds references to all its members; lock. */
static DEFINE_KFIFO(vif_unresolved_later, struct vif_sender, LATER_MAX);
static DEFINE_RAW_SPINLOCK(vif_unresolved_lock);

/*
 * May the task have sent it? Packets of other tasks are in the queue too: a packet of the task's
 * own user is attributed to it, if no owner of the socket is known. TCP's are known from connect().
 */
static bool vif_unresolved_is_of(const struct sk_buff *skb, const struct vif_sender *sender)
{
	const struct sock *sk = vif_classify_sender(skb);

	return sk && sk_fullsock(sk) && !sk_is_tcp(sk) &&
	       uid_eq(READ_ONCE(sk->sk_uid), sender->cred->fsuid);
}

/* All packets of the queue are tested, because further ones may have been queued meanwhile. */
static void __vif_unresolved_note(const struct vif_sender *sender)
{
	struct sk_buff *skb;

	skb_queue_walk(&sender->neigh->arp_queue, skb)
		if (vif_unresolved_is_of(skb, sender))
			vif_sock_waits(skb->sk, sender->task, sender->cred);
}

static void vif_unresolved_note(const struct vif_sender *sender)
{
	read_lock_bh(&sender->neigh->lock);
	__vif_unresolved_note(sender);
	read_unlock_bh(&sender->neigh->lock);
}

static void vif_unresolved_work_fn(struct work_struct *work)
{
	struct vif_sender sender;

	raw_spin_lock_irq(&vif_unresolved_lock);
	while (kfifo_get(&vif_unresolved_later, &sender)) {
		raw_spin_unlock_irq(&vif_unresolved_lock);
		rcu_read_lock();
		vif_unresolved_note(&sender);
		rcu_read_unlock();
		neigh_release(sender.neigh);
		vif_subject_put(sender.task);
		put_cred(sender.cred);
		raw_spin_lock_irq(&vif_unresolved_lock);
	}
	raw_spin_unlock_irq(&vif_unresolved_lock);
}

static DECLARE_WORK(vif_unresolved_work, vif_unresolved_work_fn);

static void vif_unresolved_enqueue(const struct vif_sender *sender)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&vif_unresolved_lock, flags);
	if (!kfifo_is_full(&vif_unresolved_later) && vif_subject_get(sender->task)) {
		neigh_hold(sender->neigh);
		get_cred(sender->cred);
		kfifo_put(&vif_unresolved_later, *sender);
	}
	raw_spin_unlock_irqrestore(&vif_unresolved_lock, flags);
	queue_work(vif_wq, &vif_unresolved_work);
}

static void vif_unresolved_note_raw(const struct vif_sender *sender)
{
	if (!read_trylock(&sender->neigh->lock)) {
		vif_unresolved_enqueue(sender);
		return;
	}
	__vif_unresolved_note(sender);
	read_unlock(&sender->neigh->lock);
}

void vif_unresolved_sent(struct neighbour *neigh)
{
	struct vif_sender sender = { .neigh = neigh, .cred = current_cred() };

	if (!vif_task_any() || !vif_task_is_acting() || vif_incoming_is_any())
		return;
	rcu_read_lock();
	sender.task = vif_task_current();
	if (sender.task && vif_context_is_raw())
		vif_unresolved_note_raw(&sender);
	else if (sender.task && !vif_verdict_is_running(dev_net(neigh->dev), 0))
		vif_unresolved_note(&sender);
	rcu_read_unlock();
}

void vif_unresolved_stop(void)
{
	flush_work(&vif_unresolved_work);
}
