// SPDX-License-Identifier: GPL-2.0
/* vifctl monitor: print events of VIFs, one on each line, as they happen. */
#include <errno.h>
#include <linux/genetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "escape.h"
#include "event.h"
#include "failure.h"
#include "genl.h"
#include "json.h"
#include "netlink.h"
#include "vif_info.h"
#include "words.h"

const char monitor_help[] =
	"Usage: vifctl monitor [-j] [dev DEV | PATH]\n"
	"\n"
	"DEV := a network device: its VIF and all below it\n"
	"PATH := a VIF, for example eth0/web: it and all below it\n"
	"\n"
	"Prints events, until it is stopped: vif-new, vif-del, vif-set, vif-move, attach,\n"
	"detach; lost: events were lost because they could not be read fast enough, or the\n"
	"module was unloaded or loaded.";

struct monitor {
	const struct options *options;
	const char *path;		/* NULL: all */
	struct genl genl;
};

static void put_word(const char *word)
{
	putchar(' ');
	escape_put_word(stdout, word);
}

/* Words as they can be given to "vifctl set" */
static void put_param(const struct param *param, const char *value)
{
	if (param->initial && !strcmp(param->initial, value))
		return;
	printf(" %s %s", param->name, value);
}

/**
 * struct shown - an event as it is printed
 * @event: the event
 * @vif: "vif-...": the VIF
 * @target: "attach", "detach": name of the target
 */
struct shown {
	struct event event;
	struct vif_info vif;
	char target[ATTACHED_BYTES];
};

static void free_shown(struct shown *shown)
{
	event_free(&shown->event);
	vif_info_free(&shown->vif);
}

/* Sockets and groups have only numbers, so the kind is printed before the number. */
static void name_target(struct shown *shown)
{
	const struct attached *attached = &shown->event.attached;

	attached_label(attached, shown->target);
	if (attached->kind == TARGET_DEVICE)
		if_indextoname(attached->number, shown->target);
}

/* Return: false if it is no event, or incomplete. */
static bool read_shown(struct shown *shown, const struct nlmsghdr *message)
{
	struct attrs attrs;

	*shown = (struct shown) { 0 };
	if (!event_take(&shown->event, message))
		return false;
	if (shown->event.is_attachment) {
		name_target(shown);
		return true;
	}
	attrs_read(&attrs, message, sizeof(struct genlmsghdr));
	shown->event.is_lost = vif_info_take(&shown->vif, &attrs, VIF_SETTINGS);
	return !shown->event.is_lost;
}

static const char *kind_of(const struct shown *shown)
{
	return target_kinds[shown->event.attached.kind].word;
}

/* NULL: it is not known, for example if the VIF was removed. */
static const char *param_of(const struct shown *shown, size_t i)
{
	return shown->vif.is_readable ? shown->vif.param[i] : NULL;
}

static void print_text(const struct shown *shown)
{
	const struct event *event = &shown->event;

	fputs(event->name, stdout);
	if (event->old_path)
		put_word(event->old_path);
	if (event->path)
		put_word(event->path);
	for (size_t i = 0; i < PARAM_COUNT; i++)
		if (param_of(shown, i))
			put_param(&params[i], param_of(shown, i));
	if (shown->vif.stack) {
		put_word("stack");
		put_word(shown->vif.stack);
	}
	if (event->is_attachment) {
		put_word(kind_of(shown));
		put_word(shown->target);
	}
	putchar('\n');
}

static void print_json(const struct shown *shown)
{
	const struct event *event = &shown->event;
	struct json json = { 0 };

	json_open(&json, NULL, '{');
	json_version(&json);
	json_string(&json, "event", event->name);
	if (event->path)
		json_path(&json, event->path);
	if (event->old_path)
		json_string(&json, "old_path", event->old_path);
	for (size_t i = 0; i < PARAM_COUNT; i++)
		if (param_of(shown, i))
			json_string(&json, params[i].name, param_of(shown, i));
	if (shown->vif.stack)
		json_string(&json, "stack", shown->vif.stack);
	if (event->is_attachment) {
		json_string(&json, "kind", kind_of(shown));
		json_string(&json, "target", shown->target);
	}
	json_close(&json, '}');
}

static void print(const struct monitor *monitor, const struct shown *shown)
{
	if (monitor->options->json)
		print_json(shown);
	else
		print_text(shown);
	fflush(stdout);
}

static bool is_asked_for(const struct monitor *monitor, const struct event *event)
{
	return !monitor->path || path_is_below(event->path, monitor->path) ||
	       (event->old_path && path_is_below(event->old_path, monitor->path));
}

static const struct shown lost = { .event.name = "lost" };

static int take_event(const struct nlmsghdr *message, void *arg)
{
	struct monitor *monitor = arg;
	struct shown shown;
	int ret = genl_take_notice(&monitor->genl, message);

	if (ret > 0)
		print(monitor, &lost);
	if (ret)
		return ret > 0 ? MNL_CB_OK : MNL_CB_ERROR;
	if (message->nlmsg_type != monitor->genl.family)
		return MNL_CB_OK;
	if (read_shown(&shown, message)) {
		if (is_asked_for(monitor, &shown.event))
			print(monitor, &shown);
	} else if (shown.event.is_lost) {
		print(monitor, &lost);
	}
	free_shown(&shown);
	return MNL_CB_OK;
}

/* Return: the exit status, when it cannot continue. */
static int follow(struct monitor *monitor)
{
	char buf[64 * 1024];
	ssize_t len;

	while (!ferror(stdout)) {
		len = netlink_receive(mnl_socket_get_fd(monitor->genl.sock), buf, sizeof(buf));
		if (len < 0 && errno == ENOBUFS) {
			print(monitor, &lost);
		} else if ((len < 0 && errno != EINTR) ||
			   (len > 0 && mnl_cb_run(buf, len, 0, 0, take_event, monitor) < 0)) {
			complain_errno("monitor: netlink");
			return EXIT_KERNEL;
		}
	}
	return EXIT_KERNEL;
}

int monitor_run(struct options *options, char **words)
{
	struct monitor monitor = { .options = options };
	struct scope scope;
	char why[NNFS_SENTENCE_MAX];
	int status;

	status = words_take_options("monitor", options, words, NULL) ?:
		 scope_take("monitor", &scope, words) ?:
		 (genl_open_events(&monitor.genl) ? EXIT_KERNEL : EXIT_OK);
	if (status)
		return status;
	if (genl_watch_family(&monitor.genl, why)) {
		complain("monitor: %s", why);
		return EXIT_KERNEL;
	}
	monitor.path = scope.path;
	if (scope.path) {
		status = options_open(options) ?: scope_check("monitor", &scope, &options->nn.fs);
		/* an open file would keep the file system mounted, and the module loaded */
		options_close(options);
	}
	status = status ?: follow(&monitor);
	genl_close(&monitor.genl);
	return status;
}
