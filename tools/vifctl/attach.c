// SPDX-License-Identifier: GPL-2.0
/* vifctl attach, detach: processes and the like. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "complain.h"
#include "words.h"

#define HELP(verb)						\
	"Usage: vifctl " verb " [-v] PATH TARGET...\n"		\
	"       vifctl " verb " [-v] TARGET... PATH\n"		\
	"\n"							\
	"PATH := a VIF, as eth0/web\n"				\
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
	char *from = target_vif(fs, target, path);

	changes_attach(changes, path, target, from);
	free(from);
	return EXIT_OK;
}

static int plan_detach(struct changes *changes, const struct nnfs *fs,
		       const char *path, const struct target *target)
{
	char *from = target_vif(fs, target, path);
	const bool same = from && !strcmp(from, path);

	if (!from)
		complain("detach: %s %s is not attached to %s",
			 target->kind->word, target->name, path);
	else if (!same)
		complain("detach: %s %s is attached to %s, not to %s",
			 target->kind->word, target->name, from, path);
	else
		changes_detach(changes, path, target);
	free(from);
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

/* Targets may stand before the path, where the words can not be read the other way. */
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
