// SPDX-License-Identifier: GPL-2.0
/* vifctl add, del, set, move: VIFs and their settings. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach.h"
#include "change.h"
#include "complain.h"
#include "link_layer.h"
#include "nearest.h"
#include "param_check.h"
#include "rate.h"
#include "vif_list.h"
#include "words.h"

/* --- settings: PARAMETER VALUE... --- */

void settings_help(void)
{
	puts("\nPARAMETER VALUE := one of");
	param_list(stdout, "  ");
	puts("\nRATE := 256k, 1.5mbit, 2MB/s, or 10%, of the limit above, or of the link's speed\n"
	     "\nWithout \"egress\" or \"ingress\" a value is that of both directions; both may\n"
	     "be given: \"bandwidth egress 1mbit ingress max\".\n"
	     "\"link_layer\" may be left out, and takes the words of tc-cake(8) for kinds of lines,\n"
	     "as \"pppoe-ptm ether-vlan\"; it is that of a device: \"set eth0 overhead 44 atm\".");
}

static int unknown_param(const char *verb, const char *word)
{
	struct nearest nearest = { 0 };
	char hint[NEAREST_BYTES];

	for (size_t i = 0; i < PARAM_COUNT; i++)
		nearest_try(&nearest, word, params[i].name);
	usage_error(verb, "unknown parameter '%s'%s", word, nearest_hint(&nearest, hint));
	fputs("valid are:\n", complain_stream());
	param_list(complain_stream(), "  ");
	return EXIT_USAGE;
}

/* A word of a link layer stands for the parameter, too. */
static const struct param *find_param(const char *word)
{
	const struct param *param = param_find(word);

	return param || !link_layer_begins(word) ? param : &params[PARAM_LINK_LAYER];
}

static bool is_next(const struct param *param, const char *word)
{
	return param == &params[PARAM_LINK_LAYER] ? param_find(word) : find_param(word);
}

/* The words up to the next parameter; NULL: none, or no memory */
static char *take_value(const struct param *param, char ***words)
{
	char **first = *words;

	while (**words && !is_next(param, **words))
		++*words;
	return words_value(param, first, *words - first);
}

/* Where settings go; @fs: NULL: nowhere */
struct place {
	const char *path;
	const struct nnfs *fs;
};

/* Frees @value. Return: what the kernel takes, to be freed; NULL after a message. */
static char *absolute(const struct param *param, const struct place *place, char *value)
{
	char *text;

	if (param != &params[PARAM_BANDWIDTH] && param != &params[PARAM_MINIMUM])
		return value;
	rate_remark(value);
	if (!place->fs)
		return value;
	text = rate_absolute(place->fs, place->path, value);
	free(value);
	return text;
}

static int take_setting(const char *verb, struct changes *changes,
			const struct place *place, char ***words)
{
	const struct param *param = find_param(**words);
	char *value, **first;

	if (!param)
		return unknown_param(verb, **words);
	*words += !strcmp(**words, param->name);
	first = *words;
	value = take_value(param, words);
	if (words_check_units(param, first, *words - first)) {
		free(value);
		return EXIT_USAGE;
	}
	if (!value)
		return usage_error(verb, "%s: a value is missing: %s",
				   param->name, param->syntax);
	value = absolute(param, place, value);
	if (!value)
		return EXIT_KERNEL;
	changes_set(changes, place->path, param, value);
	free(value);
	return EXIT_OK;
}

static int take_settings(const char *verb, struct changes *changes,
			 const struct place *place, char **words)
{
	int status = EXIT_OK;

	while (!status && *words)
		status = take_setting(verb, changes, place, &words);
	return status;
}

/* Only words, before the file system is looked at */
static int check_settings(const char *verb, const char *path, char **words)
{
	const struct place nowhere = { .path = path };
	struct changes changes = { 0 };
	int status = take_settings(verb, &changes, &nowhere, words);

	changes_free(&changes);
	return status;
}

/* --- add --- */

