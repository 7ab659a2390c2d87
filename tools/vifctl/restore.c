// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl restore: the difference between the current tree and the file (wanted.h), as changes
 * (change.h) in an order in which each is possible:
 *
 *	1. VIFs that nothing may remove in between lose their autoremove
 *	2. minima are lowered, children first (minimum.h)
 *	3. VIFs are made, parents first, and set
 *	4. minima are raised, parents first
 *	5. groups and devices are attached, wherever they were before
 *	6. others are detached
 *	7. VIFs that are left over are removed, children first
 *	8. autoremove is set
 *
 * This is done part by part (wanted.h): a device by what an administrator has of it, then by
 * what each tenant has. If a change fails, those of its part are taken back, and the other parts
 * are restored. A tenant's VIFs lose their autoremove and lower their minima with the device's
 * part, which may depend on that, and does not fail if they do not. 7 and 8 come when all parts of
 * a device have been made.
 *
 * Devices and control groups that are not there (present.h) are left out. With --wait and
 * --follow they are restored when they appear, and only they: later changes of other VIFs are
 * intended, so nothing is removed or detached any more.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arrivals.h"
#include "change.h"
#include "complain.h"
#include "failure.h"
#include "kept.h"
#include "minimum.h"
#include "notify.h"
#include "present.h"
#include "privilege.h"
#include "target_word.h"
#include "wanted.h"
#include "words.h"

const char restore_help[] =
	"Usage: vifctl restore [-v] [--dry-run | --wait[=SECONDS] | --follow] FILE\n"
	"\n"
	"FILE := output of \"vifctl save\"; - is standard input\n"
	"-v: print each change, as arguments of vifctl\n"
	"--dry-run: only print the changes\n"
	"--wait: wait for all devices and control groups of the file\n"
	"--follow: run forever, also for devices and groups that disappear and appear again\n"
	"\n"
	"VIFs below a \"tree\" of the file that are not in it are removed. Parts for a missing\n"
	"device or control group are left out, with a message (status 3).";

/* When what is there changes while it is looked at; then it is taken for not there */
#define TRIES_MAX	10

/* When what has come cannot be restored: a second between two */
#define ATTEMPTS_MAX	3

/**
 * struct place - where a VIF that there is belongs
 * @part: its own, or if the file does not have it, the part of those below the one above
 * @is_tenants: the file does not have it, and a tenant may change it
 * @has_tenants: one of those below is, which the tenant may keep from being removed
 */
struct place {
	struct wanted_part *part;
	bool is_tenants;
	bool has_tenants;
};

/**
 * struct plan - what is to be done
 * @place: of each VIF in @now
 * @failed: some of it has been given up
 * @incomplete: something that the rest does not depend on could not be done
 * @shares: of a batch, which looks at them at its end; NULL: there is none
 */
struct plan {
	struct netnice *nn;
	struct nnfs *fs;
	struct words *shares;
	const struct genl *genl;
	struct wanted wanted;
	struct vif_list now;
	struct place *place;
	bool failed;
	bool incomplete;
};

static bool is_set(const char *autoremove)
{
	return autoremove && !strcmp(autoremove, "1");
}

static bool has_link(const struct wanted_vif *wanted,
		     const struct target *target)
{
	for (size_t i = 0; i < wanted->n_links; i++)
		if (!target_compare(&wanted->link[i].target, target))
			return true;
	return false;
}

static size_t count_present(const struct wanted_vif *wanted)
{
	size_t n = 0;

	for (size_t i = 0; i < wanted->n_links; i++)
		n += wanted->link[i].presence->now != 0;
	return n;
}

static bool same_links(const struct vif_info *vif,
		       const struct wanted_vif *wanted)
{
	if (vif->n_links != count_present(wanted))
		return false;
	for (size_t i = 0; i < vif->n_links; i++)
		if (!has_link(wanted, &vif->link[i]))
			return false;
	return true;
}

