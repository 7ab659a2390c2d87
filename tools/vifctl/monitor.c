// SPDX-License-Identifier: GPL-2.0
/* vifctl monitor: what happens to VIFs, a line each, as it happens. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "escape.h"
#include "event.h"
#include "genl.h"
#include "json.h"
#include "words.h"

void monitor_help(void)
{
	puts("Usage: vifctl monitor [-j] [dev DEV | PATH]\n"
	     "\n"
	     "DEV := a network device: its VIF and all below it\n"
	     "PATH := a VIF, as eth0/web: it and all below it\n"
	     "\n"
	     "Prints events, until it is ended: vif-new, vif-del, vif-set, vif-move, attach,\n"
	     "detach; lost: there were more than could be read.");
}

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

static void print_text(const struct event *event)
{
	fputs(event->name, stdout);
	if (event->old_path)
		put_word(event->old_path);
	if (event->path)
		put_word(event->path);
	for (size_t i = 0; i < PARAM_COUNT; i++)
		if (event->param[i])
			put_param(&params[i], event->param[i]);
	if (event->kind) {
		put_word(event->kind);
		put_word(event->target);
	}
	putchar('\n');
}

static void print_json(const struct event *event)
{
	struct json json = { 0 };
	char dev[IF_NAMESIZE];

	json_open(&json, NULL, '{');
	json_string(&json, "event", event->name);
	if (event->path) {
		path_device(event->path, dev);
		json_string(&json, "dev", dev);
		json_string(&json, "path", event->path);
	}
	if (event->old_path)
		json_string(&json, "old_path", event->old_path);
	for (size_t i = 0; i < PARAM_COUNT; i++)
		if (event->param[i])
			json_string(&json, params[i].name, event->param[i]);
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
	return !monitor->path || path_is_below(event->path, monitor->path) ||
	       (event->old_path &&
		path_is_below(event->old_path, monitor->path));
}

static int take_event(const struct nlmsghdr *message, void *arg)
{
	const struct monitor *monitor = arg;
	struct event event;

	if (!event_read(&event, message))
		return MNL_CB_OK;
	if (is_asked_for(monitor, &event))
		print(monitor, &event);
	event_free(&event);
	return MNL_CB_OK;
}

/* Return: the exit status, when it can not go on. */
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

	status = words_take_options("monitor", options, words, NULL);
	if (!status)
		status = scope_take("monitor", &scope, words);
	if (!status && genl_open_events(&genl))
		status = EXIT_KERNEL;
	if (status)
		return status;
	monitor.path = scope.path;
	status = follow(&monitor, &genl);
	genl_close(&genl);
	return status;
}
