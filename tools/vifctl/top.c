// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl top: VIFs and their traffic, live. top_model.c has the numbers, top_list.c selects and
 * sorts lines, top_screen.c and top_print.c print them. This file has the loop, with time, keys and
 * signals.
 */
#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "clock.h"
#include "complain.h"
#include "pid.h"
#include "terminal.h"
#include "top_act.h"
#include "top_print.h"
#include "top_record.h"
#include "top_screen.h"
#include "words.h"

#define SCOPES_MAX	64

/* A sequence that a key sends comes at once, but not always in one piece. */
#define SEQUENCE_MS	50

const char top_help[] =
	"Usage: vifctl top [-j] [-p] [-s] [-d SECONDS] [-n COUNT] [--record FILE] [dev DEV | PATH]...\n"
	"       vifctl top [-j] [-p] [-d SECONDS] [-n COUNT] --replay FILE\n"
	"\n"
	"DEV := a network device: its VIF and all below it\n"
	"PATH := a VIF, for example eth0/web: it and all below it\n"
	"-d, --interval SECONDS: interval (default: 1)\n"
	"-n, --count COUNT: exit after this number of intervals\n"
	"-s: also print sockets\n"
	"--record FILE: also write each interval to FILE; --replay FILE: show such a file\n"
	"\n"
	"On a terminal, keys are:";

void keys_help(void)
{
	for (const char *const *line = top_view_keys; *line; line++)
		printf("  %s\n", *line);
	puts("Without a terminal, or with -j, each interval is a block of lines, or a JSON object.");
}

struct top {
	struct options *options;
	struct genl genl;		/* of @options, and for a record */
	struct top_record record;	/* that is written */
	struct top_record replay;	/* that is shown, instead of what there is */
	struct scope scope[SCOPES_MAX];
	size_t n_scopes;		/* 0: all devices */
	unsigned long long count;	/* 0: no end */
	struct top_model model;
	struct top_list list;
	struct top_view view;
	struct top_sockets sockets;
	bool is_over;			/* @replay is at its end */
	bool has_sockets;		/* the last look has found @sockets */
	struct canvas canvas;
	unsigned long long asked_start;	/* when the process began that a question is about; 0: there is none */
};

/* --- what was asked for --- */

static int take_scopes(struct top *top, char **words)
{
	struct scope *scope;
	int status = EXIT_OK;

	while (!status && *words) {
		if (top->n_scopes == SCOPES_MAX)
			return usage_error("top", "too many words: '%s'", *words);
		scope = &top->scope[top->n_scopes++];
		status = scope_take_next("top", scope, &words);
		/* the mount point: all of it */
		if (!status && !scope->path) {
			top->n_scopes = 0;
			while (*words)
				words++;
		}
	}
	return status;
}

static int take_words(struct top *top, struct options *options, char **words)
{
	const char *interval = NULL, *count = NULL, *record = NULL, *replay = NULL;
	const struct flag flags[] = {
		{ "-d", .word = &interval }, { "--interval", .word = &interval },
		{ "-n", .word = &count }, { "--count", .word = &count },
		{ "--record", .word = &record }, { "--replay", .word = &replay },
		{ .name = NULL }
	};
	int status;

	status = words_take_options("top", options, words, flags) ?:
		 words_take_seconds("top", &top->view.interval_s, interval, TOP_INTERVAL_MIN_S,
				    TOP_INTERVAL_MAX_S) ?:
		 words_take_count("top", &top->count, count) ?:
		 take_scopes(top, words);
	if (!status && replay && (record || top->n_scopes || options->statistics))
		status = usage_error("top", "--replay shows all that is in a record, which has no sockets: no --record, VIF or -s with it");
	if (!status && ((record && top_record_create(&top->record, record)) ||
			(replay && top_record_open(&top->replay, replay))))
		status = EXIT_KERNEL;
	return status;
}

/* --- samples --- */

/* On the screen that stays */
static int fail(const char *what)
{
	const int err = errno;

	terminal_leave();
	errno = err;
	complain_errno("top: %s", what);
	return EXIT_KERNEL;
}