/* Whether an existing VIF keeps its autoremove all the time */
static bool stays_autoremoved(const struct vif_info *vif,
			      const struct wanted_vif *wanted)
{
	return wanted && is_set(wanted->param[PARAM_AUTOREMOVE]) &&
	       same_links(vif, wanted);
}

/* Whether the VIF is left over: not wanted, and not the business of processes */
static bool is_surplus(const struct plan *plan, size_t i)
{
	return !wanted_find(&plan->wanted, plan->now.vif[i].path) &&
	       !kept_is_transient(&plan->now, &plan->now.vif[i]);
}

/* --- what is there --- */

/* Parents come before their children. */
static int find_places(struct plan *plan)
{
	plan->place = calloc(plan->now.count + 1, sizeof(*plan->place));
	if (!plan->place) {
		complain("restore: out of memory");
		return EXIT_KERNEL;
	}
	for (size_t i = 0; i < plan->now.count; i++) {
		const struct vif_info *vif = &plan->now.vif[i];
		const struct wanted_vif *wanted = wanted_find(&plan->wanted, vif->path), *above;
		struct place *place = &plan->place[i];

		if (wanted) {
			place->part = wanted->part;
			continue;
		}
		above = vif->above < 0 ? NULL :
			wanted_find(&plan->wanted, plan->now.vif[vif->above].path);
		place->part = above ? above->below : vif->above < 0 ?
			      wanted_tree_of(&plan->wanted, vif->path)->part :
			      plan->place[vif->above].part;
		place->is_tenants = wanted_is_tenants(vif->param) ||
				    (!above && vif->above >= 0 &&
				     plan->place[vif->above].is_tenants);
	}
	return EXIT_OK;
}

/* One that goes with what is attached to it comes with that, too. */
static bool is_there(const struct wanted_vif *vif)
{
	return vif->tree->device->now &&
	       (!is_set(vif->param[PARAM_AUTOREMOVE]) || count_present(vif) ||
		vif->has_there);
}

static bool has_new_link(const struct wanted_vif *vif)
{
	for (size_t i = 0; i < vif->n_links; i++)
		if (present_is_new(vif->link[i].presence))
			return true;
	return false;
}

/*
 * For what has come again a VIF may have to be made again that has gone with it, or may be
 * about to go.
 */
static bool is_due(const struct wanted_vif *vif)
{
	if (!vif->is_there || present_is_part_new(vif->part))
		return vif->is_there;
	return (!vif->now || (is_set(vif->now->param[PARAM_AUTOREMOVE]) &&
			      is_set(vif->param[PARAM_AUTOREMOVE]))) && vif->has_new;
}

/* Children first, so that those below a VIF are known. */
static void find_due(struct plan *plan)
{
	for (size_t i = 0; i < plan->wanted.n_vifs; i++)
		plan->wanted.vif[i].has_there = plan->wanted.vif[i].has_new = false;
	for (size_t i = plan->wanted.n_vifs; i-- > 0;) {
		struct wanted_vif *vif = &plan->wanted.vif[i];

		vif->now = vif_list_find(&plan->now, vif->path);
		vif->is_there = is_there(vif);
		vif->has_new |= has_new_link(vif);
		vif->is_due = is_due(vif);
		if (vif->above) {
			vif->above->has_there |= vif->is_there;
			vif->above->has_new |= vif->has_new;
		}
	}
}

/* --- the changes --- */

/* Whether it gets all settings: those of others may have been changed since. */
static bool is_to_be_set(const struct wanted_vif *wanted)
{
	return !wanted->now || present_is_part_new(wanted->part);
}

/*
 * Sets what the changes of the device may depend on; what a tenant has is tried: the tenant
 * can keep it from being set.
 */
static void set_before(struct plan *plan, size_t i, enum param_id param, const char *to)
{
	const struct place *place = &plan->place[i];
	struct changes *changes = &place->part->home->changes;

	changes_set(changes, plan->now.vif[i].path, &params[param], to);
	if (place->part->top || place->is_tenants)
		changes_optional(changes);
}

/* Whether it is left over, and goes. */
static bool is_to_go(const struct plan *plan, size_t i)
{
	return !plan->place[i].part->again && is_surplus(plan, i);
}

