// SPDX-License-Identifier: GPL-2.0
/*
 * The directory /cgroups: the tree of control groups (v2), from the root of the mounter's cgroup
 * namespace on, with their attachments.
 *
 * A group is found below its parent, by its name in kernfs. The list of a group's children can be
 * walked under RCU. A group that is not online any more has been removed.
 */
#include <linux/cgroup.h>
#include <linux/fs.h>
#include <linux/kernfs.h>
#include <linux/string.h>

#include "internal.h"

static u64 nnfs_cgroup_ino_of(struct cgroup *cgroup)
{
	return nnfs_ino(NNFS_INO_CGROUP, cgroup_id(cgroup));
}

static bool nnfs_cgroup_is_online(const struct cgroup *cgroup)
{
	return READ_ONCE(cgroup->self.flags) & CSS_ONLINE;
}

/* Copy the group's name, or "" if it is unknown. */
static void nnfs_cgroup_copy_name(struct cgroup *cgroup, struct cgroup *parent,
				  struct nnfs_entry *entry)
{
	const int size = sizeof(entry->name);
	int len = kernfs_path_from_node(cgroup->kn, parent->kn, entry->name, size);

	if (len > 1 && len < size)
		memmove(entry->name, entry->name + 1, len);
	else
		*entry->name = '\0';
}

static bool nnfs_cgroup_has_name(struct cgroup *cgroup, struct cgroup *parent,
				 const void *name)
{
	struct nnfs_entry entry;

	nnfs_cgroup_copy_name(cgroup, parent, &entry);
	return nnfs_is_name(name, entry.name);
}

/* Was it created after @pos? Children are sorted by their serial numbers. */
static bool nnfs_cgroup_is_after(struct cgroup *cgroup, struct cgroup *parent,
				 const void *pos)
{
	return cgroup->self.serial_nr > *(const u64 *)pos;
}

/* Return the first child that @match accepts, referenced, or NULL. */
static struct cgroup *nnfs_cgroup_find_child(struct cgroup *parent,
					     bool (*match)(struct cgroup *cgroup,
							   struct cgroup *parent,
							   const void *arg),
					     const void *arg)
{
	struct cgroup_subsys_state *css;
	struct cgroup *child, *found = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(css, &parent->self.children, sibling) {
		child = container_of(css, struct cgroup, self);
		if (nnfs_cgroup_is_online(child) && match(child, parent, arg) &&
		    cgroup_tryget(child)) {
			found = child;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

static struct inode *nnfs_cgroup_find(struct inode *dir, const struct qstr *name)
{
	const struct vif_target target = {
		.kind = VIF_CGROUP,
		.cgroup = nnfs_cgroup_find_child(nnfs_i(dir)->target.cgroup, nnfs_cgroup_has_name,
						 name),
	};
	struct inode *inode;

	if (!target.cgroup)
		return NULL;
	inode = nnfs_inode_below(dir, &nnfs_cgroup_kind, nnfs_cgroup_ino_of(target.cgroup),
				 &target);
	cgroup_put(target.cgroup);
	return inode;
}

/* Skip a group with the name of a link: the directory has that name already. */
static bool nnfs_cgroup_next(struct inode *dir, u64 *pos, struct nnfs_entry *entry)
{
	struct cgroup *parent = nnfs_i(dir)->target.cgroup;
	struct cgroup *cgroup = nnfs_cgroup_find_child(parent, nnfs_cgroup_is_after, pos);

	if (!cgroup)
		return false;
	nnfs_cgroup_copy_name(cgroup, parent, entry);
	if (nnfs_link_exists(dir, entry->name))
		*entry->name = '\0';
	entry->ino = nnfs_cgroup_ino_of(cgroup);
	entry->type = DT_DIR;
	*pos = cgroup->self.serial_nr;
	cgroup_put(cgroup);
	return true;
}

const struct nnfs_kind nnfs_cgroup_kind = {
	.mode	= S_IFDIR | 0755,
	.i_op	= &nnfs_target_iops,
	.i_fop	= &nnfs_dir_fops,
	.alive	= nnfs_target_alive,
	.first	= NNFS_LINKS,
	.rest	= { .find = nnfs_cgroup_find, .next = nnfs_cgroup_next },
};

void nnfs_cgroup_bind(struct inode *inode)
{
	nnfs_inode_set_target(inode, &(const struct vif_target) {
		.kind = VIF_CGROUP,
		.cgroup = nnfs_super(inode->i_sb)->cgroup,
	});
}