static int no_vif(const struct top *top, const struct scope *scope)
{
	errno = ENOENT;
	return scope_failed("top", scope, &top->options->nn.fs);
}

/* What has gone since is shown no more; what never was there is a mistake. */
static int read_scopes(struct top *top, struct vif_list *list)
{
	const bool is_first = !top->model.time_ns;

	if (!top->n_scopes && vif_list_read(list, &top->genl, NULL, VIF_COUNTERS))
		return fail("netlink");
	for (size_t i = 0; i < top->n_scopes; i++) {
		const struct scope *scope = &top->scope[i];

		if (!vif_list_read(list, &top->genl, scope->path, VIF_COUNTERS))
			continue;
		if (errno != ENOENT)
			return fail("netlink");
		if (is_first)
			return no_vif(top, scope);
	}
	return EXIT_OK;
}

/* At each look, so that rates are of the interval that VIFs have */
static void look_at_sockets(struct top *top, uint64_t time_ns)
{
	top->has_sockets = top->view.with_sockets && !top->replay.file &&
			   !top_sockets_look(&top->sockets, &top->genl, time_ns);
}

/* And keeps what has come */
static int record_scopes(struct top *top, struct vif_list *list, uint64_t time_ns)
{
	char *messages = NULL;
	size_t size = 0;
	int status;

	top->genl.copy = open_memstream(&messages, &size);
	if (!top->genl.copy)
		return fail("memory");
	status = read_scopes(top, list);
	if (fclose(top->genl.copy))
		size = 0;
	top->genl.copy = NULL;
	if (!status && top_record_write(&top->record, time_ns, messages, size))
		status = fail("record");
	free(messages);
	return status;
}

/* At the end of a record what was there last stays. */
static int replay(struct top *top, struct vif_list *list, uint64_t *time_ns)
{
	const int ret = top_record_read(&top->replay, list, time_ns);

	top->is_over = ret > 0;
	return ret < 0 ? fail("record") : EXIT_OK;
}

static int take_sample(struct top *top)
{
	uint64_t time_ns = clock_ns(CLOCK_MONOTONIC);
	struct vif_list list = { 0 };
	int status = top->replay.file ? replay(top, &list, &time_ns) :
		     top->record.file ? record_scopes(top, &list, time_ns) :
					read_scopes(top, &list);

	if (top->is_over) {
		top->view.is_paused = true;
		vif_list_free(&list);
		return status;
	}
	look_at_sockets(top, time_ns);

	if (!status) {
		vif_list_sort(&list);
		if (top_model_update(&top->model, &list, time_ns) ||
		    top_list_make(&top->list, &top->model, &top->view.order))
			status = fail("memory");
	}
	vif_list_free(&list);
	return status;
}

static uint64_t interval_ns(const struct top *top)
{
	return top->view.interval_s * 1e9;
}

/* --- without a terminal --- */

static void sleep_until(uint64_t time_ns)
{
	const struct timespec until = {
		time_ns / SECOND_NS, time_ns % SECOND_NS
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) ==
	       EINTR)
		;
}

static int print(struct top *top)
{
	struct top_sockets *sockets = top->view.with_sockets ? &top->sockets : NULL;
	int ret = sockets && !top->has_sockets ? -1 : 0;

	if (!ret && top->options->json)
		ret = top_print_json(&top->model, &top->list, sockets,
				     top->options->pretty);
	else if (!ret)
		ret = top_print_text(&top->model, &top->list, sockets);
	if (ret)
		fail("sockets");
	return ret || fflush(stdout) || ferror(stdout) ? EXIT_KERNEL : EXIT_OK;
}