const char add_help[] =
	"Usage: vifctl add [-v] PATH [PARAMETER VALUE]...\n"
	"\n"
	"PATH := the new VIF, for example eth0/web: \"web\" below the device eth0";

/* It would be gone when the file is closed. */
static int refuse_autoremove(char **words)
{
	for (; *words; words++)
		if (!strcmp(*words, params[PARAM_AUTOREMOVE].name))
			return usage_error("add", "'autoremove': the VIF would be removed at once, because nothing is attached to it: set it later");
	return EXIT_OK;
}

int add_run(struct options *options, char **words)
{
	struct place place = { .fs = &options->nn.fs };
	struct changes changes = { 0 };
	char *path;
	int status;

	status = words_take_options("add", options, words, NULL) ?:
		 words_take_vif("add", *words, &path) ?:
		 refuse_autoremove(words + 1) ?:
		 check_settings("add", path, words + 1) ?: options_open(options);
	if (status)
		return status;
	place.path = path;
	changes_add(&changes, path);
	status = take_settings("add", &changes, &place, words + 1);
	return changes_run(&changes, status, options, "add");
}

/* --- set --- */

const char set_help[] =
	"Usage: vifctl set [-v] PATH PARAMETER VALUE [PARAMETER VALUE]...\n"
	"\n"
	"PATH := a VIF, for example eth0/web; a device alone is its root VIF";

static int no_vif(const char *verb, const struct nnfs *fs, const char *path)
{
	const struct scope scope = { .path = path };

	return scope_failed(verb, &scope, fs);
}

static int open_vif(const struct nnfs *fs, const char *path)
{
	return openat(fs->fd, path,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int set(struct options *options, const char *path, char **words)
{
	const struct place place = { .path = path, .fs = &options->nn.fs };
	const int dir = open_vif(place.fs, path);
	struct changes changes = { 0 };
	int status;

	if (dir < 0)
		return no_vif("set", place.fs, path);
	close(dir);
	status = take_settings("set", &changes, &place, words);
	return changes_run(&changes, status, options, "set");
}

int set_run(struct options *options, char **words)
{
	char *path;
	int status;

	status = words_take_options("set", options, words, NULL) ?:
		 words_take_vif("set", *words, &path);
	if (!status && !words[1])
		status = usage_error("set", "a parameter is missing");
	return status ?: check_settings("set", path, words + 1) ?:
	       options_open(options) ?: set(options, path, words + 1);
}

/* --- del --- */

const char del_help[] =
	"Usage: vifctl del [-v] [--recursive] [--force] PATH\n"
	"\n"
	"PATH := a VIF without attachments\n"
	"--recursive: also all VIFs below it; all of them, or none\n"
	"--force: first detach whatever is attached";

/* What may not be seen could not be made again. */
static int check_readable(const struct vif_list *list, const struct nnfs *fs)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct scope scope = { .path = list->vif[i].path };

		errno = EACCES;
		if (!list->vif[i].is_readable)
			return scope_failed("del", &scope, fs);
	}
	return EXIT_OK;
}

static void plan_del(struct changes *changes, const char *path, bool by_force)
{
	changes_del(changes, path);
	if (by_force)
		changes_may_be_gone(changes);
}

/*
 * A VIF with autoremove would go with the last one below it, or with what is detached, and could not be
 * created again if a later change fails.
 */
static void plan_holds(struct changes *changes, const struct vif_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!strchr(list->vif[i].path, '/') || *list->vif[i].param[PARAM_AUTOREMOVE] != '1')
			continue;
		changes_set(changes, list->vif[i].path, &params[PARAM_AUTOREMOVE], "0");
		changes_may_be_gone(changes);
	}
}

static int plan_dels(struct changes *changes, struct options *options, const char *path, bool by_force)
{
	struct vif_list list;
	int status;

	if (options_open_genl(options))
		return EXIT_KERNEL;
	if (vif_list_get(&list, &options->genl, path, VIF_SETTINGS))
		return by_force && errno == ENOENT ? EXIT_OK : no_vif("del", &options->nn.fs, path);
	status = check_readable(&list, &options->nn.fs);
	if (!status)
		plan_holds(changes, &list);
	for (size_t i = list.count; i-- > 0;)
		plan_del(changes, list.vif[i].path, by_force);
	vif_list_free(&list);
	return status;
}

