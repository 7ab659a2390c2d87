// SPDX-License-Identifier: GPL-2.0
/* vifctl show: what there is. Reading is listing.c's and attached.c's, printing show_*.c's. */
#include "show.h"

#include <linux/netnice.h>
#include <stdio.h>
#include <string.h>

#include "words.h"

void show_help(void)
{
	puts("Usage: vifctl show [-j] [-p] [-s] [dev DEV | PATH]\n"
	     "\n"
	     "DEV := a network device: its VIF and all below it\n"
	     "PATH := a VIF, as eth0/web or " NETNICE_MOUNT_POINT "/eth0/web");
}

static int show(const struct options *options, const struct scope *scope,
		const struct genl *genl)
{
	struct attachments attachments;
	struct listing listing;

	if (listing_read(&listing, genl, scope->path, options->statistics))
		return scope_failed("show", scope, &options->fs);
	if (attachments_read(&attachments, genl, scope->path)) {
		listing_free(&listing);
		return scope_failed("show", scope, &options->fs);
	}
	if (options->json)
		show_json(&listing, &attachments, options->pretty);
	else
		show_text(&listing, &attachments);
	attachments_free(&attachments);
	listing_free(&listing);
	return EXIT_OK;
}

int show_run(struct options *options, char **words)
{
	struct scope scope;
	struct genl genl;
	int status;

	status = words_take_options("show", options, words, NULL);
	if (!status)
		status = scope_take("show", &scope, words);
	if (!status)
		status = options_open(options);
	if (!status && genl_open(&genl))
		status = EXIT_KERNEL;
	if (status)
		return status;
	status = show(options, &scope, &genl);
	genl_close(&genl);
	return status;
}
