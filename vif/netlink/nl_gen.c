// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/netnice.yaml */
/* YNL-GEN kernel source */
/* To regenerate run: tools/net/ynl/ynl-regen.sh */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "nl_gen.h"

#include <uapi/linux/netnice_netlink.h>
#include <compat/netlink.h>

/* NETNICE_CMD_VIF_GET - do */
static const struct nla_policy netnice_vif_get_do_nl_policy[NETNICE_A_VIF_STAT + 1] = {
	[NETNICE_A_VIF_ID] = { .type = NLA_U64, },
	[NETNICE_A_VIF_IFINDEX] = { .type = NLA_U32, },
	[NETNICE_A_VIF_DEVICE] = { .type = NLA_NUL_STRING, .len = 15, },
	[NETNICE_A_VIF_PATH] = { .type = NLA_NUL_STRING, .len = 2048, },
	[NETNICE_A_VIF_STAT] = { .type = NLA_FLAG, },
};

/* NETNICE_CMD_VIF_GET - dump */
static const struct nla_policy netnice_vif_get_dump_nl_policy[NETNICE_A_VIF_STAT + 1] = {
	[NETNICE_A_VIF_ID] = { .type = NLA_U64, },
	[NETNICE_A_VIF_IFINDEX] = { .type = NLA_U32, },
	[NETNICE_A_VIF_DEVICE] = { .type = NLA_NUL_STRING, .len = 15, },
	[NETNICE_A_VIF_PATH] = { .type = NLA_NUL_STRING, .len = 2048, },
	[NETNICE_A_VIF_STAT] = { .type = NLA_FLAG, },
};

/* NETNICE_CMD_ATTACHMENT_GET - do */
static const struct nla_policy netnice_attachment_get_do_nl_policy[NETNICE_A_ATTACHMENT_COOKIE + 1] = {
	[NETNICE_A_ATTACHMENT_VIF_ID] = { .type = NLA_U64, },
	[NETNICE_A_ATTACHMENT_IFINDEX] = { .type = NLA_U32, },
	[NETNICE_A_ATTACHMENT_DEVICE] = { .type = NLA_NUL_STRING, .len = 15, },
	[NETNICE_A_ATTACHMENT_PATH] = { .type = NLA_NUL_STRING, .len = 2048, },
	[NETNICE_A_ATTACHMENT_PID] = { .type = NLA_U32, },
	[NETNICE_A_ATTACHMENT_TID] = { .type = NLA_U32, },
	[NETNICE_A_ATTACHMENT_COOKIE] = { .type = NLA_U64, },
};

/* NETNICE_CMD_ATTACHMENT_GET - dump */
static const struct nla_policy netnice_attachment_get_dump_nl_policy[NETNICE_A_ATTACHMENT_PATH + 1] = {
	[NETNICE_A_ATTACHMENT_VIF_ID] = { .type = NLA_U64, },
	[NETNICE_A_ATTACHMENT_IFINDEX] = { .type = NLA_U32, },
	[NETNICE_A_ATTACHMENT_DEVICE] = { .type = NLA_NUL_STRING, .len = 15, },
	[NETNICE_A_ATTACHMENT_PATH] = { .type = NLA_NUL_STRING, .len = 2048, },
};

/* Ops table for netnice */
static const struct genl_split_ops netnice_nl_ops[] = {
	{
		.cmd		= NETNICE_CMD_VIF_GET,
		.doit		= netnice_nl_vif_get_doit,
		.policy		= netnice_vif_get_do_nl_policy,
		.maxattr	= NETNICE_A_VIF_STAT,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= NETNICE_CMD_VIF_GET,
		.start		= netnice_nl_vif_get_start,
		.dumpit		= netnice_nl_vif_get_dumpit,
		.done		= netnice_nl_vif_get_done,
		.policy		= netnice_vif_get_dump_nl_policy,
		.maxattr	= NETNICE_A_VIF_STAT,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= NETNICE_CMD_ATTACHMENT_GET,
		.doit		= netnice_nl_attachment_get_doit,
		.policy		= netnice_attachment_get_do_nl_policy,
		.maxattr	= NETNICE_A_ATTACHMENT_COOKIE,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= NETNICE_CMD_ATTACHMENT_GET,
		.start		= netnice_nl_attachment_get_start,
		.dumpit		= netnice_nl_attachment_get_dumpit,
		.done		= netnice_nl_attachment_get_done,
		.policy		= netnice_attachment_get_dump_nl_policy,
		.maxattr	= NETNICE_A_ATTACHMENT_PATH,
		.flags		= GENL_CMD_CAP_DUMP,
	},
};

static const struct genl_multicast_group netnice_nl_mcgrps[] = {
	[NETNICE_NLGRP_EVENTS] = { "events", },
};

struct genl_family netnice_nl_family __ro_after_init = {
	.name		= NETNICE_FAMILY_NAME,
	.version	= NETNICE_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= netnice_nl_ops,
	.n_split_ops	= ARRAY_SIZE(netnice_nl_ops),
	.mcgrps		= netnice_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(netnice_nl_mcgrps),
};
