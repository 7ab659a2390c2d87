// SPDX-License-Identifier: GPL-2.0
/* vifctl monitor: what happens to VIFs, a line each, as it happens. */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netnice_netlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attached.h"
#include "complain.h"
#include "escape.h"
#include "genl.h"
#include "json.h"
#include "vif_info.h"
#include "words.h"

const char monitor_help[] =
	"Usage: vifctl monitor [-j] [dev DEV | PATH]\n"
	"\n"
	"DEV := a network device: its VIF and all below it\n"
	"PATH := a VIF, for example eth0/web: it and all below it\n"
	"\n"
	"Prints events, until it is stopped: vif-new, vif-del, vif-set, vif-move, attach,\n"
	"detach; lost: events were lost because they could not be read fast enough.";

struct monitor {
	const struct options *options;
	const char *path;		/* NULL: all */
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
 * struct event - what has happened
 * @name: "vif-new", "vif-del", "vif-set", "vif-move", "attach", "detach", "lost"
 * @vif: to which VIF; of those of attachments the path only
 * @old_path: "vif-move": where it was; or NULL
 * @attached: "attach", "detach": what; @target is what it is called
 */
struct event {
	const char *name;
	struct vif_info vif;
	char *old_path;
	struct attached attached;
	const char *kind;
	char target[ATTACHED_BYTES];
};

static void free_event(struct event *event)
{
	vif_info_free(&event->vif);
	free(event->old_path);
	attached_free(&event->attached);
}

/* Return: false if it is none, or incomplete. */
typedef bool (*read_fn)(struct event *event, const struct nlmsghdr *message);

static bool read_vif(struct event *event, const struct nlmsghdr *message)
{
	struct attrs attrs;

	attrs_read(&attrs, message, sizeof(struct genlmsghdr));
	event->old_path = path_join(attrs_string(&attrs, NETNICE_A_VIF_DEVICE),
				    attrs_string(&attrs, NETNICE_A_VIF_OLD_PATH));
	return !vif_info_take(&event->vif, &attrs, VIF_SETTINGS);
}

/* Sockets and groups have numbers only, which are no names: what they are goes before. */
static bool read_attachment(struct event *event, const struct nlmsghdr *message)
{
	struct attached *attached = &event->attached;

	if (attached_take(attached, message))
		return false;
	event->vif.path = strdup(attached->path);
	event->kind = target_kinds[attached->kind].word;
	attached_label(attached, event->target);
	if (attached->kind == TARGET_DEVICE)
		if_indextoname(attached->number, event->target);
	return event->vif.path;
}

static bool read_event(struct event *event, const struct nlmsghdr *message)
{
	static const struct {
		const char *name;
		read_fn read;
	} commands[] = {
		[NETNICE_CMD_VIF_NEW] = { "vif-new", read_vif },
		[NETNICE_CMD_VIF_DEL] = { "vif-del", read_vif },
		[NETNICE_CMD_VIF_SET] = { "vif-set", read_vif },
		[NETNICE_CMD_VIF_MOVE] = { "vif-move", read_vif },
		[NETNICE_CMD_ATTACH] = { "attach", read_attachment },
		[NETNICE_CMD_DETACH] = { "detach", read_attachment },
	};
	const struct genlmsghdr *genlmsg = mnl_nlmsg_get_payload(message);

	*event = (struct event) { 0 };
	if (mnl_nlmsg_get_payload_len(message) < sizeof(*genlmsg) ||
	    genlmsg->cmd >= sizeof(commands) / sizeof(*commands) ||
	    !commands[genlmsg->cmd].name)
		return false;
	event->name = commands[genlmsg->cmd].name;
	return commands[genlmsg->cmd].read(event, message);
}

/* NULL: it is not known, as that of a VIF that was removed. */
static const char *param_of(const struct event *event, size_t i)
{
	return event->vif.is_readable ? event->vif.param[i] : NULL;
}

static void print_text(const struct event *event)
{
	fputs(event->name, stdout);
	if (event->old_path)
		put_word(event->old_path);
	if (event->vif.path)
		put_word(event->vif.path);
	for (size_t i = 0; i < PARAM_COUNT; i++)
		if (param_of(event, i))
			put_param(&params[i], param_of(event, i));
	if (event->vif.stack) {
		put_word("stack");
		put_word(event->vif.stack);
	}
	if (event->kind) {
		put_word(event->kind);
		put_word(event->target);
	}
	putchar('\n');
}

static void print_json(const struct event *event)
{
	struct json json = { 0 };

	json_open(&json, NULL, '{');
	json_version(&json);
	json_string(&json, "event", event->name);
	if (event->vif.path)
		json_path(&json, event->vif.path);
	if (event->old_path)
		json_string(&json, "old_path", event->old_path);
	for (size_t i = 0; i < PARAM_COUNT; i++)
		if (param_of(event, i))
			json_string(&json, params[i].name, param_of(event, i));
	if (event->vif.stack)
		json_string(&json, "stack", event->vif.stack);
	if (event->kind) {
		json_string(&json, "kind", event->kind);
		json_string(&json, "target", event->target);
	}
	json_close(&json, '}');
}

static void print(const struct monitor *monitor, const struct event *event)
{
	if (monitor->options->json)
		print_json(event);
	else
		print_text(event);
	fflush(stdout);
}

static bool is_asked_for(const struct monitor *monitor,
			 const struct event *event)
{
	return !monitor->path || path_is_below(event->vif.path, monitor->path) ||
	       (event->old_path &&
		path_is_below(event->old_path, monitor->path));
}

static int take_event(const struct nlmsghdr *message, void *arg)
{
	const struct monitor *monitor = arg;
	struct event event;

	if (read_event(&event, message) && is_asked_for(monitor, &event))
		print(monitor, &event);
	free_event(&event);
	return MNL_CB_OK;
}

/* Return: the exit status, when it cannot go on. */
static int follow(struct monitor *monitor, struct genl *genl)
{
	static const struct event lost = { .name = "lost" };
	char buf[64 * 1024];
	ssize_t len;

	while (!ferror(stdout)) {
		len = mnl_socket_recvfrom(genl->sock, buf, sizeof(buf));
		if (len < 0 && errno == ENOBUFS) {
			print(monitor, &lost);
		} else if (len < 0 && errno != EINTR) {
			complain_errno("monitor: netlink");
			return EXIT_KERNEL;
		} else if (len > 0) {
			mnl_cb_run(buf, len, 0, 0, take_event, monitor);
		}
	}
	return EXIT_KERNEL;
}

int monitor_run(struct options *options, char **words)
{
	struct monitor monitor = { .options = options };
	struct scope scope;
	struct genl genl;
	int status;

	status = words_take_options("monitor", options, words, NULL) ?:
		 scope_take("monitor", &scope, words) ?:
		 (genl_open_events(&genl) ? EXIT_KERNEL : EXIT_OK);
	if (status)
		return status;
	monitor.path = scope.path;
	if (scope.path) {
		status = options_open(options) ?: scope_check("monitor", &scope, &options->fs);
		/* an open file would keep the file system mounted, and the module loaded */
		options_close(options);
	}
	status = status ?: follow(&monitor, &genl);
	genl_close(&genl);
	return status;
}
