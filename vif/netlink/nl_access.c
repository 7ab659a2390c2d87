// SPDX-License-Identifier: GPL-2.0
#include "nl_access.h"

#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <linux/string.h>
#include <net/netlink.h>
#include <net/sock.h>

#include "../tree/access.h"
#include "../tree/dev.h"
#include "../tree/find.h"
#include "../tree/net.h"
#include "../tree/vif.h"

const struct cred *nn_nl_act_as_reader(struct sk_buff *request)
{
	const struct socket *sock = NETLINK_CB(request).sk->sk_socket;

	/* a socket of the kernel itself has no file */
	return override_creds(sock && sock->file ? sock->file->f_cred :
						   current_cred());
}

bool __nn_nl_may_list(const struct vif *vif)
{
	return __vif_access(vif, MAY_READ | MAY_EXEC);
}

bool __nn_nl_may_read(const struct vif *vif)
{
	return __vif_access(vif, MAY_EXEC);
}

bool __nn_nl_may_find(const struct vif *vif)
{
	while ((vif = vif->parent))
		if (!__vif_access(vif, MAY_EXEC))
			return false;
	return true;
}

/* From @vif up to @top, or to the root VIF. */
static bool __vif_nl_may_list_all(const struct vif *vif, const struct vif *top)
{
	for (; vif; vif = vif->parent) {
		if (!__nn_nl_may_list(vif))
			return false;
		if (vif == top)
			return true;
	}
	return !top;
}

bool __nn_nl_sees(const struct vif *vif, const struct vif *top)
{
	return __nn_nl_may_read(vif) &&
	       (vif == top || __vif_nl_may_list_all(vif->parent, top));
}

static struct vif *__vif_nl_by_id(struct vif_net *vn, struct nlattr *attr,
				  struct netlink_ext_ack *extack)
{
	struct vif *vif = vif_get_by_ino(nla_get_u64(attr));
	/* a number need not have been found by who gives it */
	bool there = vif && vif->dev->net == vn && !vif->dead &&
		     __vif_nl_may_list_all(vif->parent, NULL);

	/* while it is in the tree, that has a reference */
	vif_put(vif);
	if (there)
		return vif;
	NL_SET_ERR_MSG_ATTR(extack, attr,
			    "there is no VIF with this number, or it is not visible to you");
	return ERR_PTR(-ENOENT);
}

static bool vif_nl_is_named(const struct vif_dev *vdev, struct nlattr *ifindex,
			    struct nlattr *name)
{
	return (!ifindex || nla_get_u32(ifindex) == vdev->dev->ifindex) &&
	       (!name || !nla_strcmp(name, vdev->dev->name));
}

static struct vif *__vif_nl_root(struct vif_net *vn, struct nlattr *ifindex,
				 struct nlattr *name, struct netlink_ext_ack *extack)
{
	struct vif_dev *vdev;

	lockdep_assert_held(&vn->lock);
	list_for_each_entry(vdev, &vn->devs, link)
		if (vif_nl_is_named(vdev, ifindex, name))
			return vdev->root;
	NL_SET_ERR_MSG_ATTR(extack, name ?: ifindex,
			    "there is no such network device in this namespace");
	return ERR_PTR(-ENODEV);
}

static struct vif *__vif_nl_below(struct vif *vif, struct nlattr *path,
				  struct netlink_ext_ack *extack)
{
	const char *at = path ? nla_data(path) : "", *end;

	for (; *at && vif; at = *end ? end + 1 : end) {
		end = strchrnul(at, '/');
		vif = __nn_nl_may_read(vif) ?
		      __vif_find_child(vif, at, end - at) : NULL;
	}
	if (vif)
		return vif;
	NL_SET_ERR_MSG_ATTR(extack, path,
			    "there is no VIF with this path below the device, or it is not visible to you: use a path like web/video");
	return ERR_PTR(-ENOENT);
}

struct vif *__nn_nl_find(struct vif_net *vn, const struct nn_nl_names *names,
			 struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	struct nlattr *id = attrs[names->id], *path = attrs[names->path];
	struct nlattr *ifindex = attrs[names->ifindex];
	struct nlattr *device = attrs[names->device];
	struct vif *root;

	if (id && (ifindex || device || path)) {
		NL_SET_ERR_MSG_ATTR(extack, id,
				    "name a VIF by its number, or by device and path");
		return ERR_PTR(-EINVAL);
	}
	if (id)
		return __vif_nl_by_id(vn, id, extack);
	if (!ifindex && !device) {
		if (!path)
			return NULL;
		NL_SET_ERR_MSG_ATTR(extack, path,
				    "a path is below a device: also name the device");
		return ERR_PTR(-EINVAL);
	}
	root = __vif_nl_root(vn, ifindex, device, extack);
	return IS_ERR(root) ? root : __vif_nl_below(root, path, extack);
}
