/* SPDX-License-Identifier: GPL-2.0 */
/* NETNICE_CMD_VIF_GET describes VIFs in messages. */
#ifndef NETNICE_VIF_NL_VIF_H
#define NETNICE_VIF_NL_VIF_H

#include <linux/types.h>

struct genl_info;
struct netlink_callback;
struct sk_buff;
struct user_namespace;
struct vif;
struct vif_place;

/* Maximum size of a message about one VIF, in bytes: two paths, and all statistics. */
#define NN_NL_MESSAGE_SIZE	8192

/*
 * Put attributes into a message; the tree mutex is held. -EMSGSIZE if there is no
 * room, and the message is to be cancelled.
 */

/**
 * struct nn_nl_where - types of the attributes that tell where a VIF is
 * @ifindex: the device's number
 * @device: the device's name
 * @path: the path below the device
 */
struct nn_nl_where {
	int ifindex;
	int device;
	int path;
};

int __nn_nl_put_where(struct sk_buff *skb, const struct vif *vif,
		      const struct nn_nl_where *types);

/* Write only the path below its device. */
int __nn_nl_put_path(struct sk_buff *skb, int type, const struct vif *vif);

/*
 * Who it is. @to: where it is going to be, or NULL for where it is; @moves: and where it was.
 */
int __nn_nl_put_vif_place(struct sk_buff *skb, const struct vif *vif,
			  const struct vif_place *to, bool moves);

/* Put owner, group and mode, with IDs of user namespace @ns. */
int __nn_nl_put_vif_owner(struct sk_buff *skb, const struct vif *vif,
			  struct user_namespace *ns);

/* Put the contents of its files, with IDs of user namespace @ns; @stat: also its statistics. */
int __nn_nl_put_vif_files(struct sk_buff *skb, struct vif *vif, struct user_namespace *ns,
			  bool stat);

#endif
