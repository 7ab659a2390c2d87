// SPDX-License-Identifier: GPL-2.0
/* vifctl save: the tree as a file (wanted.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "kept.h"
#include "wanted.h"
#include "words.h"

const char save_help[] =
	"Usage: vifctl save [dev DEV | PATH]\n"
	"\n"
	"DEV := a network device: its VIF and all below it\n"
	"PATH := a VIF, for example eth0/web\n"
	"\n"
	"Prints a file for \"vifctl restore\". Attachments of processes, threads and sockets\n"
	"are not saved, nor VIFs that are removed with these (autoremove).";

static void put_value(const char *value)
{
	char *words = strdup(value), *save, *word;

	for (word = words ? strtok_r(words, " ", &save) : NULL; word;
	     word = strtok_r(NULL, " ", &save)) {
		putchar(' ');
		escape_put_word(stdout, word);
	}
	putchar('\n');
	free(words);
}

/* What is as it would be without a word about it needs none. */
static void put_params(const struct vif_info *vif)
{
	for (size_t i = 0; i < PARAM_COUNT; i++) {
		char *initial = wanted_initial(vif->path, &params[i]);

		if (vif->param[i] && (!initial ||
				      strcmp(initial, vif->param[i]))) {
			printf("\t%s", params[i].name);
			put_value(vif->param[i]);
		}
		free(initial);
	}
}

static void put_path(const char *keyword, const char *path)
{
	printf("%s ", keyword);
	escape_put_word(stdout, path);
	putchar('\n');
}

static void put_vif(const struct vif_info *vif)
{
	if (!vif->depth)
		put_path("tree", vif->path);
	put_path("vif", vif->path);
	put_params(vif);
	for (size_t i = 0; i < vif->n_links; i++) {
		printf("\t%s ", vif->link[i].kind->word);
		escape_put_word(stdout, vif->link[i].name);
		putchar('\n');
	}
}

int save_run(struct options *options, char **words)
{
	struct vif_list list = { 0 };
	struct scope scope;
	int status;

	status = words_take_options("save", options, words, NULL) ?:
		 scope_take("save", &scope, words) ?: options_open(options) ?:
		 options_open_genl(options);
	if (status)
		return status;
	if (kept_read(&list, &options->genl, scope.path) ||
	    kept_finish(&list, &options->genl, &options->nn.fs))
		status = scope_failed("save", &scope, &options->nn.fs);
	/* it has gone just now */
	if (!status && scope.path && !list.count) {
		errno = ENOENT;
		status = scope_failed("save", &scope, &options->nn.fs);
	}
	for (size_t i = 0; !status && i < list.count; i++)
		if (!kept_is_transient(&list, &list.vif[i]))
			put_vif(&list.vif[i]);
	vif_list_free(&list);
	return status;
}