static void plan_autoremove_off(struct plan *plan)
{
	for (size_t i = 0; i < plan->now.count; i++) {
		const struct vif_info *vif = &plan->now.vif[i];
		const struct wanted_vif *wanted;

		wanted = wanted_find(&plan->wanted, vif->path);
		if (is_set(vif->param[PARAM_AUTOREMOVE]) &&
		    (wanted ? wanted->is_due : is_to_go(plan, i)) &&
		    !stays_autoremoved(vif, wanted))
			set_before(plan, i, PARAM_AUTOREMOVE, "0");
	}
}

/* What an existing VIF is to have, where that is to be changed; NULL: it is not */
static const char *param_wanted(const struct plan *plan, size_t i, enum param_id param)
{
	const struct wanted_vif *wanted;

	wanted = wanted_find(&plan->wanted, plan->now.vif[i].path);
	if (!wanted)
		return is_to_go(plan, i) ? params[param].initial : NULL;
	return wanted->is_due && present_is_part_new(wanted->part) ?
	       wanted->param[param] : NULL;
}

/* From then on that is what there is. */
static void plan_minima_down(struct plan *plan)
{
	for (size_t i = plan->now.count; i-- > 0;) {
		char **now = &plan->now.vif[i].param[PARAM_MINIMUM];
		const char *wanted = param_wanted(plan, i, PARAM_MINIMUM);
		char *lower;

		if (!wanted || !*now)
			continue;
		lower = minimum_lower(*now, wanted);
		if (!lower) {
			plan->place[i].part->home->changes.failed = true;
			return;
		}
		if (strcmp(*now, lower))
			set_before(plan, i, PARAM_MINIMUM, lower);
		free(*now);
		*now = lower;
	}
}

/* One that waits until all VIFs are there and have what is set at once. */
static void plan_param_later(struct plan *plan, enum param_id id)
{
	const struct param *param = &params[id];

	for (size_t i = 0; i < plan->wanted.n_vifs; i++) {
		const struct wanted_vif *wanted = &plan->wanted.vif[i];
		const char *now = wanted->now ? wanted->now->param[id] : NULL;
		const char *value = wanted->param[id];

		if (!wanted->is_due || !is_to_be_set(wanted) ||
		    !strcmp(now ? now : param->initial, value))
			continue;
		changes_set(&wanted->part->changes, wanted->path, param, value);
		/*
		 * It chooses among limits, which hold without it: a file that is not there
		 * yet, or a kernel that has no memory for one, is no reason to go without
		 * limits.
		 */
		if (id == PARAM_PROGRAM)
			changes_optional(&wanted->part->changes);
	}
}

static void plan_autoremove_on(struct plan *plan)
{
	const struct param *autoremove = &params[PARAM_AUTOREMOVE];

	for (size_t i = 0; i < plan->wanted.n_vifs; i++) {
		const struct wanted_vif *wanted = &plan->wanted.vif[i];
		const char *value = wanted->param[PARAM_AUTOREMOVE];
		const struct vif_info *now = wanted->now;

		if (wanted->is_due && strcmp(value, "0") &&
		    !(now && is_set(now->param[PARAM_AUTOREMOVE]) &&
		      stays_autoremoved(now, wanted)))
			changes_set(&wanted->part->last, wanted->path, autoremove, value);
	}
}

/*
 * A new VIF belongs to its creator, and to the group of a directory with the set-group-ID bit:
 * below such a directory, both are set.
 */
static bool inherits_group(const struct plan *plan, const char *path)
{
	char *above = strdupa(path), *slash = strrchr(above, '/');
	const struct wanted_vif *wanted;
	struct stat status;

	if (!slash)
		return false;	/* a device that has just gone: making it fails */
	*slash = '\0';
	wanted = wanted_find(&plan->wanted, above);
	if (wanted)
		return strtoul(wanted->param[PARAM_MODE], NULL, 8) & S_ISGID;
	return !fstatat(plan->fs->fd, above, &status, 0) &&
	       (status.st_mode & S_ISGID);
}

