// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl restore: what there is, against what is wanted (wanted.h), as changes
 * (change.h) in an order in which each is possible:
 *
 *	1. VIFs that nothing may remove in between lose their autoremove
 *	2. VIFs are made, parents first, and set
 *	3. groups and devices are attached, wherever they were before
 *	4. others are detached
 *	5. VIFs that are left over are removed, children first
 *	6. autoremove is set
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "change.h"
#include "complain.h"
#include "transient.h"
#include "tree.h"
#include "wanted.h"
#include "words.h"

void restore_help(void)
{
	puts("Usage: vifctl restore [-v] [--dry-run] FILE\n"
	     "\n"
	     "FILE := as \"vifctl save\" prints it; - is standard input\n"
	     "-v: print what is changed, as the words of vifctl\n"
	     "--dry-run: print it, and change nothing\n"
	     "\n"
	     "VIFs below a \"tree\" of the file that are not in it are removed.");
}

struct plan {
	struct nnfs *fs;
	struct wanted wanted;
	struct tree now;
	struct changes changes;
};

static bool is_set(const char *autoremove)
{
	return autoremove && !strcmp(autoremove, "1");
}

static bool has_link(const struct target *link, size_t n,
		     const struct target *target)
{
	for (size_t i = 0; i < n; i++)
		if (!target_compare(&link[i], target))
			return true;
	return false;
}

static bool same_links(const struct vif_info *vif,
		       const struct wanted_vif *wanted)
{
	if (vif->n_links != wanted->n_links)
		return false;
	for (size_t i = 0; i < vif->n_links; i++)
		if (!has_link(wanted->link, wanted->n_links, &vif->link[i]))
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
	       !is_transient(&plan->now, i);
}

static void plan_autoremove_off(struct plan *plan)
{
	const struct param *autoremove = &params[PARAM_AUTOREMOVE];

	for (size_t i = 0; i < plan->now.count; i++) {
		const struct vif_info *vif = &plan->now.vif[i];
		const struct wanted_vif *wanted;

		wanted = wanted_find(&plan->wanted, vif->path);
		if (is_set(vif->param[PARAM_AUTOREMOVE]) &&
		    (wanted || is_surplus(plan, i)) &&
		    !stays_autoremoved(vif, wanted))
			changes_set(&plan->changes, vif->path, autoremove, "0",
				    "1");
	}
}

