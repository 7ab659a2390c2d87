// SPDX-License-Identifier: GPL-2.0
/*
 * One thread waits (epoll) for processes, control groups, devices, the timer of rates, and signals.
 * Users can cause some of these events as often as they like. So a limited number of events is read
 * from each source in turn, whatever the other sources have.
 */
#include "daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "act.h"
#include "clock.h"
#include "devices.h"
#include "events.h"
#include "groups.h"
#include "log.h"
#include "match.h"
#include "memory.h"
#include "names.h"
#include "notify.h"
#include "own.h"
#include "patterns.h"
#include "pending.h"
#include "place.h"
#include "quotas.h"
#include "rates.h"
#include "signals.h"
#include "store.h"
#include "tree.h"
#include "users.h"

/* The least time between two checks of everything after lost events */
#define REST_NS		SECOND_NS

static struct {
	struct rules *rules;
	char *const *path;
	size_t paths;
	struct placing placing;
	int epoll;
	bool lost;		/* events were lost: everything has to be checked */
	uint64_t looked_ns;	/* when that was done last */
	bool over;
	int status;
} self;

static int watch(int fd, void (*read)(void))
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = read };

	if (fd >= 0 && !epoll_ctl(self.epoll, EPOLL_CTL_ADD, fd, &event))
		return 0;
	if (fd >= 0 && errno != EEXIST)
		log_say(LOG_ERROR, "epoll: %s", strerror(errno));
	return fd >= 0 && errno == EEXIST ? 0 : -1;
}

/* --- groups ------------------------------------------------------------------------ */

static void found_group(const char *path)
{
	place_group(&self.placing, path);
}

static bool want_groups(const struct rules *rules)
{
	for (size_t i = 0; i < rules->rules; i++)
		if (rule_is_of_groups(&rules->rule[i]))
			return true;
	return false;
}

static void read_groups(void)
{
	self.lost = groups_read() || self.lost;
}

/* Links of the rules before may have to go. */
static enum groups_below below_group(const char *path)
{
	if (match_group_below(self.rules, path))
		return GROUPS_WATCH;
	return self.placing.previous && match_group_below(self.placing.previous, path) ?
	       GROUPS_LOOK : GROUPS_NONE;
}

static const struct groups_ops groups_ops = { found_group, below_group };

/* Also if only the previous rules are about groups: these groups are checked once more. */
static int watch_groups(const struct rules *previous)
{
	int fd[GROUPS_QUEUES], ret = 0;

	groups_close();
	if (!want_groups(self.rules) && !(previous && want_groups(previous)))
		return 0;
	if (groups_open(&groups_ops, fd))
		return -1;
	for (int queue = 0; !ret && queue < GROUPS_QUEUES; queue++)
		ret = watch(fd[queue], read_groups);
	return ret;
}

/* --- processes --------------------------------------------------------------------- */

static void look_at_all(const struct rules *previous)
{
	self.placing.previous = previous;
	groups_all();
	place_all(&self.placing);
	self.placing.previous = NULL;
}

static void place_pending(void)
{
	pid_t pid;

	/* users choose how long one takes (match.c) */
	while (!signals_end() && (pid = pending_take()))
		place_process(&self.placing, pid);
}

static void place_later(pid_t pid)
{
	if (pending_add(pid))
		return;
	place_pending();
	pending_add(pid);
}

/* Several events of a process follow each other: a fork, a new program, a user. */
static void take_event(const struct event *event)
{
	switch (event->kind) {
	case EVENT_FORK:
		/* the child inherits the parent's VIF, so the parent is placed first */
		if (pending_drop(event->parent))
			place_process(&self.placing, event->parent);
		place_child(event->pid, event->parent, event->time_ns);
		place_later(event->pid);
		break;
	case EVENT_CHANGE:
		place_later(event->pid);
		break;
	case EVENT_EXIT:
		memory_drop_all_of(event->pid);
		break;
	case EVENT_LOST:
		if (!self.lost)
			log_say(LOG_WARN, "events of processes were lost: checking all processes");
		self.lost = true;
		break;
	}
}

static void read_events(void)
{
	if (events_read(take_event)) {
		self.over = true;
		self.status = EXIT_FAILURE;
	}
	place_pending();
	rates_start(self.rules);
}

static void read_rates(void)
{
	rates_read(self.rules);
}

static void read_quotas(void)
{
	quotas_read(self.rules);
}

static void read_users(void)
{
	if (users_read(self.rules))
		look_at_all(NULL);
}

/* --- names ------------------------------------------------------------------------- */

/* A host without names is not made to show what it sends. */
static void watch_names(void)
{
	int fd;

	if (!names_any()) {
		names_close();
		return;
	}
	fd = names_open();
	if (fd >= 0)
		watch(fd, names_read);
}

/* --- devices ----------------------------------------------------------------------- */

/* Its first VIF is missing: it could not be made before. */
static bool lacks_vifs(const char *device)
{
	for (size_t i = 0; i < self.rules->vifs; i++) {
		const char *vif = self.rules->vif[i].path;

		if (strchr(vif, '/') && path_is_below(vif, device))
			return !act_is_vif(vif);
	}
	return false;
}