static void plan_params(struct plan *plan, const struct wanted_vif *wanted,
			const struct vif_info *now)
{
	const bool inherits = !now && inherits_group(plan, wanted->path);

	for (size_t i = 0; i < PARAM_AUTOREMOVE; i++) {
		char *initial = now ? NULL : wanted_initial(wanted->path, &params[i]);
		const char *from = now ? now->param[i] : initial;

		if (i != PARAM_MINIMUM && i != PARAM_PROGRAM &&
		    (!from || strcmp(from, wanted->param[i]) ||
		     (inherits && !params[i].initial)))
			changes_set(&wanted->part->changes, wanted->path, &params[i],
				    wanted->param[i]);
		free(initial);
	}
}

/*
 * No two siblings may have the same class: a VIF that changes or is removed gives up its class
 * first.
 */
static void plan_classes_off(struct plan *plan)
{
	const char *none = params[PARAM_CLASS].initial;

	for (size_t i = 0; i < plan->now.count; i++) {
		const char *wanted = param_wanted(plan, i, PARAM_CLASS);
		char **now = &plan->now.vif[i].param[PARAM_CLASS];

		if (!wanted || !*now || !strcmp(*now, none) || !strcmp(*now, wanted))
			continue;
		set_before(plan, i, PARAM_CLASS, none);
		free(*now);
		*now = strdup(none);
	}
}

static void plan_vifs(struct plan *plan)
{
	for (size_t i = 0; i < plan->wanted.n_vifs; i++) {
		const struct wanted_vif *wanted = &plan->wanted.vif[i];

		if (wanted->is_due && !wanted->now)
			changes_add(&wanted->part->changes, wanted->path);
		if (wanted->is_due && is_to_be_set(wanted))
			plan_params(plan, wanted, wanted->now);
	}
}

static void plan_link(const struct plan *plan, const struct wanted_vif *wanted,
		      const struct target *target)
{
	char *from = target_vif(plan->fs, target, wanted->path);

	if (!from || strcmp(from, wanted->path))
		changes_attach(&wanted->part->changes, wanted->path, target);
	free(from);
}

static void plan_links_of(struct plan *plan, const struct wanted_vif *wanted)
{
	const bool is_new = present_is_part_new(wanted->part);

	for (size_t i = 0; i < wanted->n_links; i++) {
		const struct wanted_link *link = &wanted->link[i];

		if (link->presence->now &&
		    (is_new || present_is_new(link->presence)))
			plan_link(plan, wanted, &link->target);
	}
}

static void plan_links(struct plan *plan)
{
	for (size_t i = 0; i < plan->wanted.n_vifs; i++)
		if (plan->wanted.vif[i].is_there)
			plan_links_of(plan, &plan->wanted.vif[i]);
}

/* Whether it is attached to some VIF of that device by now */
static bool is_attached_elsewhere(const struct plan *plan, const char *path,
				  const struct target *target)
{
	char dev[IF_NAMESIZE];

	path_device(path, dev);
	for (size_t i = 0; i < plan->wanted.n_presences; i++) {
		const struct presence *presence = &plan->wanted.presence[i];

		if (presence->vif && path_is_below(presence->vif->path, dev) &&
		    !target_compare(&presence->link->target, target))
			return true;
	}
	return false;
}

static void plan_unlinks_of(struct plan *plan, size_t i)
{
	const struct vif_info *vif = &plan->now.vif[i];
	struct changes *changes = &plan->place[i].part->changes;

	for (size_t j = 0; j < vif->n_links; j++) {
		if (is_attached_elsewhere(plan, vif->path, &vif->link[j]))
			continue;
		changes_detach(changes, vif->path, &vif->link[j]);
		if (plan->place[i].is_tenants)
			changes_optional(changes);
	}
}

/* Not those of units */
static void plan_unlinks(struct plan *plan)
{
	for (size_t i = 0; i < plan->now.count; i++)
		if (!plan->place[i].part->again &&
		    !kept_is_transient(&plan->now, &plan->now.vif[i]))
			plan_unlinks_of(plan, i);
}

