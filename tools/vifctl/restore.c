// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl restore: what there is, against what is wanted (wanted.h), as changes
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
 * Devices and control groups that are not there (present.h) are left out. Whoever waits
 * has them restored as they come, and only them: what has been changed of others since is
 * somebody's will, and nothing is removed or detached any more.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arrivals.h"
#include "change.h"
#include "complain.h"
#include "kept.h"
#include "minimum.h"
#include "notify.h"
#include "present.h"
#include "wanted.h"
#include "words.h"

const char restore_help[] =
	"Usage: vifctl restore [-v] [--dry-run | --wait[=SECONDS] | --follow] FILE\n"
	"\n"
	"FILE := as \"vifctl save\" prints it; - is standard input\n"
	"-v: print what is changed, as the words of vifctl\n"
	"--dry-run: print it, and change nothing\n"
	"--wait: until all devices and control groups of the file are there\n"
	"--follow: for ever, also for those that go and come again\n"
	"\n"
	"VIFs below a \"tree\" of the file that are not in it are removed. What is of a\n"
	"device or control group that is not there is left out, and said (status 3).";

/* When what is there changes while it is looked at; then it is taken for not there */
#define TRIES_MAX	10

/* When what has come can not be restored: a second between two */
#define ATTEMPTS_MAX	3

/**
 * struct plan - what is to be done
 * @again: only what has come since
 * @attempts: that failed for what has come
 * @failed: some of it has been given up
 * @part: a program could not be had
 */
