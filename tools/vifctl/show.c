// SPDX-License-Identifier: GPL-2.0
/* vifctl show: what there is. Reading is tree.c's and attached.c's, printing show_*.c's. */
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

bool share_read(const struct vif_info *vif, enum param_id id,
		struct share *share)
{
	const char *text = vif->param[id];

	if (!text)
		return false;
	if (sscanf(text, "egress %u ingress %u", &share->egress, &share->ingress) == 2)
		return true;
	if (sscanf(text, "%u", &share->egress) != 1)
		return false;
	share->ingress = share->egress;
	return true;
}

static int show(const struct options *options, const struct scope *scope,
		const struct tree *tree)
{
	struct attachments attachments;
	struct genl genl;
	int status = EXIT_OK;

	if (genl_open(&genl))
		return EXIT_KERNEL;
	if (attachments_read(&attachments, &genl, scope->path)) {
		status = scope_failed("show", scope, &options->fs);
	} else if (options->json) {
		show_json(tree, &attachments, options->pretty);
	} else {
		show_text(tree, &attachments);
	}
	attachments_free(&attachments);
	genl_close(&genl);
	return status;
}

int show_run(struct options *options, char **words)
{
	struct scope scope;
	struct tree tree;
	int status;

	status = words_take_options("show", options, words, NULL);
	if (!status)
		status = scope_take("show", &scope, words);
	if (!status)
		status = options_open(options);
	if (status)
		return status;

	tree_init(&tree, TREE_SHARES |
			 (options->statistics ? TREE_STAT : 0));
	if (tree_read(&tree, &options->fs, scope.path))
		status = scope_failed("show", &scope, &options->fs);
	else
		status = show(options, &scope, &tree);
	tree_free(&tree);
	return status;
}
