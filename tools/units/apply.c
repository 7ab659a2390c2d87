// SPDX-License-Identifier: GPL-2.0
#include "apply.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netnice.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "affected.h"
#include "complain.h"
#include "failure.h"
#include "generator.h"
#include "group.h"
#include "journal.h"
#include "lock.h"
#include "manager.h"
#include "netdev.h"
#include "route.h"
#include "vif.h"

#define MOST_ARE_IN	"system.slice"

/* Return: 0, or -1 after messages: something of what it says is not so. */
static int realise(struct netnice *nn, const struct unit *unit)
{
	struct netdev_list devices = { 0 };
	int ret = vif_devices(&nn->fs, &unit->limits, &devices);

	for (size_t i = 0; i < devices.count; i++)
		if (vif_realise(nn, unit, devices.name[i]))
			ret = -1;
	netdev_list_free(&devices);
	return ret || unit->limits.wrong ? -1 : 0;
}

/* --- one unit --- */

/*
 * systemd creates the group of a unit when the unit starts, or uses an existing group. So we create
 * the group before that, and attach it while it has no process.
 */
static void make_group(const char *path)
{
	int dir = open(GROUP_TOP, O_PATH | O_DIRECTORY | O_CLOEXEC), next;
	char *copy = strdup(path), *name, *save;

	for (name = copy ? strtok_r(copy, "/", &save) : NULL; name && dir >= 0;
	     name = strtok_r(NULL, "/", &save)) {
		mkdirat(dir, name, 0755);
		next = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(dir);
		dir = next;
	}
	if (dir >= 0)
		close(dir);
	free(copy);
}

static struct unit *find(const struct units *units, const char *name)
{
	for (size_t i = 0; i < units->count; i++)
		if (units->unit[i].name && !strcmp(units->unit[i].name, name))
			return &units->unit[i];
	return NULL;
}

/* Ask about @slice and all slices above it; NULL: there are none. Return: 0, or -1 after a message. */
static int ask_for(struct units *units, const char *name, const char *slice)
{
	struct words names = { 0 };
	char *one = slice ? strdup(slice) : NULL, *above;
	int ret = words_append(&names, name);

	while (!ret && one) {
		ret = words_append(&names, one);
		above = unit_slice_above(one);
		free(one);
		one = above;
	}
	free(one);
	if (!ret)
		ret = manager_ask(units, &names);
	words_free(&names);
	return ret;
}

/* The unit, and the slices above it: most are where one answer is enough. Return: as above. */
static int ask_with_slices(struct units *units, const char *name)
{
	char *slice = unit_is_of(name, ".slice") ? unit_slice_above(name) : strdup(MOST_ARE_IN);
	int ret = ask_for(units, name, slice);
	const struct unit *unit = ret ? NULL : find(units, name);

	free(slice);
	if (unit && unit->slice && !find(units, unit->slice)) {
		slice = strdup(unit->slice);
		units_free(units);
		ret = ask_for(units, name, slice);
		free(slice);
	}
	return ret;
}

static bool no_slice_has_section(void)
{
	return !access(GENERATOR_FOLDER "/" GENERATOR_NO_SLICES, F_OK);
}

/*
 * Ask about the unit, and the slices above it that may have a section. Units may be loaded again
 * meanwhile: the file of the generator matches the answer only if it is the same after the answer.
 * Return: as above.
 */
static int ask_about(struct units *units, const char *name)
{
	int ret = no_slice_has_section() ? ask_for(units, name, NULL) : 0;

	if (!ret && !(units->count && no_slice_has_section())) {
		units_free(units);
		ret = ask_with_slices(units, name);
	}
	for (size_t i = 0; !ret && i < units->count; i++)
		unit_read_limits(&units->unit[i]);
	return ret;
}

/* Return: everything in the section is in force. */
static bool realise_one(const struct units *units, const struct unit *unit)
{
	struct netnice nn;
	int ret = handle_open(&nn);

	if (ret)
		return false;
	if (unit->group && group_is_mounted()) {
		make_group(unit->group);
	} else {
		complain("no control group (v2) is known for it");
		ret = -1;
	}
	for (size_t i = 0; i < units->count; i++) {
		const struct unit *one = &units->unit[i];

		if (one->name && one->group && one->limits.is_set && realise(&nn, one) && one == unit)
			ret = -1;
	}
	handle_end(&nn);
	return !ret;
}

bool apply_one(const char *name)
{
	struct units units = { 0 };
	const struct unit *unit;
	bool may;
	int lock;

	journal_begin(name);
	lock = lock_take();
	unit = ask_about(&units, name) ? NULL : find(&units, name);
	may = unit && !unit->limits.unread;
	if (unit && unit->limits.is_set && !realise_one(&units, unit) && unit->limits.required) {
		complain("%s does not start without (Required=)", name);
		may = false;
	}
	lock_release(lock);
	journal_end(true);
	units_free(&units);
	return may;
}

/* --- the network --- */

/* The state at the time when all units were checked */
static char *network;

/*
 * All devices with their numbers, and the devices of default routes. All are included, because the
 * devices of units that start meanwhile are not known here. The caller frees it; NULL without memory.
 */
static char *network_now(void)
{
	struct if_nameindex *all = if_nameindex();
	struct netdev_list devices = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (const struct if_nameindex *dev = all; out && dev && dev->if_index; dev++)
		fprintf(out, "%u %s\n", dev->if_index, dev->if_name);
	route_add_default(&devices);
	for (size_t i = 0; out && i < devices.count; i++)
		fprintf(out, "%s\n", devices.name[i]);
	netdev_list_free(&devices);
	if (all)
		if_freenameindex(all);
	if (out)
		fclose(out);
	return text;
}

