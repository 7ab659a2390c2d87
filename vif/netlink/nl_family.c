// SPDX-License-Identifier: GPL-2.0
/* What requests may have, and who answers them, is generated: nl_gen.c. */
#include "nl_family.h"

#include <linux/build_bug.h>
#include <linux/if.h>
#include <net/genetlink.h>

#include <linux/netnice.h>
#include <linux/netnice_netlink.h>
#include "../compat/netlink.h"
#include "nl_gen.h"

int nn_nl_init(void)
{
	/* the lengths that the description has */
	BUILD_BUG_ON(IFNAMSIZ - 1 != 15);
	BUILD_BUG_ON(NETNICE_DEPTH_MAX * (NETNICE_NAME_MAX + 1) != 2048);
	nn_nl_fit(&netnice_nl_family);
	return genl_register_family(&netnice_nl_family);
}

void nn_nl_exit(void)
{
	genl_unregister_family(&netnice_nl_family);
}
