// SPDX-License-Identifier: GPL-2.0
/* vifctl attach, detach: processes and the like. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "belonging.h"
#include "change.h"
#include "complain.h"
#include "words.h"

#define HELP(verb)						\
	"Usage: vifctl " verb " [-v] PATH TARGET...\n"		\
	"       vifctl " verb " [-v] TARGET... PATH\n"		\
	"\n"							\
	"PATH := a VIF, for example eth0/web\n"				\
	"TARGET := one of"

const char attach_help[] = HELP("attach");
const char detach_help[] = HELP("detach");

void targets_help(void)
{
	words_list_targets(stdout);
}

/* Puts one change for a target into the list. Return: the exit status. */
typedef int (*plan_fn)(struct changes *changes, const struct nnfs *fs,
		       const char *path, const struct target *target);

static int plan_attach(struct changes *changes, const struct nnfs *fs,
		       const char *path, const struct target *target)
{
	(void)fs;
	changes_attach(changes, path, target);
	return EXIT_OK;
}

static bool is_same(const char *vif, const char *path)
{
	return vif && !strcmp(vif, path);
}

static int plan_detach(struct changes *changes, const struct nnfs *fs,
		       const char *path, const struct target *target)
{
	struct belonging at;
	const char *shown;
	bool same;

	if (belonging_find(&at, fs, target, path) && errno != ESRCH && errno != ENOENT) {
		nnfs_warn(fs, "detach: %s %s", target->kind->word, target->name);
		return EXIT_KERNEL;
	}
	shown = at.chosen ?: at.given;
	same = is_same(at.chosen, path) || is_same(at.given, path);
	if (!shown)
		complain("detach: %s %s is not attached to %s",
			 target->kind->word, target->name, path);
	else if (!same)
		complain("detach: %s %s is attached to %s, not to %s",
			 target->kind->word, target->name, shown, path);
	else
		changes_detach(changes, path, target);
	belonging_free(&at);
	return same ? EXIT_OK : EXIT_KERNEL;
}

/* Without @changes words are only checked. */
static int plan_all(const char *verb, struct changes *changes,
		    const struct nnfs *fs, const char *path, char **words,
		    plan_fn plan)
{
	struct target target;
	int status;

	do {
		status = words_take_target(verb, &target, words);
		if (status)
			return status;
		if (changes)
			status = plan(changes, fs, path, &target);
		free(target.name);
		words += 2;
	} while (!status && *words);
	return status;
}

/* Targets may stand before the path, where the words cannot be read the other way. */
static void put_path_first(char **words)
{
	size_t last = 0;
	char *path;

	if (!words[0] || !words[1] || words_is_target(words[1]) || !words_is_target(words[0]))
		return;
	while (words[last + 1])
		last++;
	path = words[last];
	memmove(words + 1, words, last * sizeof(*words));
	words[0] = path;
}

static int run(const char *verb, struct options *options, char **words,
	       plan_fn plan)
{
	struct changes changes = { 0 };
	char *path;
	int status;

	status = words_take_options(verb, options, words, NULL);
	if (status)
		return status;
	put_path_first(words);
	status = words_take_vif(verb, *words, &path) ?:
		 plan_all(verb, NULL, NULL, path, words + 1, plan) ?:
		 options_open(options) ?:
		 plan_all(verb, &changes, &options->fs, path, words + 1, plan);
	return changes_run(&changes, status, options, verb);
}

int attach_run(struct options *options, char **words)
{
	return run("attach", options, words, plan_attach);
}

int detach_run(struct options *options, char **words)
{
	return run("detach", options, words, plan_detach);
}