bool apply_is_due(void)
{
	char *now = network_now();
	bool is = !now || !network || strcmp(now, network);

	free(now);
	return is;
}

/* --- all units --- */

static bool has_section(const struct unit *unit)
{
	return unit->limits.is_set && unit->name && unit->group;
}

/*
 * Remove a group that was created in advance, if systemd does not use it and is not about to. A unit
 * that starts after this waits for our lock.
 */
static bool is_idle(const struct nnfs *fs, const struct unit *unit)
{
	char path[PATH_MAX];

	if (!unit->is_made && !unit->has_job && *unit->group) {
		snprintf(path, sizeof(path), GROUP_TOP "/%s", unit->group);
		rmdir(path);
	}
	snprintf(path, sizeof(path), "cgroups/%s", unit->group);
	return faccessat(fs->fd, path, F_OK, 0);
}

/* Units that have no control group any more, or not yet, are left out. */
static void forget_idle(const struct nnfs *fs, struct units *units)
{
	for (size_t i = units->count; i-- > 0;) {
		struct unit *unit = &units->unit[i];

		if (!unit->group || !is_idle(fs, unit))
			continue;
		free(unit->group);
		unit->group = NULL;
	}
}

static bool is_among(const struct netdev_list *devices, const char *dev)
{
	for (size_t i = 0; i < devices->count; i++)
		if (!strcmp(devices->name[i], dev))
			return true;
	return false;
}

/* A default route that is removed, for example with its lease, removes no limit. */
static bool is_left_out(const struct unit *unit, const char *dev)
{
	const struct words *named = &unit->limits.device;

	if (!has_section(unit))
		return true;
	for (size_t i = 0; i < named->count; i++)
		if (!strcmp(named->word[i], dev))
			return false;
	return named->count && !unit->limits.wrong_device;
}

static void follow(struct netnice *nn, const struct unit *unit, const struct if_nameindex *all)
{
	struct netdev_list wanted = { 0 };

	/* if something is unknown, nothing is removed */
	if (!unit->group || unit->limits.unread)
		return;
	if (has_section(unit))
		vif_devices(&nn->fs, &unit->limits, &wanted);
	for (; all->if_index; all++)
		if (is_left_out(unit, all->if_name))
			vif_drop(nn, unit, all->if_name);
		else if (!is_among(&wanted, all->if_name) && vif_is_there(&nn->fs, unit, all->if_name))
			vif_realise(nn, unit, all->if_name);
	for (size_t i = 0; i < wanted.count; i++)
		vif_realise(nn, unit, wanted.name[i]);
	netdev_list_free(&wanted);
}

static void lower(struct netnice *nn, const struct unit *unit, const struct if_nameindex *all)
{
	for (; has_section(unit) && all->if_index; all++)
		vif_lower(nn, unit, all->if_name);
}

/*
 * From the top down: each finds the VIF above as it is to be. Minima that become less do so
 * before, from the bottom up.
 */
static void follow_all(struct units *units, bool tells)
{
	struct if_nameindex *all = if_nameindex();
	struct netnice nn;

	if (!all)
		return;
	if (handle_open(&nn)) {
		if_freenameindex(all);
		return;
	}
	forget_idle(&nn.fs, units);
	for (size_t i = units->count; i-- > 0;)
		lower(&nn, &units->unit[i], all);
	for (size_t i = 0; i < units->count; i++) {
		journal_begin(units->unit[i].name);
		follow(&nn, &units->unit[i], all);
		journal_end(tells);
	}
	handle_end(&nn);
	if_freenameindex(all);
}

/*
 * The files' contents at the last reload are in force. Changes of the network do not reread them,
 * because they may be being written.
 */
static void read_all(struct units *units, const struct units *before, bool is_loaded)
{
	for (size_t i = 0; i < units->count; i++) {
		struct unit *unit = &units->unit[i];
		struct unit *known = is_loaded || !unit->name ? NULL : find(before, unit->name);

		if (known) {
			unit->limits = known->limits;
			known->limits = (struct limits) { 0 };
			continue;
		}
		journal_begin(unit->name);
		unit_read_limits(unit);
		journal_end(is_loaded);
	}
}

static bool is_mounted(void)
{
	struct statfs status;

	return !statfs(NETNICE_MOUNT_POINT, &status) && status.f_type == NETNICE_FS_MAGIC;
}

/* Without a unit to limit, the module is neither loaded nor mounted. */
static int add_affected(struct words *names)
{
	struct nnfs fs;
	int ret = affected_by_files(names);

	if (ret || !is_mounted() || nnfs_open(&fs))
		return ret;
	ret = affected_by_vifs(&fs, names);
	nnfs_close(&fs);
	return ret;
}

/* An answer comes when units have been loaded: generators have run then, ours among them. */
static int wait_for_manager(void)
{
	const struct words none = { 0 };
	struct units units = { 0 };
	int ret = manager_ask(&units, &none);

	units_free(&units);
	return ret;
}

int apply_all(bool is_loaded)
{
	static struct units before;
	struct words names = { 0 };
	struct units units = { 0 };
	int lock = lock_take(), ret = is_loaded ? wait_for_manager() : 0;

	if (!ret)
		ret = add_affected(&names);

	/* changes after this point cause another check */
	free(network);
	network = network_now();
	if (!ret && names.count)
		ret = manager_ask(&units, &names);
	if (!ret) {
		read_all(&units, &before, is_loaded);
		/* without a unit to limit, the module is not loaded */
		if (units.count)
			follow_all(&units, is_loaded);
		units_free(&before);
		before = units;
	} else {
		units_free(&units);
	}
	lock_release(lock);
	words_free(&names);
	return ret;
}