struct plan {
	struct nnfs *fs;
	const struct genl *genl;
	struct wanted wanted;
	struct vif_list now;
	struct changes changes;
	bool again;
	unsigned int attempts;
	bool failed;
	bool part;
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
	if (!vif->is_there || present_is_new(vif->tree->device))
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

/* Whether it gets all settings: others have been changed by somebody else since. */
static bool is_to_be_set(const struct wanted_vif *wanted)
{
	return !wanted->now || present_is_new(wanted->tree->device);
}

static void plan_autoremove_off(struct plan *plan)
{
	const struct param *autoremove = &params[PARAM_AUTOREMOVE];

	for (size_t i = 0; i < plan->now.count; i++) {
		const struct vif_info *vif = &plan->now.vif[i];
		const struct wanted_vif *wanted;

		wanted = wanted_find(&plan->wanted, vif->path);
		if (is_set(vif->param[PARAM_AUTOREMOVE]) &&
		    (wanted ? wanted->is_due :
			      !plan->again && is_surplus(plan, i)) &&
		    !stays_autoremoved(vif, wanted))
			changes_set(&plan->changes, vif->path, autoremove, "0",
				    "1");
	}
}

/* What an existing VIF is to have, where that is to be changed; NULL: it is not */
static const char *param_wanted(const struct plan *plan, size_t i, enum param_id param)
{
	const struct wanted_vif *wanted;

	wanted = wanted_find(&plan->wanted, plan->now.vif[i].path);
	if (!wanted)
		return !plan->again && is_surplus(plan, i) ?
		       params[param].initial : NULL;
	return wanted->is_due && present_is_new(wanted->tree->device) ?
	       wanted->param[param] : NULL;
}

/* From then on that is what there is. */
static void plan_minima_down(struct plan *plan)
{
	const struct param *minimum = &params[PARAM_MINIMUM];

	for (size_t i = plan->now.count; i-- > 0;) {
		struct vif_info *vif = &plan->now.vif[i];
		char **now = &vif->param[PARAM_MINIMUM];
		const char *wanted = param_wanted(plan, i, PARAM_MINIMUM);
		char *lower;

		if (!wanted || !*now)
			continue;
		lower = minimum_lower(*now, wanted);
		if (!lower) {
			plan->changes.failed = true;
			return;
		}
		if (strcmp(*now, lower))
			changes_set(&plan->changes, vif->path, minimum, lower,
				    *now);
		free(*now);
		*now = lower;
	}
}

/* One that waits until all VIFs are there and have what is set at once; @change: changes_... */
static void plan_param_later(struct plan *plan, enum param_id id, typeof(changes_set) *change)
{
	const struct param *param = &params[id];

	for (size_t i = 0; i < plan->wanted.n_vifs; i++) {
		const struct wanted_vif *wanted = &plan->wanted.vif[i];
		const char *now = wanted->now ? wanted->now->param[id] : NULL;
		const char *value = wanted->param[id];

		if (wanted->is_due && is_to_be_set(wanted) &&
		    strcmp(now ? now : param->initial, value))
			change(&plan->changes, wanted->path, param, value, now);
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
			changes_set(&plan->changes, wanted->path, autoremove,
				    value, "0");
	}
}

/*
 * A new VIF is that of whoever makes it, and of the group of a directory that has the
 * set-group-ID bit: where such a one is above, both are said.
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
			changes_set(&plan->changes, wanted->path, &params[i],
				    wanted->param[i], now ? from : NULL);
		free(initial);
	}
}

/* No two siblings have the same: who has another one later, or goes, gives his up first. */
static void plan_classes_off(struct plan *plan)
{
	const struct param *class = &params[PARAM_CLASS];

	for (size_t i = 0; i < plan->now.count; i++) {
		const char *wanted = param_wanted(plan, i, PARAM_CLASS);
		char **now = &plan->now.vif[i].param[PARAM_CLASS];

		if (!wanted || !*now || !strcmp(*now, class->initial) ||
		    !strcmp(*now, wanted))
			continue;
		changes_set(&plan->changes, plan->now.vif[i].path, class, class->initial, *now);
		free(*now);
		*now = strdup(class->initial);
	}
}

static void plan_vifs(struct plan *plan)
{
	for (size_t i = 0; i < plan->wanted.n_vifs; i++) {
		const struct wanted_vif *wanted = &plan->wanted.vif[i];

		if (wanted->is_due && !wanted->now)
			changes_add(&plan->changes, wanted->path);
		if (wanted->is_due && is_to_be_set(wanted))
			plan_params(plan, wanted, wanted->now);
	}
}

static void plan_link(struct plan *plan, const struct wanted_vif *wanted,
		      const struct target *target)
{
	char *from = target_vif(plan->fs, target, wanted->path);

	if (!from || strcmp(from, wanted->path))
		changes_attach(&plan->changes, wanted->path, target);
	free(from);
}

static void plan_links_of(struct plan *plan, const struct wanted_vif *wanted)
{
	const bool is_new = present_is_new(wanted->tree->device);

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

static void plan_unlinks(struct plan *plan)
{
	for (size_t i = 0; i < plan->now.count; i++) {
		const struct vif_info *vif = &plan->now.vif[i];

		/* those of units */
		if (kept_is_transient(&plan->now, vif))
			continue;
		for (size_t j = 0; j < vif->n_links; j++)
			if (!is_attached_elsewhere(plan, vif->path,
						   &vif->link[j]))
				changes_detach(&plan->changes, vif->path,
					       &vif->link[j]);
	}
}

static void plan_removals(struct plan *plan)
{
	for (size_t i = plan->now.count; i-- > 0;)
		if (is_surplus(plan, i))
			changes_del(&plan->changes, plan->now.vif[i].path,
				    &plan->now.vif[i]);
}

/* --- making them --- */

static int read_now(struct plan *plan)
{
	for (size_t i = 0; i < plan->wanted.n_trees; i++) {
		struct wanted_tree *tree = &plan->wanted.tree[i];

		if (!tree->device->now ||
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

static int restore(struct plan *plan, unsigned int flags)
{
	int status = read_now(plan);
	mode_t old;

	if (status)
		return status;
	find_due(plan);
	plan_autoremove_off(plan);
	plan_minima_down(plan);
	plan_classes_off(plan);
	plan_vifs(plan);
	plan_param_later(plan, PARAM_MINIMUM, changes_set);
	plan_links(plan);
	if (!plan->again) {
		plan_unlinks(plan);
		plan_removals(plan);
	}
	/*
	 * They choose among limits, which hold without them: a file that is not there yet, or a
	 * kernel that has no memory for one, is no reason to go without limits.
	 */
	plan_param_later(plan, PARAM_PROGRAM, changes_try);
	plan_autoremove_on(plan);
	old = umask(022);	/* what wanted_initial() says */
	status = changes_make(&plan->changes, plan->fs, "restore", flags);
	umask(old);
	plan->part |= status == EXIT_PART;
	return status == EXIT_PART ? EXIT_OK : status;
}

/* What was there may go at any time: then it fails, and is done without. */
static int restore_present(struct plan *plan, unsigned int flags)
{
	unsigned int tries = 0;
	int status;

	present_look(&plan->wanted, plan->fs);
	if (plan->again && !present_any_new(&plan->wanted))
		return EXIT_OK;
	do {
		nnfs_refresh(plan->fs);
		status = restore(plan, flags);
		vif_list_free(&plan->now);
	} while (status && (++tries < TRIES_MAX ?
			    present_look(&plan->wanted, plan->fs) :
			    present_lose(&plan->wanted, plan->fs)));
	if (status)
		return status;
	present_done(&plan->wanted);
	plan->again = true;
	return EXIT_OK;
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
 * What was restored before is not lost by it: who began from the start again would undo what
 * has been done by hand since.
 */
static void restore_arrived(struct plan *plan, const struct mode *mode,
			    struct arrivals *arrivals)
{
	if (!restore_present(plan, mode->flags)) {
		plan->attempts = 0;
	} else if (++plan->attempts < ATTEMPTS_MAX) {
		arrivals->is_blind = true;
	} else {
		complain("restore: what has come is left alone until it comes again");
		present_done(&plan->wanted);
		plan->attempts = 0;
		plan->failed = true;
	}
}

/* Who waits is told of what comes from before the first look on. */
static int wait_and_restore(struct plan *plan, struct lines *lines,
			    const struct mode *mode, struct arrivals *arrivals)
{
	int status, told;

	watch_groups(&plan->wanted, arrivals);
	status = restore_present(plan, mode->flags);
	if (status)
		return status;
	present_say_missing(&plan->wanted, lines);
	notify_ready();
	while (mode->follows || plan->attempts || !present_all(&plan->wanted)) {
		told = arrivals_wait(arrivals);
		if (told < 0)
			return EXIT_KERNEL;
		if (!told)
			break;
		watch_groups(&plan->wanted, arrivals);
		restore_arrived(plan, mode, arrivals);
	}
	return plan->failed || plan->attempts ? EXIT_KERNEL : EXIT_OK;
}

static int restore_now(struct plan *plan, struct lines *lines,
		       const struct mode *mode)
{
	int status = restore_present(plan, mode->flags);

	if (!status)
		present_say_missing(&plan->wanted, lines);
	return status;
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

static int restore_file(struct options *options, const char *name,
			const struct mode *mode)
{
	struct plan plan = { .fs = &options->fs, .genl = &options->genl };
	struct lines lines;
	int status;

	if (lines_open(&lines, name))
		return EXIT_KERNEL;
	status = wanted_read(&plan.wanted, &lines) ?: options_open(options) ?:
		 options_open_genl(options);
	if (!status)
		status = mode->waits ? restore_later(&plan, &lines, mode) :
				       restore_now(&plan, &lines, mode);
	if (!status && (plan.part || !present_all(&plan.wanted)))
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
	mode.flags = is_dry ? CHANGES_DRY : options->verbose ? CHANGES_TELL : 0;
	mode.waits = waits || follows;
	mode.follows = follows;
	return restore_file(options, *words, &mode);
}