static void device_came(const char *name, bool is_new, bool is_called, void *arg)
{
	bool *came = arg;

	/* udev gives alternative names to what is there already */
	if (is_new || (is_called && !tree_has_device(self.rules, name)))
		is_new |= patterns_follow(self.rules);
	if (!tree_has_device(self.rules, name) || !act_is_vif(name) ||
	    !(is_new || lacks_vifs(name)))
		return;
	log_say(LOG_NOTE, "device %s: making its VIFs", name);
	tree_update_device(self.rules, name);
	quotas_start(self.rules);
	watch_names();
	*came = true;
}

static void read_devices(void)
{
	bool came = false;

	devices_read(device_came, &came);
	if (came)
		look_at_all(NULL);
}

/* --- signals ----------------------------------------------------------------------- */

static void change_rules(struct rules *rules)
{
	struct rules *previous = self.rules;

	quotas_keep(previous);
	own_lower(rules, previous);
	tree_lower(rules, previous);
	tree_update(rules, previous);
	own_update(rules, previous);
	watch_names();
	rates_forget();
	self.rules = rules;
	self.placing.rules = rules;
	watch_groups(previous);
	look_at_all(previous);
	tree_remove_dropped(rules, previous);
	if (!want_groups(rules))
		groups_close();
	rules_free(previous);
	rates_start(rules);
	users_start(rules);
	quotas_keep(rules);
	quotas_start(rules);
}

/* @kept: the rules that were read last have errors, and the previous ones are in force */
static void say_ready(bool kept)
{
	char status[128];

	if (kept)
		snprintf(status, sizeof(status), "the rules have errors: the previous rules are in force");
	else if (self.rules->errors)
		snprintf(status, sizeof(status), "%u errors in the rules: the rest is in force",
			 self.rules->errors);
	else if (self.rules->unknown)
		snprintf(status, sizeof(status), "watching; some users in the rules are unknown");
	else
		snprintf(status, sizeof(status), "watching");
	notify_ready_with(status);
}

static void reload(void)
{
	struct rules *rules;

	notify_reloading();
	rules = rules_read(self.path, self.paths, true);
	if (rules) {
		change_rules(rules);
		log_say(LOG_NOTE, "reloaded: %zu VIFs, %zu rules",
			rules->vifs, rules->rules);
	} else {
		log_say(LOG_ERROR, "the rules have errors: the previous rules stay in force");
	}
	say_ready(!rules);
}

static void read_signals(void)
{
	int signal = signals_read();

	if (signal == SIGHUP)
		reload();
	else if (signal)
		self.over = true;
}

/* --- all together ------------------------------------------------------------------- */

static void begin(struct rules *rules)
{
	self.rules = rules;
	self.placing.rules = rules;
}

void daemon_look(struct rules *rules)
{
	begin(rules);
	self.epoll = epoll_create1(EPOLL_CLOEXEC);
	tree_update(rules, NULL);
	watch_groups(NULL);
	self.placing.adopting = true;
	look_at_all(rules);
	groups_close();
}

static int open_all(void)
{
	self.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (watch(signals_open(), read_signals) ||
	    watch(events_open(), read_events) ||
	    watch(devices_open(), read_devices) ||
	    watch(rates_open(), read_rates) ||
	    watch(users_open(), read_users) ||
	    watch(quotas_open(), read_quotas) || watch_groups(NULL))
		return -1;
	return 0;
}

/* Milliseconds until everything is checked again; -1: this is not planned. */
static int until_look(void)
{
	const uint64_t due = self.looked_ns + REST_NS, now = clock_ns(CLOCK_MONOTONIC);

	if (!self.lost)
		return -1;
	return due > now ? (due - now) / 1000000 + 1 : 0;
}

/* Events may be lost again at once. Other work has its turn before the next check. */
static void look_again(void)
{
	self.lost = false;
	look_at_all(NULL);
	rates_start(self.rules);
	self.looked_ns = clock_ns(CLOCK_MONOTONIC);
}

static void wait_once(void)
{
	struct epoll_event event;
	void (*read)(void);

	if (epoll_wait(self.epoll, &event, 1, until_look()) == 1) {
		read = event.data.ptr;
		read();
	}
	if (!until_look() && !self.over)
		look_again();
}

/* Events are registered before the first scan, so that no process is missed. */
int daemon_run(struct rules *rules, char *const *path, size_t count)
{
	begin(rules);
	self.path = path;
	self.paths = count;
	if (open_all()) {
		rules_free(rules);
		return EXIT_FAILURE;
	}
	tree_update(self.rules, NULL);
	own_update(self.rules, NULL);
	watch_names();
	self.placing.adopting = true;
	look_at_all(self.rules);
	self.placing.adopting = false;
	rates_start(self.rules);
	users_start(self.rules);
	quotas_keep(self.rules);
	quotas_start(self.rules);
	if (self.rules->errors)
		log_say(LOG_ERROR, "the rules have errors: rules without errors are in force");
	log_say(LOG_NOTE, "watching: %zu VIFs, %zu rules", self.rules->vifs,
		self.rules->rules);
	say_ready(false);
	while (!self.over)
		wait_once();
	notify_stopping();
	quotas_keep(self.rules);
	store_close();
	groups_close();
	names_close();
	names_forget(NULL);
	rates_forget();
	rules_free(self.rules);
	return self.status;
}
