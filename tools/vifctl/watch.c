// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl watch: print a line for each change of a TCP connection's state. sockets.c reads all
 * sockets in each poll. watch_subject.c finds out which of them are watched: when a new socket
 * appears, and each second.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "complain.h"
#include "escape.h"
#include "figure.h"
#include "json.h"
#include "watch_subject.h"

#define INTERVAL_MIN_S	0.001
#define INTERVAL_MAX_S	3600.0

/* So many times as long as it has taken it is not asked again whose the sockets are */
#define ASK_REST	10

const char watch_help[] =
	"Usage: vifctl watch [-j] [-d SECONDS] [-n COUNT] SUBJECT\n"
	"\n"
	"SUBJECT := process PID | thread TID | socket PID:FD | cgroup PATH | unit NAME |\n"
	"	dev DEV | PATH\n"
	"DEV := a network device: its VIF and all below it\n"
	"PATH := a VIF, for example eth0/web: it and all below it\n"
	"-d, --interval SECONDS: polling interval (default: 0.01)\n"
	"-n, --count COUNT: exit after this number of lines\n"
	"\n"
	"Prints a line for each change of its TCP connections, until SUBJECT is gone.";

/* --- what TCP knows --- */

enum { CWND, SSTHRESH, SRTT, RTTVAR, SND_WND, RCV_WND, RETRANSMISSIONS, PACING, FIELDS };

#define UNKNOWN	-1LL

static const struct {
	const char *name;
	const char *key;		/* in JSON: with its unit */
} fields[FIELDS] = {
	[CWND] = { "cwnd", "cwnd" },
	[SSTHRESH] = { "ssthresh", "ssthresh" },
	[SRTT] = { "srtt", "srtt_us" },
	[RTTVAR] = { "rttvar", "rttvar_us" },
	[SND_WND] = { "snd_wnd", "snd_wnd_bytes" },
	[RCV_WND] = { "rcv_wnd", "rcv_wnd_bytes" },
	[RETRANSMISSIONS] = { "retransmissions", "retransmissions" },
	[PACING] = { "pacing", "pacing_bytes_per_s" },
};

/* As the kernel writes that there is none */
#define NO_SSTHRESH	0x7fffffff

static void read_fields(long long field[FIELDS], const struct socket_info *socket)
{
	const struct tcp_info *tcp = &socket->tcp;

	field[CWND] = tcp->tcpi_snd_cwnd;
	field[SSTHRESH] = tcp->tcpi_snd_ssthresh < NO_SSTHRESH ? tcp->tcpi_snd_ssthresh : UNKNOWN;
	field[SRTT] = tcp->tcpi_rtt;
	field[RTTVAR] = tcp->tcpi_rttvar;
	field[SND_WND] = tcp->tcpi_snd_wnd;
	field[RCV_WND] = socket->rcv_wnd;
	field[RETRANSMISSIONS] = tcp->tcpi_total_retrans;
	field[PACING] = tcp->tcpi_pacing_rate <= INT64_MAX ? (long long)tcp->tcpi_pacing_rate :
							     UNKNOWN;
}

/* --- lines --- */

struct watch {
	const struct options *options;
	struct watch_subject subject;
	double interval_s;
	unsigned long long count;	/* of lines; 0: no end */
	unsigned long long lines;
	uint64_t begin_ns;
	struct look {
		struct socket_list list;	/* by cookie */
		bool *is_its;			/* of each, whether it is the subject's */
	} now, before;
	bool has_new;			/* since it was last asked whose they are, */
	uint64_t asked_ns;		/* that began then */
	uint64_t ask_ns;		/* and took so long, of the CPU */
	uint64_t looked_ns;		/* when the last look began */
	pid_t pid;			/* of the last line, and its name, */
	char comm[PROCESS_COMM_BYTES];	/* which a process loses before its sockets */
};

static void put_field(int i, long long value)
{
	char text[FIGURE_BYTES];

	printf(" %s ", fields[i].name);
	if (value == UNKNOWN) {
		putchar('-');
	} else if (i == PACING) {
		figure_bits(text, value);
		fputs(text, stdout);
	} else {
		printf("%lld%s", value, i == SRTT || i == RTTVAR ? "us" : "");
	}
}

