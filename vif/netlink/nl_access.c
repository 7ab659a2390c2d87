// SPDX-License-Identifier: GPL-2.0
#include "netlink.h"

#include <linux/build_bug.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/if.h>
#include <linux/netlink.h>
#include <linux/netnice_netlink.h>
#include <linux/string.h>
#include <linux/xarray.h>
#include <net/genetlink.h>
#include <net/netlink.h>
#include <net/sock.h>

#include "../compat/netlink.h"
#include "../tree/access.h"
#include "../tree/dev.h"
#include "../tree/find.h"
#include "../tree/net.h"
#include "../tree/vif.h"
#include "nl_gen.h"

/* The attributes that requests may have, and their functions, are generated: nl_gen.c. */

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

const struct cred *nn_nl_act_as_reader(struct sk_buff *request)
{
	const struct socket *sock = NETLINK_CB(request).sk->sk_socket;

	/* a socket of the kernel itself has no file */
	return override_creds(sock && sock->file ? sock->file->f_cred :
						   current_cred());
}

/* May the reader list the VIFs below @vif? Context: reader's credentials, tree mutex held. */
static bool __nn_nl_may_list(const struct vif *vif)
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

/* Walk from @vif up to @top, or to the root VIF. */
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
	/* the caller may have guessed the number */
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

static struct vif *__vif_nl_walk_root_after(const struct vif *root)
{
	struct vif_dev *vdev = root->dev;
	const struct vif_net *vn = vdev->net;

	lockdep_assert_held(&vn->lock);
	list_for_each_entry_continue(vdev, &vn->devs, link)
		return vdev->root;
	return NULL;
}

static struct vif *__vif_nl_walk_root_from(const struct vif_net *vn, u64 ino)
{
	struct vif_dev *vdev;

	lockdep_assert_held(&vn->lock);
	list_for_each_entry(vdev, &vn->devs, link)
		if (vdev->root->ino >= ino)
			return vdev->root;
	return NULL;
}

/* Return the VIF after number @ino below @vif, or else the VIF after all VIFs below @vif. */
static struct vif *__vif_nl_walk_after(const struct nn_nl_walk *walk, struct vif *vif,
				       u64 ino)
{
	struct vif *next;

	for (;;) {
		next = __vif_child_after(vif, ino);
		if (next || vif->ino == walk->top)
			return next;
		ino = vif->ino;
		if (!vif->parent)
			return walk->top ? NULL : __vif_nl_walk_root_after(vif);
		vif = vif->parent;
	}
}

struct vif *__nn_nl_next(const struct nn_nl_walk *walk, struct vif *vif)
{
	return __vif_nl_walk_after(walk, vif, __nn_nl_may_list(vif) ? 0 : U64_MAX);
}

/* Return the VIF at which to begin, if it is in the tree, and the reader may find it. */
static struct vif *__vif_nl_walk_begin(const struct nn_nl_walk *walk, struct vif_net *vn)
{
	struct vif *top;
	bool may;

	if (!walk->top)
		return __vif_nl_walk_root_from(vn, walk->levels ? walk->ino[0] : 0);
	top = vif_get_by_ino(walk->top);
	may = top && !top->dead && __nn_nl_may_find(top);
	/* while it is in the tree, that has a reference */
	vif_put(top);
	return may ? top : NULL;
}

struct vif *__nn_nl_resume(const struct nn_nl_walk *walk, struct vif_net *vn)
{
	struct vif *vif = __vif_nl_walk_begin(walk, vn), *child;
	unsigned int level;

	if (!vif || !walk->levels || vif->ino != walk->ino[0])
		return vif;
	for (level = 1; level < walk->levels; level++) {
		if (!__nn_nl_may_list(vif))
			break;
		child = xa_load(&vif->children, walk->ino[level]);
		if (!child)
			return __vif_nl_walk_after(walk, vif, walk->ino[level]);
		vif = child;
	}
	return __nn_nl_next(walk, vif);
}

void __nn_nl_seen(struct nn_nl_walk *walk, const struct vif *vif)
{
	const struct vif *at;
	unsigned int level = 1;

	for (at = vif; at->parent && at->ino != walk->top; at = at->parent)
		level++;
	walk->levels = level;
	for (; level--; vif = vif->parent)
		walk->ino[level] = vif->ino;
}
