// SPDX-License-Identifier: GPL-2.0
/*
 * Inodes and dentries: creating and revalidating them, and the owner and mode of a VIF, which are
 * in struct vif under the tree mutex. Inodes have copies, updated at each access: one VIF may have
 * an inode in each superblock, and two after its device was renamed.
 *
 * d_revalidate checks each name again: the @alive of its kind says whether the object still exists.
 * In RCU mode only VIFs can answer.
 */
#include <linux/namei.h>
#include <linux/pid.h>
#include <linux/slab.h>

#include "../vif/tree/access.h"
#include "../vif/tree/error.h"
#include "../vif/tree/net.h"
#include "../vif/tree/param.h"
#include "../vif/tree/vif.h"
#include "internal.h"

/*
 * The link count of all directories: with 1, find(1) does not derive the number of subdirectories
 * from it.
 */
#define NLINK	1

static struct kmem_cache *nnfs_inode_cache;

struct inode *nnfs_inode_new(struct super_block *sb,
			     const struct nnfs_kind *kind, u64 ino)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return ERR_PTR(-ENOMEM);
	nnfs_i(inode)->kind = kind;
	inode->i_ino = ino;
	inode->i_mode = kind->mode;
	inode->i_uid = make_kuid(sb->s_user_ns, 0);
	inode->i_gid = make_kgid(sb->s_user_ns, 0);
	inode->i_op = kind->i_op;
	inode->i_fop = kind->i_fop;
	set_nlink(inode, NLINK);
	/* an inode may be evicted: with a time of its own, tar(1) would see a change */
	nnfs_set_times(inode, nnfs_super(sb)->since);
	return inode;
}

struct inode *nnfs_inode_below(struct inode *dir, const struct nnfs_kind *kind,
			       u64 ino, const struct vif_target *target)
{
	struct inode *inode = nnfs_inode_new(dir->i_sb, kind, ino);
	struct nnfs_inode *ni;

	if (IS_ERR(inode))
		return inode;
	ni = nnfs_i(inode);
	ni->dir_ino = dir->i_ino;
	ni->pid = get_pid(target && target->kind == VIF_PROCESS ?
			  target->pid : nnfs_i(dir)->pid);
	nnfs_inode_set_target(inode, target ?: &nnfs_i(dir)->target);
	return inode;
}

struct vif *nnfs_vif_get(const struct inode *inode)
{
	struct vif *vif = nnfs_i(inode)->vif;

	if (!vif_get_again(vif))
		return NULL;
	if (!READ_ONCE(vif->dead))
		return vif;
	vif_put(vif);
	return NULL;
}

struct vif *nnfs_vif_get_or_fail(const struct inode *inode)
{
	struct vif *vif = nnfs_vif_get(inode);

	return vif ?: ERR_PTR(vif_fail(nnfs_net(inode), -ENOENT,
				       "the VIF has been removed"));
}

/*
 * Copy owner and mode of the VIF. All users may read a VIF's files, and users who may write to its
 * directory may write to them. The tree mutex is held.
 */
static void __nnfs_inode_refresh(struct inode *inode, const struct vif *vif)
{
	struct nnfs_inode *ni = nnfs_i(inode);

	lockdep_assert_held(&nnfs_net(inode)->lock);
	inode->i_uid = vif_uid(vif);
	inode->i_gid = vif_gid(vif);
	if (!ni->file)
		inode->i_mode = S_IFDIR | (vif->mode & S_IALLUGO);
	else
		inode->i_mode = S_IFREG | 0444 |
				(ni->file->store ? vif->mode & 0222 : 0);
	/* see nnfs_inode_is_fresh() */
	smp_store_release(&ni->owner_changes, vif->owner_changes);
}

/*
 * Has the inode the owner and mode of its VIF? While a user namespace is set up, a user without a
 * number there may get one. Inodes of a removed VIF are not updated.
 */
static bool nnfs_inode_is_fresh(const struct inode *inode)
{
	const struct nnfs_inode *ni = nnfs_i(inode);

	return READ_ONCE(ni->vif->owner_changes) ==
		       smp_load_acquire(&ni->owner_changes) &&
	       uid_valid(inode->i_uid) && gid_valid(inode->i_gid);
}

static void nnfs_inode_copy_owner(struct inode *inode, const struct vif *vif)
{
	mutex_lock(vif_tree_lock(vif));
	__nnfs_inode_refresh(inode, vif);
	mutex_unlock(vif_tree_lock(vif));
}

static void nnfs_inode_refresh(struct inode *inode)
{
	struct vif *vif = nnfs_i(inode)->vif;

	if (nnfs_inode_is_fresh(inode) || !vif_get_again(vif))
		return;
	nnfs_inode_copy_owner(inode, vif);
	vif_put(vif);
}

