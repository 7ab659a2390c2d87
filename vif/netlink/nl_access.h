/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A reader sees what the file system would show to the same user: nothing below a directory that
 * the user may not search, and below a directory that the user may not list only what the request
 * names. The opener's credentials decide, as for files, because the socket may have been passed on.
 */
#ifndef NETNICE_VIF_NL_ACCESS_H
#define NETNICE_VIF_NL_ACCESS_H

#include <linux/types.h>

struct cred;
struct netlink_ext_ack;
struct nlattr;
struct sk_buff;
struct sock;
struct vif;
struct vif_net;

/*
 * Take the credentials of the opener of a request's socket. Returns the argument of revert_creds().
 */
const struct cred *nn_nl_act_as_reader(struct sk_buff *request);

/**
 * struct nn_nl_names - how a request may name a VIF
 * @id: its attribute with a number
 * @ifindex: with the device's
 * @device: with the device's name
 * @path: with the path below the device
 */
struct nn_nl_names {
	int id;
	int ifindex;
	int device;
	int path;
};

/**
 * __nn_nl_find() - the VIF that a request names
 * @vn: the namespace
 * @names: its attributes' types
 * @attrs: the attributes
 * @extack: where to say what is wrong
 *
 * Context: the tree mutex is held, as the reader.
 * Return: the VIF, valid as long as the mutex is held, NULL if the request names
 *	none, or an error pointer: -EINVAL, -ENODEV, -ENOENT.
 */
struct vif *__nn_nl_find(struct vif_net *vn, const struct nn_nl_names *names,
			 struct nlattr **attrs, struct netlink_ext_ack *extack);

/* May what is below a VIF be listed? As the reader, tree mutex held. */
bool __nn_nl_may_list(const struct vif *vif);

/* May the files in a VIF's directory be read, if it may be found? Ditto. */
bool __nn_nl_may_read(const struct vif *vif);

/**
 * __nn_nl_sees() - may the reader see what is in a VIF?
 * @vif: the VIF
 * @top: only if it is this one, or below; or NULL
 *
 * Context: the tree mutex is held, as the reader.
 */
bool __nn_nl_sees(const struct vif *vif, const struct vif *top);

/* Must all above a VIF be searched: may they? Ditto. */
bool __nn_nl_may_find(const struct vif *vif);

#endif
