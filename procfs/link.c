// SPDX-License-Identifier: GPL-2.0
/*
 * Links: each link is an attachment of its directory's object. Its name is the device, and it
 * points to the VIF. The inode of a link has the directory's target, and the VIF. It becomes stale
 * when the target is attached to another VIF of the device, or to none. The text of a link is made
 * when it is read. target.c creates and removes links.
 */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../vif/attach/target.h"
#include "../vif/tree/dev.h"
#include "../vif/tree/net.h"
#include "../vif/tree/vif.h"
#include "internal.h"

/* Return the device's number: the number of its root VIF, which any VIF below has, too. */
static u64 nnfs_link_device_ino(const struct vif *vif)
{
	return vif->dev->root->ino;
}

/* Return the VIF that the target is attached to on a device, referenced, or NULL. */
static struct vif *nnfs_link_attached(const struct inode *inode, u64 dev_ino)
{
	return vif_target_vif(nnfs_net(inode), &nnfs_i(inode)->target, dev_ino);
}

/* Return the VIF that the link with this name points to, referenced, or NULL. */
static struct vif *vif_by_name(struct inode *dir, const struct qstr *name)
{
	struct vif *vif = NULL;
	struct vif *root = vif_dev_root(nnfs_net(dir), name->name, name->len);
	u64 dev_ino;

	if (root)
		vif = nnfs_link_attached(dir, root->ino);
	vif_put(root);
	if (vif)
		return vif;
	dev_ino = nnfs_alias_find(&nnfs_super(dir->i_sb)->aliases, dir->i_ino,
				  name);
	return dev_ino ? nnfs_link_attached(dir, dev_ino) : NULL;
}

static const struct nnfs_kind link_kind;

static bool nnfs_link_alive(const struct inode *inode, const struct qstr *name)
{
	struct nnfs_aliases *aliases = &nnfs_super(inode->i_sb)->aliases;
	const struct nnfs_inode *ni = nnfs_i(inode);
	struct vif *vif = ni->vif, *now;
	bool is;

	if (!vif_get_again(vif))
		return false;
	now = nnfs_link_attached(inode, nnfs_link_device_ino(vif));
	is = now == vif &&
	     (nnfs_has_device_name(vif, name) ||
	      nnfs_alias_find(aliases, ni->dir_ino, name) == nnfs_link_device_ino(vif));
	vif_put(now);
	vif_put(vif);
	return is;
}

bool nnfs_link_is_alias(const struct inode *inode, const struct qstr *name)
{
	const struct nnfs_inode *ni = nnfs_i(inode);
	struct vif *vif = ni->kind == &link_kind ? ni->vif : NULL;
	bool is;

	if (!vif || !vif_get_again(vif))
		return false;
	is = !nnfs_has_device_name(vif, name);
	vif_put(vif);
	return is;
}

/* Write a "../" for each directory above the link's directory. */
static void nnfs_link_write_way_up(const struct dentry *dentry, char *text, size_t size)
{
	*text = '\0';
	for (dentry = dentry->d_parent; !IS_ROOT(dentry);
	     dentry = dentry->d_parent)
		strlcat(text, "../", size);
}

static const char *nnfs_link_get_link(struct dentry *dentry, struct inode *inode,
				      struct delayed_call *done)
{
	struct vif *vif;
	char *buf, *up;
	const char *text;

	if (!dentry)
		return ERR_PTR(-ECHILD);
	vif = nnfs_vif_get(inode);
	if (!vif)
		return ERR_PTR(-ENOENT);
	buf = kmalloc(2 * PATH_MAX, GFP_KERNEL);
	if (!buf) {
		vif_put(vif);
		return ERR_PTR(-ENOMEM);
	}
	up = buf + PATH_MAX;
	nnfs_link_write_way_up(dentry, up, PATH_MAX);
	text = nnfs_path_text(vif, up, buf, PATH_MAX);
	if (IS_ERR(text))
		kfree(buf);
	else
		set_delayed_call(done, kfree_link, buf);
	vif_put(vif);
	return text;
}

static const struct inode_operations nnfs_link_iops = {
	.get_link	= nnfs_link_get_link,
	.setattr	= nnfs_setattr_fixed,
};

static const struct nnfs_kind link_kind = {
	.mode	= S_IFLNK | 0777,
	.i_op	= &nnfs_link_iops,
	.alive	= nnfs_link_alive,
};

static u64 nnfs_link_ino(const struct inode *dir, const struct vif *vif)
{
	return nnfs_ino(NNFS_INO_LINK,
			hash_64(dir->i_ino, 60) + nnfs_link_device_ino(vif));
}

struct inode *nnfs_link_inode(struct inode *dir, struct vif *vif)
{
	struct inode *inode = nnfs_inode_below(dir, &link_kind,
					       nnfs_link_ino(dir, vif), NULL);

	if (!IS_ERR(inode))
		nnfs_i(inode)->vif = vif_get_weak(vif);
	return inode;
}

bool nnfs_link_exists(struct inode *dir, const char *name)
{
	const struct qstr qstr = QSTR_INIT(name, strlen(name));
	struct vif *vif = vif_by_name(dir, &qstr);
	bool exists = vif;

	vif_put(vif);
	return exists;
}

struct inode *nnfs_link_find(struct inode *dir, const struct qstr *name)
{
	struct vif *vif = vif_by_name(dir, name);
	struct inode *inode = vif ? nnfs_link_inode(dir, vif) : NULL;

	vif_put(vif);
	return inode;
}

/*
 * A position is one more than an index in the target's set of VIFs. If the target is attached to
 * another VIF while the directory is read, a link may be missed, or listed twice.
 */
bool nnfs_link_next(struct inode *dir, u64 *pos, struct nnfs_entry *entry)
{
	unsigned int index = *pos;
	struct vif *vif = vif_target_next(nnfs_net(dir), &nnfs_i(dir)->target,
					  &index);

	if (!vif)
		return false;
	*pos = index + 1;
	if (!vif_dev_name(vif->dev, entry->name))
		*entry->name = '\0';
	entry->ino = nnfs_link_ino(dir, vif);
	entry->type = DT_LNK;
	vif_put(vif);
	return true;
}
