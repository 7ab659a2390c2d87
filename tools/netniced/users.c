// SPDX-License-Identifier: GPL-2.0
#include "users.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"
#include "privilege.h"

/* Seconds between two times; a search ends before the next one. */
#define EVERY_S		60
#define SEARCH_S	50

/* Of the searching process, which has no other descriptors above those of stdio */
#define RESULTS_FD	3

/* The answer that the searching process writes at once. @round: number of the rules */
struct found {
	unsigned int round, rule, word, id;
	bool is_group;
};

static int poll_both = -1, timer = -1, results[2] = { -1, -1 };
static unsigned int round_of_rules;
static pid_t searching;

static struct ids *ids_of(const struct rules *rules, unsigned int rule, bool is_group)
{
	return is_group ? &rules->rule[rule].group : &rules->rule[rule].user;
}

/* --- the process that searches ------------------------------------------------------- */

static void search_ids(const struct rules *rules, unsigned int rule, bool is_group)
{
	const struct words *unknown = &ids_of(rules, rule, is_group)->unknown;
	struct found found = { .round = round_of_rules, .rule = rule, .is_group = is_group };

	for (found.word = 0; found.word < unknown->count; found.word++) {
		const char *name = unknown->word[found.word];

		if (name && (is_group ? word_group : word_user)(name, &found.id) &&
		    write(results[1], &found, sizeof(found)) < 0)
			return;
	}
}

static void search(const struct rules *rules)
{
	sigset_t none;

	/*
	 * The daemon closes descriptors meanwhile. Its epoll would report what they refer to as
	 * long as a copy is open.
	 */
	if (dup2(results[1], RESULTS_FD) < 0)
		_exit(EXIT_FAILURE);
	results[1] = RESULTS_FD;
	syscall(SYS_close_range, RESULTS_FD + 1, ~0U, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* libraries that the administrator names in nsswitch.conf run here */
	if (privilege_keep(0))
		_exit(EXIT_FAILURE);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(SEARCH_S);
	for (size_t i = 0; i < rules->rules; i++) {
		search_ids(rules, i, false);
		search_ids(rules, i, true);
	}
	_exit(EXIT_SUCCESS);
}

/* --- the daemon ---------------------------------------------------------------------- */

static bool is_known(const struct ids *ids)
{
	for (size_t i = 0; i < ids->unknown.count; i++)
		if (ids->unknown.word[i])
			return false;
	return true;
}

static bool want_search(const struct rules *rules)
{
	for (size_t i = 0; i < rules->rules; i++)
		if (!is_known(&rules->rule[i].user) || !is_known(&rules->rule[i].group))
			return true;
	return false;
}

static int add(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return fd < 0 ? -1 : epoll_ctl(poll_both, EPOLL_CTL_ADD, fd, &event);
}

int users_open(void)
{
	poll_both = epoll_create1(EPOLL_CLOEXEC);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (poll_both >= 0 && !pipe2(results, O_CLOEXEC | O_NONBLOCK) && !add(timer) &&
	    !add(results[0]))
		return poll_both;
	log_say(LOG_ERROR, "users: %s", strerror(errno));
	return -1;
}

void users_start(const struct rules *rules)
{
	struct itimerspec every = { 0 };

	round_of_rules++;
	if (want_search(rules) || searching)
		every.it_interval.tv_sec = every.it_value.tv_sec = EVERY_S;
	timerfd_settime(timer, 0, &every, NULL);
}

static void reap(void)
{
	if (searching && waitpid(searching, NULL, WNOHANG))
		searching = 0;
}

static void begin_search(const struct rules *rules)
{
	if (searching)
		return;
	searching = fork();
	if (!searching)
		search(rules);
	if (searching > 0)
		return;
	log_say(LOG_ERROR, "users: fork: %s", strerror(errno));
	searching = 0;
}

static bool take(struct rules *rules, const struct found *found)
{
	struct ids *ids;
	char **name;

	if (found->round != round_of_rules)
		return false;
	ids = ids_of(rules, found->rule, found->is_group);
	name = &ids->unknown.word[found->word];
	if (!*name)
		return false;
	log_say(LOG_NOTE, "[rule %s] %s %s is known now: %u", rules->rule[found->rule].name,
		found->is_group ? "group" : "user", *name, found->id);
	ids->id[ids->count++] = (struct id_range) { found->id, found->id };
	free(*name);
	*name = NULL;
	return true;
}

bool users_read(struct rules *rules)
{
	struct found found;
	uint64_t ticks;
	bool any = false, is_time;

	while (read(results[0], &found, sizeof(found)) == sizeof(found))
		any = take(rules, &found) || any;
	is_time = read(timer, &ticks, sizeof(ticks)) == sizeof(ticks);
	reap();
	if (is_time && want_search(rules))
		begin_search(rules);
	/* the last search is reaped at the next time */
	if ((any || is_time) && !want_search(rules))
		users_start(rules);
	return any;
}
