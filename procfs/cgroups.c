// SPDX-License-Identifier: GPL-2.0
/*
 * Groups are found below their parent, by their names in kernfs. Inside RCU the
 * list of a group's children can be walked; one that is not online any more has
 * been removed.
 */
#include "cgroups.h"

#include <linux/cgroup.h>
#include <linux/fs.h>
#include <linux/kernfs.h>
#include <linux/nsproxy.h>
#include <linux/string.h>

#include "../vif/attach/cgroup.h"
#include "../vif/tree/vif.h"
#include "link.h"
#include "super.h"
#include "target.h"

static const struct nnfs_target_kind cgroup_kind;

static u64 ino_of(struct cgroup *cgroup)
{
	return nnfs_ino(NNFS_INO_CGROUP, cgroup_id(cgroup));
}

static bool is_online(const struct cgroup *cgroup)
{
	return READ_ONCE(cgroup->self.flags) & CSS_ONLINE;
}

/* The name, in @buf of NAME_MAX + 2 bytes, or NULL. */
static const char *name_of(struct cgroup *cgroup, struct cgroup *parent,
			   char *buf)
{
	int len = kernfs_path_from_node(cgroup->kn, parent->kn, buf,
					NAME_MAX + 2);

	return len > 1 && len < NAME_MAX + 2 ? buf + 1 : NULL;
}

struct name {
	const struct qstr *name;
	char buf[NAME_MAX + 2];
};

static bool has_name(struct cgroup *cgroup, struct cgroup *parent, void *arg)
{
	struct name *wanted = arg;
	const char *name = name_of(cgroup, parent, wanted->buf);

	return name && nnfs_is_name(wanted->name, name);
}

/* Has it come after? Children are in the order of their serial numbers. */
static bool is_after(struct cgroup *cgroup, struct cgroup *parent, void *arg)
{
	return cgroup->self.serial_nr > *(u64 *)arg;
}

/* The first child that @match takes, referenced, or NULL. */
static struct cgroup *find_child(struct cgroup *parent,
				 bool (*match)(struct cgroup *cgroup,
					       struct cgroup *parent, void *arg),
				 void *arg)
{
	struct cgroup_subsys_state *css;
	struct cgroup *child, *found = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(css, &parent->self.children, sibling) {
		child = container_of(css, struct cgroup, self);
		if (is_online(child) && match(child, parent, arg) &&
		    cgroup_tryget(child)) {
			found = child;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

static struct inode *cgroup_inode(struct super_block *sb, struct cgroup *cgroup,
				  u64 ino)
{
	const struct vif_target target = {
		.kind = VIF_CGROUP,
		.cgroup = cgroup,
	};

	return nnfs_target_inode(sb, &cgroup_kind, ino, &target);
}

static struct inode *child(struct inode *dir, const struct qstr *name)
{
	struct name *wanted;
	struct cgroup *cgroup;
	struct inode *inode = NULL;

	wanted = kmalloc(sizeof(*wanted), GFP_KERNEL);
	if (!wanted)
		return ERR_PTR(-ENOMEM);
	wanted->name = name;
	cgroup = find_child(nnfs_i(dir)->target.cgroup, has_name, wanted);
	if (cgroup) {
		inode = cgroup_inode(dir->i_sb, cgroup,
				     ino_of(cgroup));
		cgroup_put(cgroup);
	}
	kfree(wanted);
	return inode;
}

/* False if there is no more room. A device's link of that name is there already. */
static bool emit_cgroup(struct inode *dir, struct dir_context *ctx,
			struct cgroup *cgroup, char *buf)
{
	const char *name = name_of(cgroup, nnfs_i(dir)->target.cgroup, buf);
	struct vif *vif;

	if (!name)
		return true;
	vif = nnfs_link_find(dir, &(const struct qstr)
				  QSTR_INIT(name, strlen(name)));
	if (vif) {
		vif_put(vif);
		return true;
	}
	return dir_emit(ctx, name, strlen(name), ino_of(cgroup), DT_DIR);
}

static void emit(struct inode *dir, struct dir_context *ctx)
{
	struct cgroup *parent = nnfs_i(dir)->target.cgroup, *cgroup;
	char *buf = kmalloc(NAME_MAX + 2, GFP_KERNEL);
	u64 after = ctx->pos - NNFS_CHILDREN_POS;
	bool room = buf;

	while (room && (cgroup = find_child(parent, is_after, &after))) {
		room = emit_cgroup(dir, ctx, cgroup, buf);
		if (room) {
			after = cgroup->self.serial_nr;
			ctx->pos = NNFS_CHILDREN_POS + after;
		}
		cgroup_put(cgroup);
	}
	kfree(buf);
}

static const struct nnfs_target_kind cgroup_kind = {
	.base = NNFS_TARGET_KIND(nnfs_target_alive),
	.child = child,
	.emit = emit,
};

struct inode *nnfs_cgroups_inode(struct super_block *sb)
{
	return cgroup_inode(sb, nnfs_super(sb)->cgroup,
			    nnfs_ino(NNFS_INO_FIXED, NNFS_INO_CGROUPS));
}

struct cgroup *nnfs_cgroups_root(void)
{
	struct cgroup *root =
		current->nsproxy->cgroup_ns->root_cset->dfl_cgrp;

	cgroup_get(root);
	return root;
}
