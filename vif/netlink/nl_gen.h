/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/netnice.yaml */
/* YNL-GEN kernel header */
/* To regenerate run: tools/net/ynl/ynl-regen.sh */

#ifndef _LINUX_NETNICE_GEN_H
#define _LINUX_NETNICE_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/netnice_netlink.h>
#include <compat/netlink.h>

int netnice_nl_vif_get_start(struct netlink_callback *cb);
int netnice_nl_attachment_get_start(struct netlink_callback *cb);
int netnice_nl_vif_get_done(struct netlink_callback *cb);
int netnice_nl_attachment_get_done(struct netlink_callback *cb);

int netnice_nl_vif_get_doit(struct sk_buff *skb, struct genl_info *info);
int netnice_nl_vif_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int netnice_nl_attachment_get_doit(struct sk_buff *skb, struct genl_info *info);
int netnice_nl_attachment_get_dumpit(struct sk_buff *skb,
				     struct netlink_callback *cb);

enum {
	NETNICE_NLGRP_EVENTS,
};

extern struct genl_family netnice_nl_family;

#endif /* _LINUX_NETNICE_GEN_H */