/*
 * What is attached may have to go to a VIF of another part before. A VIF stays as long as one below
 * it does: a tenant may see to that.
 */
static void plan_removals(struct plan *plan)
{
	for (size_t i = plan->now.count; i-- > 0;) {
		const struct place *place = &plan->place[i];
		struct wanted_part *part = place->part;
		struct changes *changes = part->home->is_shared ? &part->last : &part->changes;
		const bool is_optional = place->is_tenants || place->has_tenants;

		if (plan->now.vif[i].above >= 0)
			plan->place[plan->now.vif[i].above].has_tenants |= is_optional;
		if (!is_to_go(plan, i))
			continue;
		changes_del(changes, plan->now.vif[i].path);
		if (is_optional)
			changes_optional(changes);
	}
}

/* --- making them --- */

/* Trees without news are not looked at. */
static int read_now(struct plan *plan)
{
	present_find_news(&plan->wanted);
	for (size_t i = 0; i < plan->wanted.n_parts; i++)
		plan->wanted.part[i].home->has_news |= plan->wanted.part[i].has_news;
	for (size_t i = 0; i < plan->wanted.n_trees; i++) {
		struct wanted_tree *tree = &plan->wanted.tree[i];

		if (!tree->part->has_news || !tree->device->now ||
		    !kept_read(&plan->now, plan->genl, tree->path))
			continue;
		if (errno != ENOENT) {
			nnfs_warn(plan->fs, "restore: %s", tree->path);
			return EXIT_KERNEL;
		}
		if (!strchr(tree->path, '/'))
			tree->device->now = 0;	/* just now */
	}
	if (!kept_finish(&plan->now, plan->genl, plan->fs))
		return EXIT_OK;
	nnfs_warn(plan->fs, "restore: cannot read what there is");
	return EXIT_KERNEL;
}

static void plan_all(struct plan *plan)
{
	find_due(plan);
	plan_autoremove_off(plan);
	plan_minima_down(plan);
	plan_classes_off(plan);
	plan_vifs(plan);
	plan_param_later(plan, PARAM_MINIMUM);
	plan_links(plan);
	plan_unlinks(plan);
	plan_removals(plan);
	plan_param_later(plan, PARAM_PROGRAM);
	plan_autoremove_on(plan);
}

/* What messages name: the part, where there are others. */
static void make(struct plan *plan, struct wanted_part *part, struct changes *changes,
		 unsigned int flags)
{
	const char *path = part->top ? part->top->path : part->device->tree->path;
	char verb[64];
	int status;

	if (!changes->count && !changes->failed)
		return;
	snprintf(verb, sizeof(verb), "restore");
	if (plan->wanted.n_parts > 1)
		snprintf(verb, sizeof(verb), "restore of %.*s%s",
			 part->top ? 40 : (int)strcspn(path, "/"), path,
			 part->top ? "/..." : "");
	status = changes_make(changes, plan->nn, verb, flags);
	plan->incomplete |= status == EXIT_PART;
	part->has_failed |= status && status != EXIT_PART;
}

/* What fails of a device has its tenants wait. Return: whether all parts have been made. */
static bool make_parts(struct plan *plan, unsigned int flags)
{
	struct wanted_part *const first = plan->wanted.part, *part;
	struct wanted_part *const end = first + plan->wanted.n_parts;
	bool all = true;

	for (part = first; part < end; part++) {
		if (part->home->has_failed) {
			changes_free(&part->changes);
			part->has_failed |= part->has_news;
		} else {
			make(plan, part, &part->changes, flags);
		}
	}
	/* tenants' before the device's */
	for (part = end; part-- > first;) {
		if (part->has_failed || part->home->has_failed)
			changes_free(&part->last);
		else
			make(plan, part, &part->last, flags);
		all &= !part->has_failed;
	}
	return all;
}

