// SPDX-License-Identifier: GPL-2.0
/*
 * Names under which links were created that appear under another name.
 *
 * An attachment's link has the name of the device, whatever name symlink(2) was given. For
 * "ln -s" this is enough: ln does not use the name again. But "ln -sf" creates the link under a
 * temporary name and renames it to the requested one. So a given name is remembered for a second.
 * In this time it can be found (link.c), and renamed within its directory (target.c). It does not
 * block another link of that name: "ln -s" of a, b and a again attaches to a, b and a.
 *
 * Only names and numbers of the last few links are stored. So the entries keep neither targets nor
 * VIFs, and can be dropped at any time. When all slots are in use, the oldest entry of the user
 * with most entries is evicted. Owns the spinlock of struct nnfs_aliases, under which no lock is
 * taken.
 */
#include <linux/dcache.h>
#include <linux/jiffies.h>
#include <linux/string.h>

#include "../vif/queue/account.h"
#include "internal.h"

#define LIFETIME	HZ

void nnfs_aliases_init(struct nnfs_aliases *aliases)
{
	spin_lock_init(&aliases->lock);
}

#define for_each_slot(alias, aliases)				\
	for ((alias) = (aliases)->slot;				\
	     (alias) < (aliases)->slot + NNFS_ALIASES; (alias)++)

static bool nnfs_alias_is_used(const struct nnfs_alias *alias)
{
	return alias->dev_ino && time_before(jiffies, alias->expires);
}

static struct nnfs_alias *__nnfs_alias_find(struct nnfs_aliases *aliases, u64 dir,
					    const struct qstr *name)
{
	struct nnfs_alias *alias;

	lockdep_assert_held(&aliases->lock);
	for_each_slot(alias, aliases)
		if (alias->dir == dir && nnfs_is_name(name, alias->name) &&
		    nnfs_alias_is_used(alias))
			return alias;
	return NULL;
}

static unsigned int __nnfs_alias_count_of(struct nnfs_aliases *aliases, kuid_t payer)
{
	struct nnfs_alias *alias;
	unsigned int count = 0;

	lockdep_assert_held(&aliases->lock);
	for_each_slot(alias, aliases)
		if (uid_eq(alias->payer, payer))
			count++;
	return count;
}

/* Return a free slot, or the oldest slot of the user with most slots. */
static struct nnfs_alias *__nnfs_alias_choose(struct nnfs_aliases *aliases)
{
	struct nnfs_alias *alias, *chosen = NULL;
	unsigned int most = 0, count;

	for_each_slot(alias, aliases) {
		if (!nnfs_alias_is_used(alias))
			return alias;
		count = __nnfs_alias_count_of(aliases, alias->payer);
		if (count > most || (count == most &&
				     time_before(alias->expires, chosen->expires))) {
			most = count;
			chosen = alias;
		}
	}
	return chosen;
}

void nnfs_alias_add(struct nnfs_aliases *aliases, u64 dir,
		    const struct qstr *name, u64 dev_ino)
{
	kuid_t payer = vif_account_payer();
	struct nnfs_alias *alias;

	if (name->len >= NNFS_ALIAS_NAME_SIZE)
		return;
	spin_lock(&aliases->lock);
	alias = __nnfs_alias_find(aliases, dir, name);
	if (!alias)
		alias = __nnfs_alias_choose(aliases);
	alias->expires = jiffies + LIFETIME;
	alias->payer = payer;
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
	alias = __nnfs_alias_find(aliases, dir, name);
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
	alias = __nnfs_alias_find(aliases, dir, name);
	if (alias)
		alias->dev_ino = 0;
	spin_unlock(&aliases->lock);
}
