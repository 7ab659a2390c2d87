// SPDX-License-Identifier: GPL-2.0
/* vifctl show: vif_list.c and attached.c read the tree, show_text.c and show_json.c print it. */
#include "show.h"

#include <linux/netnice.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "words.h"

const char show_help[] =
	"Usage: vifctl show [-j] [-p] [-s [-h]] [-d] [-br] [-c] [dev DEV | PATH]\n"
	"       vifctl show ... unit NAME\n"
	"\n"
	"DEV := a network device: its VIF and all below it\n"
	"PATH := a VIF, for example eth0/web or " NETNICE_MOUNT_POINT "/eth0/web\n"
	"NAME := a systemd unit, for example nginx.service: the VIF that it is attached to\n"
	"-s: also counters; with -h only nonzero ones, with units\n"
	"-d: also all parameters, the owner and the mode\n"
	"-br: one line for each VIF, with its whole path";

static int show(const struct options *options, const struct scope *scope)
{
	struct attachments attachments;
	struct vif_list list;

	if (vif_list_get(&list, &options->genl, scope->path,
			 VIF_SETTINGS | (options->statistics ? VIF_COUNTERS : 0)))
		return scope_failed("show", scope, &options->nn.fs);
	if (attachments_read(&attachments, &options->genl, scope->path)) {
		vif_list_free(&list);
		return scope_failed("show", scope, &options->nn.fs);
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

/* The one VIF that a target is attached to; in @path, to be freed. Return: the exit status. */
static int find_vif(const struct nnfs *fs, const struct target *target, const char *unit,
		    char **path)
{
	struct if_nameindex *all = if_nameindex();
	int status = EXIT_OK;
	char *vif;

	if (!all) {
		complain_errno("show: devices");
		return EXIT_KERNEL;
	}
	for (const struct if_nameindex *dev = all; !status && dev->if_index; dev++) {
		vif = target_vif(fs, target, dev->if_name);
		if (vif && *path) {
			complain("show: unit %s has several, %s and %s: give one of these", unit,
				 *path, vif);
			status = EXIT_USAGE;
			free(vif);
		} else if (vif) {
			*path = vif;
		}
	}
	if_freenameindex(all);
	if (status || *path)
		return status;
	complain("show: unit %s is not attached itself: netnice --show --unit %s says where it belongs",
		 unit, unit);
	return EXIT_KERNEL;
}

static int show_unit(struct options *options, char **words)
{
	struct target target;
	struct scope scope = { 0 };
	char *path = NULL;
	int status = words_take_target("show", &target, words) ?: words_end("show", words[2]) ?:
		     options_open(options) ?: options_open_genl(options) ?:
		     find_vif(&options->nn.fs, &target, words[1], &path);

	scope.path = path;
	status = status ?: show(options, &scope);
	free(target.name);
	free(path);
	return status;
}

int show_run(struct options *options, char **words)
{
	struct scope scope;
	int status = words_take_options("show", options, words, NULL);

	if (!status && *words && !strcmp(*words, WORD_UNIT))
		return show_unit(options, words);
	return status ?: scope_take("show", &scope, words) ?: options_open(options) ?:
	       options_open_genl(options) ?: show(options, &scope);
}
