// SPDX-License-Identifier: GPL-2.0
#include "verdict.h"

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/net.h>
#include <linux/netfilter.h>
#include <linux/netlink.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <net/sock.h>

#include <asm/syscall.h>

#include "late_hooks.h"
#include "sender.h"
#include "sock.h"
#include "task.h"

/* Tasks that do not come from user space: what their registers say is another one's. */
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

	if (vif_task_any() && sk && vif_classify_is_full(sk) &&
	    net_eq(sock_net(sk), state->net) && vif_classify_is_current(skb, sk) &&
	    /*
	     * also with bottom halves enabled, where a packet that was queued before runs this hook
	     */
	    !__vif_verdict_is_running(state->net))
		vif_sock_used_by(sk, vif_task_current(), READ_ONCE(sk->sk_state), current_cred());
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
 * Registers can be made to look like such a call: only a task that netfilter itself listens
 * to is believed.
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
