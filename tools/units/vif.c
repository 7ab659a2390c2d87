// SPDX-License-Identifier: GPL-2.0
/*
 * A VIF of ours is recognized by its name, its owner, and autoremove. While it is created, a
 * descriptor of ours keeps it (netnice_hold()). Then the control group keeps it, until the group is
 * removed. So no process needs to clean up.
 */
#include "vif.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/netnice.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "effect.h"
#include "failure.h"
#include "minimum.h"
#include "path.h"
#include "route.h"
#include "target.h"

#define PREFIX		PATH_OF_UNIT
#define HASH_DIGITS	16
#define NAME_BYTES	(NETNICE_NAME_MAX + 1)
#define TRIES_MAX	100

/* --- names --- */

/* FNV-1a, of 64 bits */
static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;

	while (*text)
		hash = (hash ^ (unsigned char)*text++) * 0x100000001b3;
	return hash;
}

/* A name that is too long is cut, and ends with a number that is a hash of the whole name. */
static void name_of(const struct unit *unit, char name[NAME_BYTES])
{
	const int kept = NETNICE_NAME_MAX - strlen(PREFIX) - 1 - HASH_DIGITS;

	if (snprintf(name, NAME_BYTES, PREFIX "%s", unit->name) >= NAME_BYTES)
		snprintf(name, NAME_BYTES, PREFIX "%.*s~%016" PRIx64, kept, unit->name,
			 hash_of(unit->name));
}

static struct target group_of(const struct unit *unit)
{
	return (struct target) {
		.kind = &target_kinds[TARGET_CGROUP], .name = *unit->group ? unit->group : "/",
	};
}

/* Where the unit's VIF is to be; NULL without memory. To be freed. */
static char *path_of(const struct nnfs *fs, const struct unit *unit, const char *dev)
{
	char name[NAME_BYTES], *above, *slash, *parent = NULL, *path;

	name_of(unit, name);
	if (asprintf(&above, "/%s", unit->group) < 0)
		return NULL;
	slash = strrchr(above, '/');
	*slash = '\0';
	/* nothing is above the group of all */
	if (*unit->group)
		parent = nnfs_nearest_group(fs, above, dev);
	free(above);
	if (asprintf(&path, "%s/%s", parent ?: dev, name) < 0)
		path = NULL;
	free(parent);
	return path;
}

/* --- existing VIFs --- */

/* Not a VIF of another user or an administrator: these stay when they are empty. */
static bool is_ours(const struct nnfs *fs, const char *path)
{
	char *autoremove = nnfs_read_vif(fs, path, "autoremove");
	struct stat status;
	bool is = autoremove && *autoremove == '1' &&
		  !fstatat(fs->fd, path, &status, AT_SYMLINK_NOFOLLOW) &&
		  status.st_uid == geteuid();

	free(autoremove);
	return is;
}

/* The VIF of ours to which the unit's group is attached, to be freed, or NULL. */
static char *present_of(const struct nnfs *fs, const struct unit *unit, const char *dev)
{
	const struct target group = group_of(unit);
	char *vif = target_vif(fs, &group, dev), name[NAME_BYTES];
	const char *slash = vif ? strrchr(vif, '/') : NULL;

	name_of(unit, name);
	if (slash && !strcmp(slash + 1, name) && is_ours(fs, vif))
		return vif;
	free(vif);
	return NULL;
}

int vif_devices(const struct nnfs *fs, const struct limits *limits, struct netdev_list *devices)
{
	int ret = 0;

	if (!limits->device.count && route_add_default(devices)) {
		complain_errno("default routes");
		return -1;
	}
	if (!limits->device.count && !devices->count) {
		complain("no default route says on which device: it is limited when a default route appears (or use Device=)");
		return -1;
	}
	for (size_t i = 0; i < limits->device.count; i++) {
		const char *name = limits->device.word[i];

		if (!nnfs_has_device(fs, name)) {
			complain("%s: there is no such device: it is limited there when the device appears", name);
			ret = -1;
		} else if (netdev_list_add(devices, name)) {
			complain_errno("%s", name);
			ret = -1;
		}
	}
	return ret;
}

/* --- settings --- */

static const char *wanted(const struct unit *unit, enum param_id id)
{
	return unit->limits.value[id] ?: params[id].initial;
}

/* Return: 0, or -1 after a message. */
static int set(struct netnice *nn, const char *path, enum param_id id, const char *value)
{
	char *before = netnice_get(nn, path, params[id].name);
	char *after = param_normal(&params[id], value);
	int ret = 0;

	if (!before || !after || strcmp(before, after))
		ret = netnice_set(nn, path, params[id].name, after ?: value);
	if (ret)
		nnfs_warn(&nn->fs, "%s: %s %s", path, params[id].name, value);
	free(before);
	free(after);
	return ret;
}

