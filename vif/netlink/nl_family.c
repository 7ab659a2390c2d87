// SPDX-License-Identifier: GPL-2.0
#include "nl_family.h"

#include <linux/if.h>
#include <linux/module.h>
#include <net/genetlink.h>

#include <linux/netnice.h>
#include <linux/netnice_netlink.h>
#include "../compat/netlink.h"
#include "nl_attachment.h"
#include "nl_vif.h"

#define PATH_LEN	(NETNICE_DEPTH_MAX * (NETNICE_NAME_MAX + 1))

/* What requests may have; others are refused. */
static const struct nla_policy vif_policy[NETNICE_A_VIF_MAX + 1] = {
	[NETNICE_A_VIF_IFINDEX]	= { .type = NLA_U32 },
	[NETNICE_A_VIF_DEVICE]	= { .type = NLA_NUL_STRING, .len = IFNAMSIZ - 1 },
	[NETNICE_A_VIF_PATH]	= { .type = NLA_NUL_STRING, .len = PATH_LEN },
	[NETNICE_A_VIF_ID]	= { .type = NLA_U64 },
	[NETNICE_A_VIF_STAT]	= { .type = NLA_FLAG },
};

static const struct nla_policy
attachment_policy[NETNICE_A_ATTACHMENT_MAX + 1] = {
	[NETNICE_A_ATTACHMENT_VIF_ID]	= { .type = NLA_U64 },
	[NETNICE_A_ATTACHMENT_IFINDEX]	= { .type = NLA_U32 },
	[NETNICE_A_ATTACHMENT_DEVICE]	= {
		.type = NLA_NUL_STRING, .len = IFNAMSIZ - 1
	},
	[NETNICE_A_ATTACHMENT_PATH]	= {
		.type = NLA_NUL_STRING, .len = PATH_LEN
	},
};

static const struct genl_ops ops[] = {
	{
		.cmd		= NETNICE_CMD_VIF_GET,
		.doit		= nn_nl_vif_doit,
		.start		= nn_nl_vif_start,
		.dumpit		= nn_nl_vif_dumpit,
		.done		= nn_nl_vif_done,
		.policy		= vif_policy,
		.maxattr	= NETNICE_A_VIF_MAX,
	},
	{
		.cmd		= NETNICE_CMD_ATTACHMENT_GET,
		.start		= nn_nl_attachment_start,
		.dumpit		= nn_nl_attachment_dumpit,
		.done		= nn_nl_attachment_done,
		.policy		= attachment_policy,
		.maxattr	= NETNICE_A_ATTACHMENT_MAX,
	},
};

static const struct genl_multicast_group groups[] = {
	{ .name = NETNICE_MCGRP_EVENTS, .flags = NN_NL_GROUP_FLAGS },
};

struct genl_family nn_nl_family __ro_after_init = {
	.name		= NETNICE_FAMILY_NAME,
	.version	= NETNICE_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.ops		= ops,
	.n_ops		= ARRAY_SIZE(ops),
	.resv_start_op	= NETNICE_CMD_VIF_GET,
	.mcgrps		= groups,
	.n_mcgrps	= ARRAY_SIZE(groups),
};
MODULE_ALIAS_GENL_FAMILY(NETNICE_FAMILY_NAME);

int nn_nl_init(void)
{
	return genl_register_family(&nn_nl_family);
}

void nn_nl_exit(void)
{
	genl_unregister_family(&nn_nl_family);
}