/* A block is of what lies between two samples. */
static int run_lines(struct top *top)
{
	uint64_t next = clock_ns(CLOCK_MONOTONIC);
	int status = take_sample(top);

	for (unsigned long long i = 0; !status && (!top->count || i < top->count);
	     i++) {
		next += interval_ns(top);
		/* what was missed is not made up for */
		if (next < clock_ns(CLOCK_MONOTONIC))
			next = clock_ns(CLOCK_MONOTONIC) + interval_ns(top);
		if (!top->replay.file)
			sleep_until(next);
		status = take_sample(top);
		if (top->is_over)
			break;
		if (!status)
			status = print(top);
	}
	return status;
}

/* --- with one --- */

/* Those of the selected VIF; NULL: they are not known. */
static struct top_sockets *choose_sockets(struct top *top)
{
	size_t row = top_list_find(&top->list, top->view.selected);

	/* they may just have been asked for */
	if (top->view.with_sockets && !top->has_sockets)
		look_at_sockets(top, clock_ns(CLOCK_MONOTONIC));
	return top->has_sockets && row < top->list.count &&
	       !top_sockets_choose(&top->sockets, top->list.row[row].vif->now.path) ?
	       &top->sockets : NULL;
}

static bool is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* At once, so that nothing flickers. */
static int draw(struct top *top)
{
	struct canvas *canvas = &top->canvas;
	char *text = NULL;
	size_t size = 0;
	int ret;

	terminal_size(&canvas->columns, &canvas->lines);
	canvas->out = open_memstream(&text, &size);
	if (!canvas->out)
		return -1;
	top_screen_draw(canvas, &top->model, &top->list, &top->view,
			top->view.with_sockets ? choose_sockets(top) : NULL);
	if (fclose(canvas->out))
		size = 0;
	ret = size ? terminal_write(text, size) : -1;
	free(text);
	return ret;
}

/* Those that end it, and those that it has something to do at */
static const int signals[] = {
	SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH
};

static int open_signals(sigset_t *set, sigset_t *old)
{
	sigemptyset(set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaddset(set, signals[i]);
	if (sigprocmask(SIG_BLOCK, set, old))
		return -1;
	return signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* As if it had not been waited for, after the terminal is restored */
static void die_of(int signo, const sigset_t *set)
{
	terminal_leave();
	signal(signo, SIG_DFL);
	raise(signo);
	sigprocmask(SIG_UNBLOCK, set, NULL);
}

/* Not by SIGSTOP: if no parent can continue us, the kernel ignores a stop key. */
static void stop(void)
{
	sigset_t set;

	raise(SIGTSTP);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static int take_signals(int fd, const sigset_t *set)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGTSTP) {
			terminal_leave();
			stop();
			if (terminal_enter() < 0)
				return -1;
		} else if (info.ssi_signo != SIGWINCH) {
			die_of(info.ssi_signo, set);
		}
	}
	return 0;
}

/* Bytes from the terminal that are no whole key yet */
struct input {
	unsigned char bytes[64];
	size_t n;
};

static void take_keys(struct top *top, struct input *input, bool is_all)
{
	bool was_asking;
	size_t used;
	int key;

	for (;;) {
		used = terminal_key_take(input->bytes, input->n, &key,
				    is_all || input->n == sizeof(input->bytes));
		if (!used)
			return;
		input->n -= used;
		memmove(input->bytes, input->bytes + used, input->n);
		was_asking = top->view.is_asking;
		top_view_key(&top->view, &top->list,
			     top_view_process(&top->view, top->has_sockets ? &top->sockets : NULL),
			     key);
		if (!was_asking && top->view.is_asking)
			top->asked_start = top->view.asked_pid > 0 ? process_start(top->view.asked_pid) : 0;
	}
}

