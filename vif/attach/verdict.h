/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets that wait for a program's verdict (NFQUEUE: application firewalls, IPS). They go
 * on in the context of the program, inside the system call that brings the verdict: the
 * running task is not their sender, although it looks like one.
 *
 * The sender of a datagram has not been seen at a device before that. So the first verdict
 * has a hook registered at the place where packets enter IP's output, in the context of
 * their sender, which notes it with the socket.
 */
#ifndef NETNICE_VIF_VERDICT_H
#define NETNICE_VIF_VERDICT_H

#include <linux/preempt.h>
#include <linux/types.h>

struct net;

/* Use vif_verdict_is_running(). */
bool __vif_verdict_is_running(struct net *net);

/**
 * vif_verdict_is_running() - does the running task give packets back to netfilter?
 * @net: the namespace of the packet
 * @outer: how often bottom halves are disabled without that: 1 at a device, 0 before
 *
 * Context: process, a user's task; caller holds rcu_read_lock().
 */
static inline bool vif_verdict_is_running(struct net *net, unsigned int outer)
{
	/* netfilter disables them once more */
	return softirq_count() > outer * SOFTIRQ_DISABLE_OFFSET && __vif_verdict_is_running(net);
}

#endif