static int del(struct options *options, const char *path, bool is_recursive, bool by_force)
{
	struct changes changes = { 0 };
	int status = EXIT_OK;

	if (is_recursive)
		status = plan_dels(&changes, options, path, by_force);
	else
		plan_del(&changes, path, by_force);
	return by_force ? changes_run_part(&changes, status, options, "del") :
			  changes_run(&changes, status, options, "del");
}

/* Before anything is detached: children that are forked meanwhile are not attached again. */
static int refuse_below(struct options *options, const char *path)
{
	struct vif_list list;
	size_t count;

	if (options_open_genl(options))
		return EXIT_KERNEL;
	if (vif_list_get(&list, &options->genl, path, VIF_SETTINGS))
		return no_vif("del", &options->nn.fs, path);
	count = list.count;
	vif_list_free(&list);
	if (count <= 1)
		return EXIT_OK;
	complain("del: %s: it has VIFs below it: remove these first, or use --recursive", path);
	return EXIT_KERNEL;
}

static int hold(struct options *options, const char *path)
{
	struct changes changes = { 0 };
	struct vif_list list;
	int status;

	if (options_open_genl(options))
		return EXIT_KERNEL;
	if (vif_list_get(&list, &options->genl, path, VIF_SETTINGS))
		return no_vif("del", &options->nn.fs, path);
	status = check_readable(&list, &options->nn.fs);
	if (!status)
		plan_holds(&changes, &list);
	vif_list_free(&list);
	return changes_run_part(&changes, status, options, "del");
}

/* A VIF with autoremove goes with the last that is detached: it has to be there before. */
static int detach_before(struct options *options, const char *path, bool is_recursive)
{
	int status = is_recursive ? EXIT_OK : refuse_below(options, path);

	if (!status && !nnfs_is_vif(&options->nn.fs, path))
		status = no_vif("del", &options->nn.fs, path);
	if (!status && is_recursive)
		status = hold(options, path);
	status = status ?: detach_all("del", options, path, is_recursive);
	/* what is still attached keeps the VIF: then all is undone */
	return status == EXIT_PART ? EXIT_OK : status;
}

int del_run(struct options *options, char **words)
{
	bool is_recursive = false, by_force = false;
	const struct flag flags[] = {
		{ "--recursive", .value = &is_recursive }, { "--force", .value = &by_force },
		{ .name = NULL }
	};
	char *path;
	int status;

	status = words_take_options("del", options, words, flags) ?:
		 words_take_vif("del", *words, &path) ?:
		 words_end("del", words[1]) ?: options_open(options);
	if (status || !by_force)
		return status ?: del(options, path, is_recursive, false);
	/* what was detached is attached again if a VIF stays */
	netnice_begin(&options->nn);
	status = detach_before(options, path, is_recursive) ?: del(options, path, is_recursive, true);
	if (status == EXIT_OK || status == EXIT_PART)
		netnice_commit(&options->nn);
	else
		netnice_rollback(&options->nn, NULL, NULL);
	return status;
}

/* --- move --- */

const char move_help[] =
	"Usage: vifctl move [-v] PATH NEWPATH\n"
	"\n"
	"PATH := a VIF; VIFs below it and attachments move with it\n"
	"NEWPATH := its new path, on the same device";

int move_run(struct options *options, char **words)
{
	struct changes changes = { 0 };
	char *path, *to;
	int status;

	status = words_take_options("move", options, words, NULL) ?:
		 words_take_vif("move", *words, &path);
	if (!status && !words[1])
		status = usage_error("move", "the new path is missing");
	status = status ?: words_take_vif("move", words[1], &to) ?:
		 words_end("move", words[2]) ?: options_open(options);
	if (!status)
		changes_move(&changes, path, to);
	return changes_run(&changes, status, options, "move");
}