/* Return: false at the end of the terminal. */
static bool read_keys(struct input *input, int fd)
{
	ssize_t n = read(fd, input->bytes + input->n,
			 sizeof(input->bytes) - input->n);

	if (n > 0)
		input->n += n;
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* What the question was about; NULL: it is gone */
static const struct top_process *find_process(const struct top *top)
{
	if (top->view.asked_pid > 0 && process_start(top->view.asked_pid) != top->asked_start)
		return NULL;
	for (size_t i = 0; top->has_sockets && i < top->sockets.n_processes; i++)
		if (top->sockets.process[i].first.pid == top->view.asked_pid)
			return &top->sockets.process[i];
	return NULL;
}

/* What has been asked for is done. */
static void act(struct top *top)
{
	const size_t row = top_list_find(&top->list, top->view.asked);
	const bool is_there = row < top->list.count &&
			      top->list.row[row].vif->now.id == top->view.asked;
	const struct top_process *process = find_process(top);

	top->view.is_answered = false;
	if (top->replay.file)
		top->view.message = strdup("this is a record: nothing can be set");
	else if (!is_there || (top->view.asked_pid >= 0 && !process))
		top->view.message = strdup("it is gone: nothing has been set");
	else
		top->view.message = top_act(top->options, top->view.question, top->view.answer,
					    top->list.row[row].vif->now.path, process);
}

/* What keys have changed shows at once, paused or not. */
static int look_again(struct top *top)
{
	if (top->view.is_answered)
		act(top);
	if (top_list_make(&top->list, &top->model, &top->view.order))
		return -1;
	return draw(top);
}

static int wait_ms(const struct top *top, const struct input *input,
		   uint64_t next)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (input->n)
		return SEQUENCE_MS;
	if (top->view.is_paused)
		return -1;
	return next > now ? (int)((next - now + 999999) / 1000000) : 0;
}

static int follow(struct top *top, int keys, int signals_fd,
		  const sigset_t *set)
{
	struct pollfd fds[] = {
		{ .fd = keys, .events = POLLIN },
		{ .fd = signals_fd, .events = POLLIN },
	};
	unsigned long long looks = 1;
	struct input input = { .n = 0 };
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	bool had_keys;
	int n, status;

	while (!top->view.is_done && (!top->count || looks <= top->count)) {
		n = poll(fds, 2, wait_ms(top, &input, begin + interval_ns(top)));
		if (n < 0 && errno != EINTR)
			return fail("poll");
		if (n > 0 && fds[1].revents && take_signals(signals_fd, set))
			return fail("terminal");
		if (n > 0 && fds[0].revents && !read_keys(&input, keys))
			return EXIT_OK;
		had_keys = input.n;
		take_keys(top, &input, n == 0);
		if (!top->view.is_paused && clock_ns(CLOCK_MONOTONIC) >= begin + interval_ns(top)) {
			status = take_sample(top);
			if (status)
				return status;
			begin = clock_ns(CLOCK_MONOTONIC);
			looks++;
		} else if (n == 0 && !had_keys) {
			continue;
		}
		if (look_again(top))
			return fail("terminal");
	}
	return EXIT_OK;
}

static int run_screen(struct top *top)
{
	sigset_t set, old;
	int keys, fd, status = take_sample(top);

	if (status)
		return status;
	top->canvas.is_utf8 = is_utf8();
	top->canvas.is_coloured = colour_is_for_screen(top->options->colour);
	fd = open_signals(&set, &old);
	if (fd < 0)
		return fail("signals");
	keys = terminal_enter();
	if (keys < 0 || look_again(top))
		status = fail("terminal");
	else
		status = follow(top, keys, fd, &set);
	terminal_leave();
	close(fd);
	/* a batch goes on */
	sigprocmask(SIG_SETMASK, &old, NULL);
	return status;
}

int top_run(struct options *options, char **words)
{
	struct top top = {
		.options = options,
		.view = { .interval_s = 1, .with_sockets = true, .process_pid = -1 },
	};
	int status = take_words(&top, options, words);

	if (!status && !top.replay.file)
		status = options_open_genl(options);
	top.genl = options->genl;
	if (status)
		goto out;
	if (options->json || !terminal_is_there()) {
		top.view.with_sockets = options->statistics;
		status = run_lines(&top);
	} else {
		status = run_screen(&top);
	}
out:
	top_record_close(&top.record);
	top_record_close(&top.replay);
	free(top.view.message);
	top_sockets_free(&top.sockets);
	top_list_free(&top.list);
	top_model_free(&top.model);
	return status;
}