/* Of what was known before only what has changed */
static void print_text(const struct watch *watch, const struct socket_info *socket,
		       const struct socket_info *before, const char *state, const char *comm)
{
	long long now[FIELDS], old[FIELDS];

	printf("%.6f %s %s", (double)(clock_ns(CLOCK_MONOTONIC) - watch->begin_ns) / SECOND_NS,
	       socket->local.text, socket->remote.text);
	if (!before && *comm) {
		printf(" pid %d ", watch_subject_process(&watch->subject, socket));
		escape_put_word(stdout, comm);
	}
	if (!before || strcmp(state, before->state))
		printf(" %s", state);
	read_fields(now, socket);
	if (before)
		read_fields(old, before);
	for (int i = 0; i < FIELDS; i++)
		if (!before || now[i] != old[i])
			put_field(i, now[i]);
	putchar('\n');
}

static void print_json(const struct watch *watch, const struct socket_info *socket,
		       const char *state, const char *comm)
{
	struct json json = { .pretty = watch->options->pretty };
	long long field[FIELDS];

	json_open(&json, NULL, '{');
	json_version(&json);
	json_number(&json, "time_ns", clock_ns(CLOCK_REALTIME));
	json_string(&json, "local", socket->local.text);
	json_string(&json, "remote", socket->remote.text);
	json_id(&json, "cookie", socket->cookie);
	if (*comm) {
		json_number(&json, "pid", watch_subject_process(&watch->subject, socket));
		json_string(&json, "comm", comm);
	}
	json_string(&json, "state", state);
	read_fields(field, socket);
	for (int i = 0; i < FIELDS; i++)
		if (field[i] == UNKNOWN)
			json_null(&json, fields[i].key);
		else
			json_number(&json, fields[i].key, field[i]);
	json_close(&json, '}');
}

static bool is_over(const struct watch *watch)
{
	return watch->count && watch->lines >= watch->count;
}

static void print(struct watch *watch, const struct socket_info *socket,
		  const struct socket_info *before, const char *state)
{
	char comm[PROCESS_COMM_BYTES] = "";
	pid_t pid;

	if (is_over(watch))
		return;
	watch->lines++;
	pid = watch_subject_process(&watch->subject, socket);
	if (pid)
		process_comm(pid, comm);
	if (*comm || pid != watch->pid)
		memcpy(watch->comm, comm, sizeof(comm));
	watch->pid = pid;
	if (watch->options->json)
		print_json(watch, socket, state, watch->comm);
	else
		print_text(watch, socket, before, state, watch->comm);
}

/* --- looks --- */

static int by_cookie(const void *a, const void *b)
{
	const struct socket_info *x = a, *y = b;

	return x->cookie < y->cookie ? -1 : x->cookie > y->cookie;
}

/* Of the other look, if it was the subject's there */
static const struct socket_info *find(const struct look *look, const struct socket_info *socket,
				      bool is_its)
{
	const struct socket_info *found;

	if (!look->list.count)
		return NULL;
	found = bsearch(socket, look->list.socket, look->list.count, sizeof(*socket), by_cookie);
	return found && (!is_its || look->is_its[found - look->list.socket]) ? found : NULL;
}

/* A connection request has its cookie already; later it becomes a socket with an owner. */
static bool is_new(const struct socket_info *socket, const struct socket_info *before)
{
	return !before || (socket->is_tcp && !before->is_tcp) ||
	       (socket->inode && !before->inode);
}

static bool has_new(const struct watch *watch)
{
	for (size_t i = 0; i < watch->now.list.count; i++) {
		const struct socket_info *socket = &watch->now.list.socket[i];

		if (is_new(socket, find(&watch->before, socket, false)))
			return true;
	}
	return false;
}

/* Asking takes a tenth of a CPU, at most. Return: whether the answer is there; -1 and errno. */
static int ask(struct watch *watch)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	const uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	const uint64_t rest_ns = ASK_REST * watch->ask_ns;

	watch->has_new |= has_new(watch);
	if (now_ns - watch->asked_ns <
	    (watch->has_new || rest_ns > SECOND_NS ? rest_ns : SECOND_NS))
		return false;
	/* what is about to end has what it had */
	if (watch_subject_look(&watch->subject))
		return watch->asked_ns && watch_subject_is_ending(&watch->subject) ? false : -1;
	watch->has_new = false;
	watch->asked_ns = now_ns;
	watch->ask_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
	return true;
}

