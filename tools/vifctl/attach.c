// SPDX-License-Identifier: GPL-2.0
/* vifctl attach, detach: processes and the like. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "attached.h"
#include "belonging.h"
#include "change.h"
#include "complain.h"
#include "failure.h"
#include "target_word.h"
#include "words.h"

#define HELP(verb, more)						\
	"Usage: vifctl " verb " [-v] PATH TARGET...\n"		\
	"       vifctl " verb " [-v] TARGET... PATH\n"		\
	more							\
	"\n"							\
	"PATH := a VIF, for example eth0/web\n"				\
	"TARGET := one of"

const char attach_help[] = HELP("attach", "");
const char detach_help[] = HELP("detach", "       vifctl detach [-v] PATH all\n");

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

/* --- all --- */

/* Processes that are forked meanwhile are in the VIF, too. The search is repeated this many times. */
#define PASSES_MAX	20

/* A socket is known by its cookie here, and is detached by its process and descriptor. */
static bool plan_attached(struct changes *changes, const struct attached *attached)
{
	struct target target = { .kind = &target_kinds[attached->kind] };
	const char *name = attached->name;
	char number[32];

	if (attached->kind == TARGET_SOCKET)
		return false;
	snprintf(number, sizeof(number), "%llu", (unsigned long long)attached->number);
	if (attached->kind == TARGET_PROCESS || attached->kind == TARGET_THREAD)
		name = number;
	target.name = name ? target_normal(target.kind, name) : NULL;
	if (!target.name)
		return false;
	changes_detach(changes, attached->path, &target);
	changes_may_be_gone(changes);
	free(target.name);
	return true;
}

/* Return: how many cannot be detached, or -1 after a message. */
static int plan_pass(struct changes *changes, struct options *options, const char *verb,
		     const char *path, bool is_recursive)
{
	struct attachments attachments;
	int left = 0;

	if (attachments_read(&attachments, &options->genl, path)) {
		if (errno == ENOENT)
			return 0;	/* it went with what was detached */
		nnfs_warn(&options->nn.fs, "%s: %s", verb, path);
		return -1;
	}
	for (size_t i = 0; i < attachments.count; i++)
		if (is_recursive || !strcmp(attachments.all[i].path, path))
			left += !plan_attached(changes, &attachments.all[i]);
	attachments_free(&attachments);
	return left;
}

int detach_all(const char *verb, struct options *options, const char *path, bool is_recursive)
{
	int status = options_open_genl(options), left = 0;
	bool is_done = false;

	for (int n = 0; !status && !is_done && n < PASSES_MAX; n++) {
		struct changes changes = { 0 };

		left = plan_pass(&changes, options, verb, path, is_recursive);
		is_done = left < 0 || !changes.count;
		if (!is_done)
			status = changes_run_part(&changes, status, options, verb);
	}
	if (status || left < 0)
		return status ?: EXIT_KERNEL;
	if (left)
		complain("%s: %s: %d %s: vifctl detach %s socket PID:FD detaches one", verb, path, left,
			 left == 1 ? "socket stays attached until it is closed" :
				     "sockets stay attached until they are closed", path);
	if (!is_done)
		complain("%s: %s: its processes start new ones all the time: some may still be attached: run this again",
			 verb, path);
	return left || !is_done ? EXIT_PART : EXIT_OK;
}

static bool wants_all(const plan_fn plan, char **words)
{
	return plan == plan_detach && words[0] && words[1] && !strcmp(words[1], "all") && !words[2];
}

static int run_all(struct options *options, char *word)
{
	struct scope scope = { 0 };
	char *path;
	int status = words_take_vif("detach", word, &path) ?: options_open(options);

	if (status)
		return status;
	scope.path = path;
	status = scope_check("detach", &scope, &options->nn.fs);
	if (status)
		return status;
	netnice_begin(&options->nn);
	status = detach_all("detach", options, path, false);
	netnice_commit(&options->nn);
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
	if (wants_all(plan, words))
		return run_all(options, words[0]);
	put_path_first(words);
	status = words_take_vif(verb, *words, &path) ?:
		 plan_all(verb, NULL, NULL, path, words + 1, plan) ?:
		 options_open(options) ?:
		 plan_all(verb, &changes, &options->nn.fs, path, words + 1, plan);
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
