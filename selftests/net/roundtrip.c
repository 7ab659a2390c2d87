// SPDX-License-Identifier: GPL-2.0
/*
 * roundtrip - how long small requests take to be answered
 *
 *	ask	connects and sends a request every so often, whether the one
 *		before has been answered or not; says how long answers took
 *	answer	sends back whatever it gets
 *
 * Requests leave at absolute times, and carry the time when they left. Results
 * are key=value lines.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "program.h"

/* how long to wait for the last answers */
#define PATIENCE_NS (2 * NSEC_PER_SEC)

struct message {
	int64_t sent_ns;
	char filling[56];
};

static void __attribute__((noreturn)) usage(void)
{
	fputs("usage: roundtrip ask tcp|udp HOST PORT [--every MS] [--count N]\n"
	      "       roundtrip answer tcp|udp PORT\n",
	      stderr);
	exit(2);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void print_results(int64_t *took_ns, int sent, int answered)
{
	printf("sent=%d\nanswered=%d\n", sent, answered);
	if (!answered)
		return;
	qsort(took_ns, answered, sizeof(*took_ns), compare);
	printf("min_ns=%lld\nmedian_us=%lld\np90_us=%lld\nmax_us=%lld\n",
	       (long long)took_ns[0], (long long)took_ns[answered / 2] / 1000,
	       (long long)took_ns[answered * 9LL / 10] / 1000,
	       (long long)took_ns[answered - 1] / 1000);
}

static void send_at_once(int fd)
{
	int on = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
		die("TCP_NODELAY");
}

/* Waits for an answer until then. Return: whether one came. */
static bool receive(int fd, bool udp, int64_t until_ns, struct message *message)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	int64_t left = until_ns - now_ns();
	struct timespec ts = {
		.tv_sec = left > 0 ? left / NSEC_PER_SEC : 0,
		.tv_nsec = left > 0 ? left % NSEC_PER_SEC : 0,
	};

	if (ppoll(&pollfd, 1, &ts, NULL) <= 0)
		return false;
	if (recv(fd, message, sizeof(*message), udp ? 0 : MSG_WAITALL) != sizeof(*message))
		die("recv");
	return true;
}

static int ask(bool udp, const char *host, const char *port, int64_t every_ns, int count)
{
	int64_t *took_ns = calloc(count, sizeof(*took_ns));
	int fd = open_client(udp, host, port), sent = 0, answered = 0;
	int64_t start_ns = now_ns(), until_ns;
	struct message message = {};

	if (!took_ns)
		die("memory");
	if (!udp)
		send_at_once(fd);
	while (answered < count) {
		until_ns = start_ns + sent * every_ns + (sent < count ? 0 : PATIENCE_NS);
		if (receive(fd, udp, until_ns, &message)) {
			took_ns[answered++] = now_ns() - message.sent_ns;
		} else if (sent < count) {
			message.sent_ns = now_ns();
			if (send(fd, &message, sizeof(message), 0) != sizeof(message))
				die("send");
			sent++;
		} else {
			break;
		}
	}
	print_results(took_ns, sent, answered);
	return 0;
}

static void answer_datagrams(int fd)
{
	struct sockaddr_in6 from;
	socklen_t len = sizeof(from);
	char buffer[2048];
	ssize_t n;

	for (;; len = sizeof(from)) {
		n = recvfrom(fd, buffer, sizeof(buffer), 0, (struct sockaddr *)&from, &len);
		if (n >= 0)
			sendto(fd, buffer, n, 0, (struct sockaddr *)&from, len);
	}
}

static void answer_connection(int fd)
{
	char buffer[2048];
	ssize_t n;

	send_at_once(fd);
	while ((n = recv(fd, buffer, sizeof(buffer), 0)) > 0)
		send(fd, buffer, n, 0);
}

static int answer(bool udp, const char *port)
{
	int fd = open_server(udp, port);

	puts("ready");
	fflush(stdout);
	if (udp)
		answer_datagrams(fd);
	else
		answer_connection(fork_connections(fd));
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "every", required_argument, NULL, 'e' },
		{ "count", required_argument, NULL, 'c' },
		{}
	};
	int64_t every_ns = 100 * NSEC_PER_MSEC;
	int count = 10, c;
	bool udp;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'e')
			every_ns = strtod(optarg, NULL) * NSEC_PER_MSEC;
		else if (c == 'c')
			count = atoi(optarg);
		else
			usage();
	}
	argv += optind;
	argc -= optind;
	if (argc < 3 || every_ns <= 0 || count <= 0)
		usage();
	udp = !strcmp(argv[1], "udp");
	if (!udp && strcmp(argv[1], "tcp"))
		usage();
	if (argc == 4 && !strcmp(argv[0], "ask"))
		return ask(udp, argv[2], argv[3], every_ns, count);
	if (argc == 3 && !strcmp(argv[0], "answer"))
		return answer(udp, argv[2]);
	usage();
}
