// SPDX-License-Identifier: GPL-2.0
/*
 * Names and paths of VIFs as text. Both may change while the tree mutex is not held. A path is
 * resolved from its device on, name by name; the path of a VIF is composed from its own name up.
 * vif/tree/find.c and dev.c find the names.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../vif/grammar/path.h"
#include "../vif/tree/access.h"
#include "../vif/tree/dev.h"
#include "../vif/tree/error.h"
#include "../vif/tree/find.h"
#include "../vif/tree/net.h"
#include "../vif/tree/vif.h"
#include "internal.h"

/*
 * Names that no device's directory has on any kernel: of what is beside it at the top, and
 * of what is beside the links in /tasks/PID.
 */
static const char *const reserved_names[] = {
	"tasks", "cgroups", "devices", "last_error", "threads", "sockets",
};

bool nnfs_path_reserved(const char *name, size_t len)
{
	const struct qstr qstr = QSTR_INIT(name, len);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(reserved_names); i++)
		if (nnfs_is_name(&qstr, reserved_names[i]))
			return true;
	return false;
}

/* Return the name of a VIF, or NULL if it is not in the tree any more. */
static const char *__nnfs_path_name(const struct vif *vif)
{
	lockdep_assert_held(vif_tree_lock(vif));
	if (vif->dead)
		return NULL;
	return vif->parent ? vif->name->text : vif->dev->dev->name;
}

bool nnfs_vif_entry(struct vif *vif, u64 *pos, struct nnfs_entry *entry)
{
	if (!vif)
		return false;
	mutex_lock(vif_tree_lock(vif));
	strscpy(entry->name, __nnfs_path_name(vif) ?: "", sizeof(entry->name));
	mutex_unlock(vif_tree_lock(vif));
	entry->type = DT_DIR;
	entry->ino = vif->ino;
	*pos = vif->ino;
	vif_put(vif);
	return true;
}

/* It may be changing meanwhile. */
bool nnfs_has_device_name(const struct vif *vif, const struct qstr *name)
{
	const struct net_device *dev;
	bool has;

	rcu_read_lock();
	dev = READ_ONCE(vif->dev->dev);
	has = dev && name->len < IFNAMSIZ &&
	      !strncmp(dev->name, name->name, name->len) &&
	      !dev->name[name->len];
	rcu_read_unlock();
	return has;
}

/*
 * Caller holds rcu_read_lock(): name and place are found together, so that a move is
 * seen as a whole.
 */
static bool nnfs_path_is_at(const struct vif *vif, u64 parent_ino,
			    const struct qstr *name)
{
	const struct vif_name *own = smp_load_acquire(&vif->name);

	if (own)
		return own->parent->ino == parent_ino &&
		       nnfs_is_name(name, own->text);
	return !parent_ino && nnfs_has_device_name(vif, name);
}

bool nnfs_vif_is_at(const struct vif *vif, u64 parent_ino,
		    const struct qstr *name)
{
	bool is;

	rcu_read_lock();
	is = !READ_ONCE(vif->dead) && nnfs_path_is_at(vif, parent_ino, name);
	rcu_read_unlock();
	return is;
}

/* Put text before *at. */
static bool nnfs_path_prepend(char **at, const char *buf, const char *text)
{
	size_t len = strlen(text);

	if (len > *at - buf)
		return false;
	*at -= len;
	memcpy(*at, text, len);
	return true;
}

static char *__nnfs_path_text(const struct vif *vif, const char *prefix, char *buf,
			      size_t size)
{
	char *at = buf + size;
	const char *name;

	*--at = '\0';
	for (; vif; vif = vif->parent) {
		name = __nnfs_path_name(vif);
		if (!name)
			return ERR_PTR(-ENOENT);
		if (vif->parent && !__vif_access(vif->parent, MAY_EXEC))
			return ERR_PTR(-EACCES);
		if (!nnfs_path_prepend(&at, buf, name) ||
		    !nnfs_path_prepend(&at, buf, vif->parent ? "/" : prefix))
			return ERR_PTR(-ENAMETOOLONG);
	}
	return at;
}

char *nnfs_path_text(struct vif *vif, const char *prefix, char *buf,
		     size_t size)
{
	char *text;

	mutex_lock(vif_tree_lock(vif));
	text = __nnfs_path_text(vif, prefix, buf, size);
	mutex_unlock(vif_tree_lock(vif));
	return text;
}

/* Walk down from the device. A VIF that the caller may not search is missing for it. */
static struct vif *nnfs_path_walk(struct vif_net *net, char *path)
{
	char *name = strsep(&path, "/");
	struct vif *child, *vif;

	if (nnfs_path_reserved(name, strlen(name)))
		return NULL;
	vif = vif_dev_root(net, name, strlen(name));
	while (vif && (name = strsep(&path, "/"))) {
		child = vif_access(vif, MAY_EXEC) ?
			vif_lookup_child(vif, name, strlen(name)) : NULL;
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
	err = vif_path_join(base, text, path, PATH_MAX);
	if (!err && !strncmp(path, top, top_len))
		vif = nnfs_path_walk(net, path + top_len);
	kfree(path);
	if (vif)
		return vif;
	return ERR_PTR(vif_fail(net, -EINVAL,
				"'%s' is not a VIF: use its directory, for example /proc/network/eth0/web",
				text));
}
