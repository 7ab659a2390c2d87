// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of the module. They are initialized in the order of their dependencies, and end in the
 * reverse order.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "../procfs/procfs.h"
#include "attach/cache.h"
#include "attach/fd_scan.h"
#include "attach/flow.h"
#include "attach/late_hooks.h"
#include "attach/probes.h"
#include "attach/sock.h"
#include "attach/subject.h"
#include "hooks/hooks.h"
#include "netlink/netlink.h"
#include "queue/p_queue.h"
#include "tree/vif.h"

static const struct {
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	{ p_queue_init, p_queue_exit },
	{ vif_init, vif_exit },
	{ vif_sock_init, vif_sock_exit },
	{ vif_cache_init, vif_cache_exit },
	{ vif_flow_init, vif_flow_exit },
	{ vif_subject_table_init, vif_subject_exit },
	{ vif_fd_scan_init, vif_fd_scan_exit },
	{ vif_late_hooks_init, vif_late_hooks_exit },
	{ vif_probes_init, vif_probes_exit },
	{ vif_ipsec_init, vif_ipsec_exit },
	{ vif_netdev_init, vif_netdev_exit },
	{ nnfs_init, nnfs_exit },
	{ nn_nl_init, nn_nl_exit },
	{ nn_nl_event_init, nn_nl_event_exit },
	/* last: a qdisc that is installed keeps the module from here on */
	{ vif_qdisc_init, vif_qdisc_exit },
};

static void netnice_end_parts(unsigned int n)
{
	while (n-- > 0)
		parts[n].exit();
	/* functions of this module that the parts gave to call_rcu() have to run first */
	rcu_barrier();
}

static int __init netnice_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		err = parts[i].init ? parts[i].init() : 0;
		if (err) {
			netnice_end_parts(i);
			return err;
		}
	}
	return 0;
}

static void __exit netnice_exit(void)
{
	netnice_end_parts(ARRAY_SIZE(parts));
}

module_init(netnice_init);
module_exit(netnice_exit);

MODULE_DESCRIPTION("Virtual network interfaces for processes");
MODULE_VERSION(NETNICE_VERSION);
MODULE_LICENSE("GPL");
