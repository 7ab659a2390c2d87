// SPDX-License-Identifier: GPL-2.0
/*
 * Names given to links, for a second; see alias.h. Owns the spinlock of
 * struct nnfs_aliases.
 */
#include "alias.h"

#include <linux/dcache.h>
#include <linux/jiffies.h>
#include <linux/string.h>

#include "inode.h"

#define LIFETIME	HZ

void nnfs_aliases_init(struct nnfs_aliases *aliases)
{
	spin_lock_init(&aliases->lock);
}

static struct nnfs_alias *__find(struct nnfs_aliases *aliases, u64 dir,
				 const struct qstr *name)
{
	struct nnfs_alias *alias;

	lockdep_assert_held(&aliases->lock);
	for (alias = aliases->slot; alias < aliases->slot + NNFS_ALIASES;
	     alias++)
		if (alias->dev_ino && alias->dir == dir &&
		    nnfs_is_name(name, alias->name) &&
		    time_before(jiffies, alias->expires))
			return alias;
	return NULL;
}

void nnfs_alias_add(struct nnfs_aliases *aliases, u64 dir,
		    const struct qstr *name, u64 dev_ino)
{
	struct nnfs_alias *alias;

	if (name->len >= NNFS_ALIAS_NAME_SIZE)
		return;
	spin_lock(&aliases->lock);
	alias = __find(aliases, dir, name);
	if (!alias)
		alias = &aliases->slot[aliases->next++ % NNFS_ALIASES];
	alias->expires = jiffies + LIFETIME;
	alias->dev_ino = dev_ino;
	alias->dir = dir;
	memcpy(alias->name, name->name, name->len);
	alias->name[name->len] = '\0';
	spin_unlock(&aliases->lock);
}

u64 nnfs_alias_find(struct nnfs_aliases *aliases, u64 dir,
		    const struct qstr *name)
{
	struct nnfs_alias *alias;
	u64 dev_ino = 0;

	spin_lock(&aliases->lock);
	alias = __find(aliases, dir, name);
	if (alias)
		dev_ino = alias->dev_ino;
	spin_unlock(&aliases->lock);
	return dev_ino;
}

void nnfs_alias_forget(struct nnfs_aliases *aliases, u64 dir,
		       const struct qstr *name)
{
	struct nnfs_alias *alias;

	spin_lock(&aliases->lock);
	alias = __find(aliases, dir, name);
	if (alias)
		alias->dev_ino = 0;
	spin_unlock(&aliases->lock);
}