/* Return: 0, or -1 and errno. */
static int find_its(struct watch *watch)
{
	struct look *now = &watch->now;
	const int asks = ask(watch);

	if (asks < 0)
		return -1;
	for (size_t i = 0; i < now->list.count; i++)
		now->is_its[i] = now->list.socket[i].is_tcp &&
				 (asks ? watch_subject_has(&watch->subject, &now->list.socket[i]) :
					 !!find(&watch->before, &now->list.socket[i], true));
	return 0;
}

static bool has_changed(const struct socket_info *socket, const struct socket_info *before)
{
	long long now[FIELDS], old[FIELDS];

	if (!before || strcmp(socket->state, before->state))
		return true;
	read_fields(now, socket);
	read_fields(old, before);
	return memcmp(now, old, sizeof(now));
}

static void print_changes(struct watch *watch)
{
	const struct look *now = &watch->now, *before = &watch->before;
	const struct socket_info *socket, *other;

	for (size_t i = 0; i < before->list.count; i++) {
		socket = &before->list.socket[i];
		if (before->is_its[i] && !find(now, socket, true))
			print(watch, socket, socket, "gone");
	}
	for (size_t i = 0; i < now->list.count; i++) {
		socket = &now->list.socket[i];
		other = find(before, socket, true);
		if (now->is_its[i] && has_changed(socket, other))
			print(watch, socket, other, socket->state);
	}
	fflush(stdout);
}

static void forget(struct look *look)
{
	sockets_free(&look->list);
	free(look->is_its);
	*look = (struct look) { .is_its = NULL };
}

/* Return: 0, or -1 and errno. */
static int look(struct watch *watch)
{
	struct look *now = &watch->now;

	watch->looked_ns = clock_ns(CLOCK_MONOTONIC);
	forget(&watch->before);
	watch->before = *now;
	*now = (struct look) { .is_its = NULL };
	if (sockets_read_tcp(&now->list))
		return -1;
	if (now->list.count)
		qsort(now->list.socket, now->list.count, sizeof(*now->list.socket), by_cookie);
	now->is_its = calloc(now->list.count + 1, sizeof(*now->is_its));
	if (!now->is_its || find_its(watch))
		return -1;
	print_changes(watch);
	return 0;
}

/*
 * For an interval since @last_ns, at least as long as the last look took, or till the process ends.
 * Return: when the next one is.
 */
static uint64_t wait_after(const struct watch *watch, uint64_t last_ns)
{
	struct pollfd process = { .fd = watch->subject.pidfd, .events = POLLIN };
	const uint64_t now = clock_ns(CLOCK_MONOTONIC), interval = watch->interval_s * SECOND_NS;
	const uint64_t least = 2 * now - watch->looked_ns;
	const uint64_t next = last_ns + interval > least ? last_ns + interval : least;
	const struct timespec left = { (next - now) / SECOND_NS, (next - now) % SECOND_NS };

	ppoll(&process, 1, &left, NULL);
	return next;
}

static int follow(struct watch *watch)
{
	uint64_t time_ns = watch->begin_ns;

	while (!ferror(stdout)) {
		/* if it has gone meanwhile, that is no mistake */
		if (look(watch) && !watch_subject_is_gone(&watch->subject)) {
			complain_errno("watch");
			return EXIT_KERNEL;
		}
		if (is_over(watch) || watch_subject_is_gone(&watch->subject))
			break;
		time_ns = wait_after(watch, time_ns);
	}
	return EXIT_OK;
}

int watch_run(struct options *options, char **words)
{
	const char *interval = NULL, *count = NULL;
	const struct flag flags[] = {
		{ "-d", .word = &interval }, { "--interval", .word = &interval },
		{ "-n", .word = &count }, { "--count", .word = &count },
		{ .name = NULL }
	};
	struct watch watch = {
		.options = options, .subject.pidfd = -1, .interval_s = 0.01,
		.begin_ns = clock_ns(CLOCK_MONOTONIC),
	};
	int status;

	status = words_take_options("watch", options, words, flags) ?:
		 words_take_seconds("watch", &watch.interval_s, interval, INTERVAL_MIN_S,
				    INTERVAL_MAX_S) ?:
		 words_take_count("watch", &watch.count, count) ?:
		 watch_subject_open(&watch.subject, options, words) ?:
		 follow(&watch);
	watch_subject_close(&watch.subject);
	forget(&watch.now);
	forget(&watch.before);
	return status;
}
