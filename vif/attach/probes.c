// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints by which netnice learns that objects begin, change and end. They are looked up by
 * name, because not all of them are exported. They run:
 *
 * - task_newtask: in the parent, before the child can run;
 * - sched_process_free: when a task has been waited for, its files have been closed, and an RCU
 *   grace period has passed;
 * - inet_sock_set_state: before the state of a TCP socket changes, in any context;
 * - cgroup_rmdir: when a group has been removed, with interrupts off;
 * - cgroup_release: when the last reference to a group is gone, with interrupts off;
 * - neigh_event_send_done: in the sender to a neighbour whose address is not known, when the packet
 *   waits for the address, or was just sent;
 * - netif_receive_skb: when a packet has been received, before the kernel reads its marks.
 *
 * Probes run with preemption off up to Linux 6.12. Later they run under SRCU only, so functions
 * that they call take the RCU read lock themselves.
 */
#include "probes.h"

#include <linux/cgroup.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "incoming.h"
#include "sender.h"
#include "sock.h"
#include "subject.h"
#include "task.h"

static void vif_probe_newtask(void *data, struct task_struct *child,
			      unsigned long clone_flags)
{
	vif_task_new(child, clone_flags & CLONE_THREAD);
}

static void vif_probe_process_free(void *data, struct task_struct *task)
{
	vif_task_free(task);
}

static void vif_probe_sock_state(void *data, const struct sock *sk, int oldstate,
				 int newstate)
{
	vif_sock_state(sk, oldstate, newstate);
}

static void vif_probe_neighbour_asked(void *data, struct neighbour *neigh, int waits)
{
	if (waits)
		vif_unresolved_sent(neigh);
}

static void vif_probe_received(void *data, struct sk_buff *skb)
{
	vif_incoming_check_marks(skb);
}

#ifdef CONFIG_SOCK_CGROUP_DATA
static void vif_probe_group_rmdir(void *data, struct cgroup *cgroup, const char *path)
{
	vif_subject_retire(VIF_CGROUP, cgroup->kn);
}

static void vif_probe_group_release(void *data, struct cgroup *cgroup, const char *path)
{
	vif_subject_end(VIF_CGROUP, cgroup->kn);
}
#endif

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tp;
	bool registered;
	bool late;
} vif_probes[] = {
	{ .name = "netif_receive_skb", .probe = vif_probe_received, .late = true },
	{ .name = "task_newtask", .probe = vif_probe_newtask },
	{ .name = "sched_process_free", .probe = vif_probe_process_free },
	{ .name = "inet_sock_set_state", .probe = vif_probe_sock_state },
	{ .name = "neigh_event_send_done", .probe = vif_probe_neighbour_asked },
#ifdef CONFIG_SOCK_CGROUP_DATA
	{ .name = "cgroup_rmdir", .probe = vif_probe_group_rmdir },
	{ .name = "cgroup_release", .probe = vif_probe_group_release },
#endif
};

static void vif_probe_match(struct tracepoint *tp, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vif_probes); i++)
		if (!strcmp(tp->name, vif_probes[i].name))
			vif_probes[i].tp = tp;
}

void vif_probes_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vif_probes); i++) {
		if (vif_probes[i].registered)
			tracepoint_probe_unregister(vif_probes[i].tp,
						    vif_probes[i].probe, NULL);
		vif_probes[i].registered = false;
	}
	tracepoint_synchronize_unregister();
	vif_unresolved_stop();
	vif_lost_stop();
}

static int vif_probe_add_event(unsigned int i)
{
	int err = -ENOENT;

	if (vif_probes[i].tp)
		err = tracepoint_probe_register(vif_probes[i].tp, vif_probes[i].probe, NULL);
	vif_probes[i].registered = !err;
	if (err)
		pr_err("netnice: tracepoint %s: error %d\n", vif_probes[i].name, -err);
	return err;
}

int vif_probes_init(void)
{
	unsigned int i;
	int err;

	for_each_kernel_tracepoint(vif_probe_match, NULL);
	for (i = 0; i < ARRAY_SIZE(vif_probes); i++) {
		err = vif_probes[i].late ? 0 : vif_probe_add_event(i);
		if (err) {
			vif_probes_exit();
			return err;
		}
	}
	return 0;
}

void vif_probes_see_received(void)
{
	unsigned int i;

	ASSERT_RTNL();
	for (i = 0; i < ARRAY_SIZE(vif_probes); i++)
		if (vif_probes[i].late && !vif_probes[i].registered)
			vif_probe_add_event(i);
}
