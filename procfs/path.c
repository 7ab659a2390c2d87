// SPDX-License-Identifier: GPL-2.0
/*
 * Names and paths of VIFs as text. Takes the tree mutex for a name at a
 * time.
 */
#include "path.h"

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../vif/dev.h"
#include "../vif/error.h"
#include "../vif/net.h"
#include "../vif/vif.h"
#include "inode.h"
#include "parse.h"
#include "top.h"

bool nnfs_vif_name(struct vif *vif, char *name)
{
	struct vif_net *net = vif_net_of_vif(vif);
	bool there;

	BUILD_BUG_ON(NNFS_NAME_SIZE < IFNAMSIZ);
	if (!vif->parent)
		return !READ_ONCE(vif->dead) && vif_dev_name(vif->dev, name);
	mutex_lock(&net->lock);
	there = !vif->dead;
	strscpy(name, vif->name, NNFS_NAME_SIZE);
	mutex_unlock(&net->lock);
	return there;
}

bool nnfs_vif_has_name(struct vif *vif, const struct qstr *name)
{
	char now[NNFS_NAME_SIZE];

	return nnfs_vif_name(vif, now) && nnfs_is_name(name, now);
}

/* Put text before *at. */
static bool prepend(char **at, const char *buf, const char *text)
{
	size_t len = strlen(text);

	if (len > *at - buf)
		return false;
	*at -= len;
	memcpy(*at, text, len);
	return true;
}

char *nnfs_path_text(struct vif *vif, const char *prefix, char *buf,
		     size_t size)
{
	char name[NNFS_NAME_SIZE];
	char *at = buf + size;

	*--at = '\0';
	for (; vif; vif = vif->parent) {
		if (!nnfs_vif_name(vif, name))
			return ERR_PTR(-ENOENT);
		if (!prepend(&at, buf, name) ||
		    !prepend(&at, buf, vif->parent ? "/" : prefix))
			return ERR_PTR(-ENAMETOOLONG);
	}
	return at;
}

/* Go down from the device. */
static struct vif *walk(struct vif_net *net, char *path)
{
	char *name = strsep(&path, "/");
	struct vif *child, *vif;

	if (nnfs_top_reserved(name, strlen(name)))
		return NULL;
	vif = vif_dev_root(net, name, strlen(name));
	while (vif && (name = strsep(&path, "/"))) {
		child = vif_lookup_child(vif, name, strlen(name));
		vif_put(vif);
		vif = child;
	}
	return vif;
}

struct vif *nnfs_path_vif(struct vif_net *net, const char *base,
			  const char *text)
{
	static const char top[] = NETNICE_MOUNT_POINT "/";
	const size_t top_len = sizeof(top) - 1;
	char *path = kmalloc(PATH_MAX, GFP_KERNEL);
	struct vif *vif = NULL;
	int err;

	if (!path)
		return ERR_PTR(-ENOMEM);
	err = nnfs_join_path(base, text, path, PATH_MAX);
	if (!err && !strncmp(path, top, top_len))
		vif = walk(net, path + top_len);
	kfree(path);
	if (vif)
		return vif;
	return ERR_PTR(vif_fail(net, -EINVAL,
				"'%s' is no VIF: use the directory of one, as /proc/network/eth0/web",
				text));
}