/* One that could not be read has not been restored, of whatever part. */
static void fail_all(struct plan *plan)
{
	for (size_t i = 0; i < plan->wanted.n_parts; i++)
		plan->wanted.part[i].has_failed = plan->wanted.part[i].has_news;
}

/* Whether shares of what is new have an effect; else that was said, or is by the batch. */
static bool shares_count(const struct plan *plan)
{
	struct words own = { 0 }, *vifs = plan->shares ?: &own;
	bool count;

	for (size_t i = 0; i < plan->wanted.n_vifs; i++)
		if (plan->wanted.vif[i].is_there && present_is_part_new(plan->wanted.vif[i].part))
			words_append(vifs, plan->wanted.vif[i].path);
	count = effect_shares_of(plan->fs, &own);
	words_free(&own);
	return count;
}

/* Return: whether all is done. What could be done is, in any case. */
static bool restore(struct plan *plan, unsigned int flags)
{
	bool all = false;
	mode_t old;

	if (read_now(plan) || find_places(plan)) {
		fail_all(plan);
	} else {
		plan_all(plan);
		old = umask(022);	/* what wanted_initial() says */
		all = make_parts(plan, flags);
		umask(old);
		if (all && !(flags & CHANGES_DRY))
			plan->incomplete |= !shares_count(plan);
	}
	present_done(&plan->wanted);
	free(plan->place);
	plan->place = NULL;
	vif_list_free(&plan->now);
	return all;
}

/* What was there may go at any time: then it fails, and is done without. */
static bool restore_present(struct plan *plan, unsigned int flags)
{
	unsigned int tries = 0;
	bool all;

	present_look(&plan->wanted, plan->fs);
	if (!present_find_news(&plan->wanted)) {
		present_done(&plan->wanted);
		return true;
	}
	do {
		nnfs_refresh(plan->fs);
		all = restore(plan, flags);
	} while (!all && (++tries < TRIES_MAX ?
			  present_look(&plan->wanted, plan->fs) :
			  present_lose(&plan->wanted, plan->fs)));
	return all;
}

/* --- waiting --- */

/* What is asked for; @seconds: negative: without end */
struct mode {
	unsigned int flags;
	bool waits;
	bool follows;
	double seconds;
};

static void watch_groups(const struct wanted *wanted, struct arrivals *arrivals)
{
	arrivals_watch_none(arrivals);
	for (size_t i = 0; i < wanted->n_presences; i++) {
		const struct wanted_link *link = wanted->presence[i].link;

		if (link && link->target.kind == &target_kinds[TARGET_CGROUP])
			arrivals_watch_group(arrivals, link->target.name);
	}
}

/*
 * A part that failed is tried again, some times. Return: whether any is to be. Starting again from
 * the file would undo what has been changed by hand since.
 */
static bool count_attempts(struct plan *plan)
{
	bool any = false;

	for (size_t i = 0; i < plan->wanted.n_parts; i++) {
		struct wanted_part *part = &plan->wanted.part[i];

		if (!part->has_failed)
			continue;
		if (++part->attempts < ATTEMPTS_MAX) {
			any = true;
			continue;
		}
		complain("restore: %s%s: skipped until its device or group appears again",
			 part->top ? part->top->path : part->device->tree->path,
			 part->top ? "/..." : "");
		part->has_failed = false;
		plan->failed = true;
	}
	present_done(&plan->wanted);
	return any;
}

/* Whether there is anything that has not failed: it is in force, or waited for. */
static bool is_any_left(const struct plan *plan)
{
	for (size_t i = 0; i < plan->wanted.n_parts; i++)
		if (!plan->wanted.part[i].has_failed)
			return true;
	return false;
}