/* The lesser of two minima fits into what there is and what there will be. */
static int lower(struct netnice *nn, const char *path, const struct unit *unit)
{
	char *before = limits_is_unclear(&unit->limits, PARAM_MINIMUM) ?
		       NULL : netnice_get(nn, path, params[PARAM_MINIMUM].name);
	char *least = before ? minimum_lower(before, wanted(unit, PARAM_MINIMUM)) : NULL;
	int ret = least ? set(nn, path, PARAM_MINIMUM, least) : 0;

	free(before);
	free(least);
	return ret;
}

static bool is_set_by_units(enum param_id id)
{
	return id != PARAM_LINK_LAYER && id != PARAM_GROUP && id != PARAM_CLASS &&
	       id != PARAM_QUOTA;
}

/* Settings that units cannot have stay as an administrator has set them. */
static int set_all(struct netnice *nn, const char *path, const struct unit *unit, bool is_new)
{
	int ret = lower(nn, path, unit);

	for (enum param_id id = 0; id < PARAM_DIRECTED; id++)
		if (is_set_by_units(id) && (is_new || !limits_is_unclear(&unit->limits, id)) &&
		    set(nn, path, id, wanted(unit, id)))
			ret = -1;
	return ret;
}

/* --- making --- */

/*
 * Create the VIF, with a descriptor that keeps it. An existing VIF may just be removed, because the
 * unit's previous group is gone: then try again.
 */
static int make(struct netnice *nn, const char *path, bool *is_new)
{
	int guard;

	for (int n = 0; n < TRIES_MAX; n++) {
		*is_new = !netnice_create(nn, path, 0755);
		if (!*is_new) {
			if (errno != EEXIST)
				break;
			if (!is_ours(&nn->fs, path)) {
				if (!nnfs_is_vif(&nn->fs, path))
					continue;
				complain("%s: there is a VIF of this name that is not of a unit: remove or rename it",
					 path);
				return -1;
			}
		}
		guard = netnice_hold(nn, path);
		if (guard >= 0)
			return guard;
		if (errno != ENOENT && errno != ENODEV)
			break;
	}
	nnfs_warn(&nn->fs, "%s", path);
	return -1;
}

/* A VIF that is elsewhere, as a slice above has got or lost one, comes along. */
static void move_here(struct netnice *nn, const struct unit *unit, const char *dev, const char *path)
{
	char *present = present_of(&nn->fs, unit, dev);

	if (present && strcmp(present, path) && netnice_move(nn, present, path))
		nnfs_warn(&nn->fs, "%s: cannot be moved to %s", present, path);
	free(present);
}

static int attach(struct netnice *nn, const struct unit *unit, const char *path)
{
	const struct target group = group_of(unit);

	if (target_is_at(&nn->fs, &group, path) ||
	    !netnice_attach(nn, path, group.kind->word, group.name))
		return 0;
	nnfs_warn(&nn->fs, "%s: control group %s", path, group.name);
	return -1;
}

/* Has everything in the section an effect? If not, this has been reported. */
static bool is_in_force(const struct nnfs *fs, const struct unit *unit, const char *dev,
			const char *path)
{
	const struct limits *limits = &unit->limits;
	const struct target group = group_of(unit);
	bool is = effect_target(&group, path);

	if (param_has_share(limits->value) && !effect_shares(fs, path, EFFECT_BOTH))
		is = false;
	/* without Device= the device that has received the packets is among these, too */
	if (limits->device.count && !effect_device(dev))
		is = false;
	return is;
}

int vif_realise(struct netnice *nn, const struct unit *unit, const char *dev)
{
	char *path = path_of(&nn->fs, unit, dev);
	bool is_new = false;
	int guard, ret;

	if (!path) {
		complain("out of memory");
		return -1;
	}
	move_here(nn, unit, dev, path);
	guard = make(nn, path, &is_new);
	ret = guard < 0 ? -1 : set_all(nn, path, unit, is_new);
	/* a part of the limits is better than nothing */
	if (guard >= 0 && (attach(nn, unit, path) || !is_in_force(&nn->fs, unit, dev, path)))
		ret = -1;
	if (guard >= 0)
		close(guard);
	free(path);
	return ret;
}

bool vif_is_there(const struct nnfs *fs, const struct unit *unit, const char *dev)
{
	char *present = present_of(fs, unit, dev);

	free(present);
	return present;
}

void vif_lower(struct netnice *nn, const struct unit *unit, const char *dev)
{
	char *present = present_of(&nn->fs, unit, dev);

	if (present)
		lower(nn, present, unit);
	free(present);
}

/* The kernel removes the VIF when all VIFs below have been moved. */
void vif_drop(struct netnice *nn, const struct unit *unit, const char *dev)
{
	const struct target group = group_of(unit);
	char *present = present_of(&nn->fs, unit, dev);

	if (!present)
		return;
	if (netnice_detach(nn, present, group.kind->word, group.name))
		nnfs_warn(&nn->fs, "%s: control group %s", present, group.name);
	free(present);
}
