// SPDX-License-Identifier: GPL-2.0
/* vifctl show: what there is. Reading is vif_list.c's and attached.c's, printing show_*.c's. */
#include "show.h"

#include <linux/netnice.h>
#include <stdio.h>
#include <string.h>

#include "words.h"

const char show_help[] =
	"Usage: vifctl show [-j] [-p] [-s [-h]] [-d] [-br] [-c] [dev DEV | PATH]\n"
	"\n"
	"DEV := a network device: its VIF and all below it\n"
	"PATH := a VIF, as eth0/web or " NETNICE_MOUNT_POINT "/eth0/web\n"
	"-s: and what has been counted; with -h what is not zero, with units\n"
	"-d: and all parameters, the owner and the mode\n"
	"-br: a line each, with its whole path, and nothing else";

static int show(const struct options *options, const struct scope *scope)
{
	struct attachments attachments;
	struct vif_list list;

	if (vif_list_get(&list, &options->genl, scope->path,
			 VIF_SETTINGS | (options->statistics ? VIF_COUNTERS : 0)))
		return scope_failed("show", scope, &options->fs);
	if (attachments_read(&attachments, &options->genl, scope->path)) {
		vif_list_free(&list);
		return scope_failed("show", scope, &options->fs);
	}
	colour_use(options->colour);
	if (options->json)
		show_json(&list, &attachments, options);
	else
		show_text(&list, &attachments, options);
	attachments_free(&attachments);
	vif_list_free(&list);
	return EXIT_OK;
}

int show_run(struct options *options, char **words)
{
	struct scope scope;

	return words_take_options("show", options, words, NULL) ?:
	       scope_take("show", &scope, words) ?: options_open(options) ?:
	       options_open_genl(options) ?: show(options, &scope);
}