/* What comes is told of from before the first look on. */
static int wait_and_restore(struct plan *plan, struct lines *lines,
			    const struct mode *mode, struct arrivals *arrivals)
{
	bool retries = false;
	int told;

	watch_groups(&plan->wanted, arrivals);
	if (!restore_present(plan, mode->flags)) {
		if (!is_any_left(plan))
			return EXIT_KERNEL;
		retries = count_attempts(plan);
	}
	present_say_missing(&plan->wanted, lines);
	notify_ready();
	while (mode->follows || retries || !present_all(&plan->wanted)) {
		arrivals->is_blind |= retries;
		told = arrivals_wait(arrivals);
		if (told < 0)
			return EXIT_KERNEL;
		if (!told)
			break;
		watch_groups(&plan->wanted, arrivals);
		retries = !restore_present(plan, mode->flags) && count_attempts(plan);
	}
	return plan->failed || retries ? EXIT_KERNEL : EXIT_OK;
}

static int restore_now(struct plan *plan, struct lines *lines,
		       const struct mode *mode)
{
	const bool all = restore_present(plan, mode->flags);

	present_say_missing(&plan->wanted, lines);
	return all ? EXIT_OK : EXIT_KERNEL;
}

static int restore_later(struct plan *plan, struct lines *lines,
			 const struct mode *mode)
{
	struct arrivals arrivals;
	int status;

	if (arrivals_open(&arrivals, mode->seconds))
		return EXIT_KERNEL;
	status = wait_and_restore(plan, lines, mode, &arrivals);
	arrivals_close(&arrivals);
	return status;
}

/*
 * VIFs, and what is attached to them; VIFs of users; owners and permission bits; any number of VIFs.
 * The unit has the same (CapabilityBoundingSet=).
 */
static int keep_used_privileges(void)
{
	return privilege_keep(PRIVILEGE(CAP_NET_ADMIN) | PRIVILEGE(CAP_DAC_OVERRIDE) |
			      PRIVILEGE(CAP_CHOWN) | PRIVILEGE(CAP_FOWNER) | PRIVILEGE(CAP_FSETID) |
			      PRIVILEGE(CAP_SYS_RESOURCE)) ? EXIT_KERNEL : EXIT_OK;
}

static int restore_file(struct options *options, const char *name,
			const struct mode *mode)
{
	struct plan plan = {
		.nn = &options->nn, .fs = &options->nn.fs, .genl = &options->genl,
		.shares = options->shares,
	};
	struct lines lines;
	int status;

	if (lines_open(&lines, name))
		return EXIT_KERNEL;
	status = wanted_read(&plan.wanted, &lines) ?: options_open(options) ?:
		 options_open_genl(options);
	/* mounting, if nothing is mounted, takes more */
	if (!status && mode->follows)
		status = keep_used_privileges();
	if (!status)
		status = mode->waits ? restore_later(&plan, &lines, mode) :
				       restore_now(&plan, &lines, mode);
	if (!status && (plan.incomplete || !present_all(&plan.wanted)))
		status = EXIT_PART;
	wanted_free(&plan.wanted);
	lines_close(&lines);
	return status;
}

static int take_seconds(struct mode *mode, const char *word)
{
	char *end;

	mode->seconds = -1;
	if (!word)
		return EXIT_OK;
	mode->seconds = strtod(word, &end);
	if (end != word && !*end && mode->seconds >= 0 && mode->seconds <= 1e9)
		return EXIT_OK;
	return usage_error("restore", "not a number of seconds: '%s'", word);
}

int restore_run(struct options *options, char **words)
{
	bool is_dry = false, waits = false, follows = false;
	const char *seconds = NULL;
	const struct flag flags[] = {
		{ "--dry-run", .value = &is_dry },
		{ "--wait", .value = &waits, .more = &seconds },
		{ "--follow", .value = &follows },
		{ .name = NULL }
	};
	struct mode mode = { 0 };
	int status;

	status = words_take_options("restore", options, words, flags);
	if (!status && is_dry + waits + follows > 1)
		status = usage_error("restore", "--dry-run, --wait and --follow exclude each other");
	status = status ?: take_seconds(&mode, seconds) ?:
		 words_take_file("restore", words);
	if (status)
		return status;
	mode.flags = CHANGES_MORE |
		     (is_dry ? CHANGES_DRY : options->verbose ? CHANGES_TELL : 0);
	mode.waits = waits || follows;
	mode.follows = follows;
	return restore_file(options, *words, &mode);
}