static void plan_autoremove_on(struct plan *plan)
{
	const struct param *autoremove = &params[PARAM_AUTOREMOVE];

	for (size_t i = 0; i < plan->wanted.n_vifs; i++) {
		const struct wanted_vif *wanted = &plan->wanted.vif[i];
		const char *value = wanted->param[PARAM_AUTOREMOVE];
		const struct vif_info *vif;

		vif = tree_find(&plan->now, wanted->path);
		if (strcmp(value, "0") &&
		    !(vif && is_set(vif->param[PARAM_AUTOREMOVE]) &&
		      stays_autoremoved(vif, wanted)))
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
		return false;	/* a device that has gone: making it fails */
	*slash = '\0';
	wanted = wanted_find(&plan->wanted, above);
	if (wanted)
		return strtoul(wanted->param[PARAM_MODE], NULL, 8) & S_ISGID;
	return !fstatat(plan->fs->fd, above, &status, 0) &&
	       (status.st_mode & S_ISGID);
}

static void plan_new(struct plan *plan, const struct wanted_vif *wanted)
{
	bool inherits = inherits_group(plan, wanted->path);

	changes_add(&plan->changes, wanted->path);
	for (size_t i = 0; i < PARAM_AUTOREMOVE; i++) {
		char *initial = wanted_initial(wanted->path, &params[i]);

		if (!initial || strcmp(initial, wanted->param[i]) ||
		    (inherits && !params[i].initial))
			changes_set(&plan->changes, wanted->path, &params[i],
				    wanted->param[i], NULL);
		free(initial);
	}
}

static void plan_old(struct plan *plan, const struct vif_info *vif,
		     const struct wanted_vif *wanted)
{
	for (size_t i = 0; i < PARAM_AUTOREMOVE; i++)
		if (!vif->param[i] || strcmp(vif->param[i], wanted->param[i]))
			changes_set(&plan->changes, vif->path, &params[i],
				    wanted->param[i], vif->param[i]);
}

static void plan_vifs(struct plan *plan)
{
	for (size_t i = 0; i < plan->wanted.n_vifs; i++) {
		const struct wanted_vif *wanted = &plan->wanted.vif[i];
		const struct vif_info *vif;

		vif = tree_find(&plan->now, wanted->path);
		if (vif)
			plan_old(plan, vif, wanted);
		else
			plan_new(plan, wanted);
	}
}

static void plan_link(struct plan *plan, const struct wanted_vif *wanted,
		      const struct target *target)
{
	char dev[IF_NAMESIZE], *from;

	path_device(wanted->path, dev);
	from = target_vif(plan->fs, target, dev);
	if (!from || strcmp(from, wanted->path))
		changes_attach(&plan->changes, wanted->path, target, from);
	free(from);
}

static void plan_links(struct plan *plan)
{
	for (size_t i = 0; i < plan->wanted.n_vifs; i++) {
		const struct wanted_vif *wanted = &plan->wanted.vif[i];

		for (size_t j = 0; j < wanted->n_links; j++)
			plan_link(plan, wanted, &wanted->link[j]);
	}
}

/* Whether it is attached to some VIF of that device by now */
static bool is_attached_elsewhere(const struct plan *plan, const char *path,
				  const struct target *target)
{
	char dev[IF_NAMESIZE];

	path_device(path, dev);
	for (size_t i = 0; i < plan->wanted.n_vifs; i++) {
		const struct wanted_vif *wanted = &plan->wanted.vif[i];

		if (wanted->n_links && path_is_below(wanted->path, dev) &&
		    has_link(wanted->link, wanted->n_links, target))
			return true;
	}
	return false;
}

static void plan_unlinks(struct plan *plan)
{
	for (size_t i = 0; i < plan->now.count; i++) {
		const struct vif_info *vif = &plan->now.vif[i];

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

/* A device that is not there has no VIFs; the file must not want any. */
static int check_device(const struct plan *plan, struct lines *lines,
			const struct wanted_tree *tree)
{
	char dev[IF_NAMESIZE];
	bool is_wanted = false;

	path_device(tree->path, dev);
	for (size_t i = 0; i < plan->wanted.n_vifs; i++)
		if (plan->wanted.vif[i].line &&
		    path_is_below(plan->wanted.vif[i].path, tree->path))
			is_wanted = true;
	if (!is_wanted || nnfs_has_device(plan->fs, dev))
		return EXIT_OK;
	lines_at(lines, tree->line);
	complain("tree %s: no device '%s'", tree->path, dev);
	lines_quiet();
	return EXIT_KERNEL;
}

/* What is wanted of a device that is not there: nothing but its root VIF */
static void forget_device(struct wanted *wanted, const char *path)
{
	struct wanted_vif *vif = wanted_find(wanted, path);

	if (!vif || vif->line)
		return;
	free(vif->path);
	for (size_t i = 0; i < PARAM_COUNT; i++)
		free(vif->param[i]);
	memmove(vif, vif + 1, (&wanted->vif[--wanted->n_vifs] - vif) *
			      sizeof(*vif));
}

static int read_now(struct plan *plan, struct lines *lines)
{
	int status = EXIT_OK;

	tree_init(&plan->now);
	for (size_t i = 0; !status && i < plan->wanted.n_trees; i++) {
		const struct wanted_tree *tree = &plan->wanted.tree[i];

		status = check_device(plan, lines, tree);
		if (status || !tree_read(&plan->now, plan->fs, tree->path))
			continue;
		if (errno == ENOENT) {
			forget_device(&plan->wanted, tree->path);
			continue;
		}
		nnfs_warn(plan->fs, "restore: %s", tree->path);
		status = EXIT_KERNEL;
	}
	if (status || !tree_read_links(&plan->now, plan->fs))
		return status;
	nnfs_warn(plan->fs, "restore: cannot read what is attached");
	return EXIT_KERNEL;
}

static int restore(struct plan *plan, struct lines *lines, unsigned int flags)
{
	int status = read_now(plan, lines);
	mode_t old;

	if (status)
		return status;
	plan_autoremove_off(plan);
	plan_vifs(plan);
	plan_links(plan);
	plan_unlinks(plan);
	plan_removals(plan);
	plan_autoremove_on(plan);
	old = umask(022);	/* what wanted_initial() says */
	status = changes_make(&plan->changes, plan->fs, "restore", flags);
	umask(old);
	return status;
}

static int restore_file(struct options *options, const char *name,
			unsigned int flags)
{
	struct plan plan = { .fs = &options->fs };
	struct lines lines;
	int status;

	if (lines_open(&lines, name))
		return EXIT_KERNEL;
	status = wanted_read(&plan.wanted, &lines);
	if (!status)
		status = options_open(options);
	if (!status)
		status = restore(&plan, &lines, flags);
	tree_free(&plan.now);
	wanted_free(&plan.wanted);
	lines_close(&lines);
	return status;
}

int restore_run(struct options *options, char **words)
{
	bool is_dry = false;
	const struct flag flags[] = {
		{ "--dry-run", .value = &is_dry }, { .name = NULL }
	};
	int status;

	status = words_take_options("restore", options, words, flags);
	if (!status && !*words)
		status = usage_error("restore", "no file given");
	if (!status && words[1])
		status = usage_error("restore", "too many words: '%s'",
				     words[1]);
	if (status)
		return status;
	return restore_file(options, *words,
			    is_dry ? CHANGES_DRY :
			    options->verbose ? CHANGES_TELL : 0);
}