/*
 * Hide an entry from a caller that may not know of it, in any system call. If the call would create
 * the name, the VFS must find no entry, and then fail as usual. Otherwise the entry stays in the
 * cache: another user may use it, and mounts on it must stay.
 */
static int nnfs_inode_hide(const struct dentry *dentry, unsigned int flags)
{
	if (d_mountpoint(dentry))
		return -ENOENT;
	return flags & (LOOKUP_CREATE | LOOKUP_EXCL | LOOKUP_RENAME_TARGET) ? 0 : -ENOENT;
}

/*
 * A name without an object is looked up again each time, because this code is not notified when the
 * object appears. For a VIF's directory or file, owner and mode are updated, because the VFS may
 * check them next.
 */
static int nnfs_d_revalidate(NNFS_D_REVALIDATE_ARGS)
{
	struct inode *inode = d_inode_rcu(dentry);
	const struct nnfs_kind *kind = inode ? nnfs_i(inode)->kind : NULL;

	if (flags & LOOKUP_RCU && !(kind && kind->kept && NNFS_NAME_IN_RCU))
		return -ECHILD;
	if (!kind)
		return 0;
	if (nnfs_is_hidden(inode))
		return nnfs_inode_hide(dentry, flags);
	if (nnfs_is_made(flags) && nnfs_call_named(nnfs_link_is_alias, inode, dentry))
		return 0;
	if (!kind->alive)
		return 1;
	if (!nnfs_call_named(kind->alive, inode, dentry))
		return 0;
	if (!kind->kept)
		return 1;
	if (flags & LOOKUP_RCU)
		return nnfs_inode_is_fresh(inode) ? 1 : -ECHILD;
	nnfs_inode_refresh(inode);
	return 1;
}

/* Return whether to drop a dentry that is not used any more. */
static int nnfs_d_delete(const struct dentry *dentry)
{
	const struct inode *inode = d_inode(dentry);

	return !inode || !nnfs_i(inode)->kind->kept;
}

const struct dentry_operations nnfs_dentry_ops = {
	.d_revalidate	= nnfs_d_revalidate,
	.d_delete	= nnfs_d_delete,
};

void nnfs_inode_set_vif(struct inode *inode, struct vif *vif)
{
	nnfs_i(inode)->vif = vif_get_weak(vif);
	nnfs_set_times(inode, vif->ctime);
	nnfs_inode_copy_owner(inode, vif);
}

void nnfs_inode_set_target(struct inode *inode,
			   const struct vif_target *target)
{
	vif_target_get(target);
	nnfs_i(inode)->target = *target;
}

struct vif_owner nnfs_inode_owner(const struct inode *inode)
{
	return (struct vif_owner) {
		.uid = inode->i_uid,
		.gid = inode->i_gid,
		.mode = inode->i_mode & S_IALLUGO,
	};
}

int nnfs_deny(struct vif *vif, const struct nnfs_file *file, int err,
	      const char *what)
{
	struct vif_net *net = vif_net_of_vif(vif);
	char *buf = kmalloc(PATH_MAX, GFP_KERNEL);
	const char *path;
	kuid_t uid;

	if (!buf)
		return err;
	mutex_lock(&net->lock);
	uid = vif_uid(vif);
	mutex_unlock(&net->lock);
	path = nnfs_path_text(vif, "", buf, PATH_MAX);
	if (path == ERR_PTR(-EACCES))
		path = "the VIF";
	if (!IS_ERR(path))
		vif_fail(net, err, "%s%s%s: no permission to %s: it belongs to user %u",
			 path, file ? "/" : "", file ? file->name : "", what,
			 from_kuid_munged(current_user_ns(), uid));
	kfree(buf);
	return err;
}

static int nnfs_inode_deny(const struct inode *inode, int err, const char *what)
{
	struct vif *vif = nnfs_vif_get(inode);

	if (!vif)
		return err;
	nnfs_deny(vif, nnfs_i(inode)->file, err, what);
	vif_put(vif);
	return err;
}

/* Leave RCU mode for all writes: if one is refused, setting last_error may sleep. */
static int nnfs_inode_permission_rcu(struct nnfs_idmap *idmap, struct inode *inode,
				     int mask)
{
	if (mask & MAY_WRITE || !nnfs_inode_is_fresh(inode))
		return -ECHILD;
	return generic_permission(idmap, inode, mask);
}

int nnfs_permission(struct nnfs_idmap *idmap, struct inode *inode, int mask)
{
	int err;

	if (mask & MAY_NOT_BLOCK)
		return nnfs_inode_permission_rcu(idmap, inode, mask);
	nnfs_inode_refresh(inode);
	err = generic_permission(idmap, inode, mask);
	if (err && (mask & MAY_WRITE))
		return nnfs_inode_deny(inode, err, "write");
	return err;
}

int nnfs_need_write(struct vif *vif, const struct nnfs_file *file)
{
	return vif_access(vif, MAY_WRITE | MAY_EXEC) ?
	       0 : nnfs_deny(vif, file, -EACCES, "write");
}

/* As with hidepid, a caller without power over a process does not learn that it exists. */
bool nnfs_is_hidden(const struct inode *inode)
{
	struct pid *pid = nnfs_i(inode)->pid;

	return pid && !vif_access_task(pid);
}

int nnfs_task_permission(struct nnfs_idmap *idmap, struct inode *inode,
			 int mask)
{
	if (!nnfs_i(inode)->pid)
		return generic_permission(idmap, inode, mask);
	if (mask & MAY_NOT_BLOCK)
		return -ECHILD;
	return nnfs_is_hidden(inode) ? -ENOENT : 0;
}

int nnfs_task_getattr(struct nnfs_idmap *idmap, const struct path *path,
		      struct kstat *stat, u32 mask, unsigned int flags)
{
	struct inode *inode = d_inode(path->dentry);

	if (nnfs_is_hidden(inode))
		return -ENOENT;
	nnfs_fillattr(idmap, mask, inode, stat);
	return 0;
}

int nnfs_getattr(struct nnfs_idmap *idmap, const struct path *path,
		 struct kstat *stat, u32 mask, unsigned int flags)
{
	struct inode *inode = d_inode(path->dentry);

	nnfs_inode_refresh(inode);
	nnfs_fillattr(idmap, mask, inode, stat);
	return 0;
}

static void __nnfs_inode_keep_owner(const struct inode *inode, struct vif *vif)
{
	const struct vif_owner owner = nnfs_inode_owner(inode);

	if (vif->dead)
		return;
	if (__vif_set_owner(vif, &owner))
		__vif_drop_groups_below(vif);
}

int nnfs_setattr_dir(struct nnfs_idmap *idmap, struct dentry *dentry,
		     struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);
	struct vif *vif = nnfs_vif_get_or_fail(inode);
	int err;

	if (IS_ERR(vif))
		return PTR_ERR(vif);
	mutex_lock(vif_tree_lock(vif));
	__nnfs_inode_refresh(inode, vif);
	err = setattr_prepare(idmap, dentry, attr);
	if (!err) {
		setattr_copy(idmap, inode, attr);
		__nnfs_inode_keep_owner(inode, vif);
	}
	mutex_unlock(vif_tree_lock(vif));
	if (err)
		nnfs_deny(vif, NULL, err, "change owner or mode");
	vif_put(vif);
	return err;
}

/*
 * Times and sizes are not kept (opening with O_TRUNC sets the size). Owner
 * and mode may be set to what they are, for chown -R.
 */
int nnfs_setattr_fixed(struct nnfs_idmap *idmap, struct dentry *dentry,
		       struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);
	bool mode;

	if (nnfs_is_hidden(inode))
		return -ENOENT;
	if (nnfs_i(inode)->file)
		nnfs_inode_refresh(inode);
	mode = attr->ia_valid & ATTR_MODE &&
	       (attr->ia_mode ^ inode->i_mode) & S_IALLUGO;
	if (!mode && !i_uid_needs_update(idmap, attr, inode) &&
	    !i_gid_needs_update(idmap, attr, inode))
		return 0;
	return vif_fail(nnfs_net(inode), -EPERM,
			"'%pd': owner and mode are fixed; the files of a VIF have owner and write permission of its directory",
			dentry);
}

struct inode *nnfs_alloc_inode(struct super_block *sb)
{
	struct nnfs_inode *ni = alloc_inode_sb(sb, nnfs_inode_cache, GFP_KERNEL);

	if (!ni)
		return NULL;
	ni->kind = NULL;
	ni->vif = NULL;
	ni->target = (struct vif_target) {};
	ni->pid = NULL;
	ni->file = NULL;
	return &ni->vfs;
}

void nnfs_free_inode(struct inode *inode)
{
	kmem_cache_free(nnfs_inode_cache, nnfs_i(inode));
}

void nnfs_evict_inode(struct inode *inode)
{
	truncate_inode_pages_final(&inode->i_data);
	clear_inode(inode);
	vif_put_weak(nnfs_i(inode)->vif);
	vif_target_put(&nnfs_i(inode)->target);
	put_pid(nnfs_i(inode)->pid);
}

static void nnfs_inode_init_once(void *object)
{
	struct nnfs_inode *ni = object;

	inode_init_once(&ni->vfs);
}

int nnfs_inode_cache_init(void)
{
	nnfs_inode_cache = kmem_cache_create("netnice_inode",
					     sizeof(struct nnfs_inode), 0,
					     SLAB_RECLAIM_ACCOUNT | SLAB_ACCOUNT,
					     nnfs_inode_init_once);
	return nnfs_inode_cache ? 0 : -ENOMEM;
}

void nnfs_inode_cache_exit(void)
{
	/* Inodes are freed after a grace period. */
	rcu_barrier();
	kmem_cache_destroy(nnfs_inode_cache);
}
