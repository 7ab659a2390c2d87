// SPDX-License-Identifier: GPL-2.0
/*
 * traffic - sends and swallows TCP and UDP traffic, predictably
 *
 * The sender's messages leave at absolute times, start + i * size * 8 / rate,
 * between which it sleeps; it waits blocked in the kernel. So it
 * behaves the same in virtual time, where whatever polls busily stops the
 * clock. Rates and sizes count payload. Results are key=value lines.
 *
 *	send	connects, and sends to		sink
 *	fetch	connects, and receives from	serve
 *
 * Where UDP is fetched, one empty datagram asks for it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

#define BATCH_MAX	256

struct options {
	bool udp;
	const char *host;
	const char *port;
	uint64_t rate_bit;	/* bits of payload per second, 0: no limit */
	uint64_t size;		/* bytes of a message */
	int segment;		/* a message is datagrams of so many bytes; 0: one */
	unsigned int batch;	/* messages in one system call */
	uint64_t bytes;		/* stop after so many, 0: no limit */
	double seconds;		/* stop after so long, 0: no limit */
	uint64_t at_ns;		/* begin at that time, 0: at once */
	uint64_t nap_ns;	/* sleep so long between reads, 0: block */
	uint64_t lap;		/* tell the least time of so many messages, 0: none */
	int tos;		/* of what is sent: 1 is ECT(1) */
};

struct totals {
	uint64_t bytes;
	uint64_t messages;
	uint64_t errors;
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t lap_began_ns;
	uint64_t lap_ns;	/* the shortest lap, 0: none yet */
};

static void usage(void)
{
	fputs("usage: traffic send tcp|udp HOST PORT [--rate BITS] [--size BYTES]\n"
	      "                    [--seconds S] [--bytes N] [--segment BYTES] [--at MS]\n"
	      "                    [--batch N] [--lap N] [--tos N]\n"
	      "       traffic sink tcp|udp PORT [--seconds S] [--bytes N] [--nap S]\n"
	      "       traffic fetch tcp|udp HOST PORT [options of sink]\n"
	      "       traffic serve tcp|udp PORT [options of send]\n"
	      "BITS and BYTES may end in k, m or g (powers of 1000).\n"
	      "They end after S seconds or N bytes, and by SIGINT or SIGTERM; then they\n"
	      "print what they have seen. serve ends with the first who asked. With --segment the kernel\n"
	      "cuts messages into datagrams of that size (UDP GSO). With --at they begin when the machine\n"
	      "is up for so many milliseconds. With --batch so many datagrams are given to the kernel\n"
	      "by one system call, for measurements of what comes after it. With --nap what has come is\n"
	      "read every S seconds, which is cheaper than to wake up for each packet. With --lap the\n"
	      "shortest time of N messages in a row is told: that of those in which nothing else has\n"
	      "happened. --tos is the type of service, or traffic class, ECN included.\n",
	      stderr);
	exit(2);
}

static uint64_t number(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || value < 0)
		usage();
	if (!strncasecmp(end, "k", 1))
		value *= 1e3;
	else if (!strncasecmp(end, "m", 1))
		value *= 1e6;
	else if (!strncasecmp(end, "g", 1))
		value *= 1e9;
	else if (*end)
		usage();
	return value;
}

static void print_totals(const char *who, const struct totals *t)
{
	double seconds = (t->last_ns - t->first_ns) / 1e9;

	printf("who=%s bytes=%llu messages=%llu errors=%llu seconds=%.6f rate_bit_per_s=%.0f",
	       who, (unsigned long long)t->bytes, (unsigned long long)t->messages,
	       (unsigned long long)t->errors, seconds,
	       seconds > 0 ? t->bytes * 8 / seconds : 0);
	if (t->lap_ns)
		printf(" lap_ns=%llu", (unsigned long long)t->lap_ns);
	putchar('\n');
	fflush(stdout);
}

/* As send(2), of so many equal messages; returns their bytes. */
static ssize_t send_batch(const struct options *o, int fd, char *buffer, size_t size)
{
	struct iovec iov = { .iov_base = buffer, .iov_len = size };
	struct mmsghdr messages[BATCH_MAX];
	int sent;

	for (unsigned int i = 0; i < o->batch; i++)
		messages[i] = (struct mmsghdr){
			.msg_hdr = { .msg_iov = &iov, .msg_iovlen = 1 },
		};
	sent = sendmmsg(fd, messages, o->batch, 0);
	return sent < 0 ? sent : sent * (ssize_t)size;
}

static void end_lap(struct totals *t)
{
	uint64_t now = now_ns();

	if (t->lap_began_ns && (!t->lap_ns || now - t->lap_began_ns < t->lap_ns))
		t->lap_ns = now - t->lap_began_ns;
	t->lap_began_ns = now;
}

/* Of the two families that a socket may have. */
static void set_tos(int fd, int tos)
{
	if (setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)) &
	    setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof(tos)))
		die("IP_TOS");
}

static int send_all(const struct options *o, int fd)
{
	struct totals t = {};
	char *buffer;

	buffer = calloc(1, o->size);
	if (!buffer)
		die("memory");
	if (o->segment && setsockopt(fd, SOL_UDP, UDP_SEGMENT, &o->segment, sizeof(o->segment)))
		die("UDP_SEGMENT");
	if (o->tos)
		set_tos(fd, o->tos);
	sleep_until(o->at_ns);
	stop_on_signals(o->seconds);
	t.first_ns = now_ns();
	while (!stopped && !(o->bytes && t.bytes >= o->bytes)) {
		size_t want = o->size;
		ssize_t n;

		if (o->bytes && want > o->bytes - t.bytes)
			want = o->bytes - t.bytes;
		if (o->lap && t.messages % o->lap == 0)
			end_lap(&t);
		if (o->rate_bit) {
			sleep_until(t.first_ns + (uint64_t)((__uint128_t)t.messages * o->size *
							    8 * NSEC_PER_SEC / o->rate_bit));
			if (stopped)
				break;
		}
		if (o->batch > 1)
			n = send_batch(o, fd, buffer, want);
		else
			n = send(fd, buffer, want, 0);
		if (n < 0 && errno == EINTR)
			continue;
		t.messages += o->batch > 1 && n > 0 ? n / want : 1;
		if (n > 0)
			t.bytes += n;
		else if (o->udp)
			t.errors++;	/* a refused or dropped datagram */
		else
			die("send");
	}
	t.last_ns = now_ns();
	close(fd);
	print_totals("send", &t);
	return 0;
}

static int run_send(const struct options *o)
{
	return send_all(o, open_client(o->udp, o->host, o->port));
}

/* reads from one socket until it ends or is told to stop */
static void swallow(int fd, const struct options *o, struct totals *t)
{
	static char buffer[1 << 17];

	while (!stopped && !(o->bytes && t->bytes >= o->bytes)) {
		ssize_t n = recv(fd, buffer, sizeof(buffer), o->nap_ns ? MSG_DONTWAIT : 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			sleep_until(now_ns() + o->nap_ns);
			continue;
		}
		if (n < 0) {
			t->errors++;
			return;
		}
		if (n == 0 && !o->udp)
			return;
		t->last_ns = now_ns();
		if (!t->messages)
			t->first_ns = t->last_ns;
		t->messages++;
		t->bytes += n;
	}
}

static int run_sink(const struct options *o)
{
	struct totals t = {};
	int fd = open_server(o->udp, o->port);

	puts("ready");
	fflush(stdout);
	stop_on_signals(o->seconds);
	if (!o->udp) {
		fd = fork_connections(fd);
		if (fd < 0)
			return 0;
		stop_on_signals(o->seconds);
		t.first_ns = now_ns();
		t.last_ns = t.first_ns;
	}
	swallow(fd, o, &t);
	print_totals("sink", &t);
	return 0;
}

static int run_fetch(const struct options *o)
{
	struct totals t = {};
	int fd = open_client(o->udp, o->host, o->port);

	stop_on_signals(o->seconds);
	if (o->udp && send(fd, "", 0, 0))
		die("send");
	t.first_ns = now_ns();
	t.last_ns = t.first_ns;
	swallow(fd, o, &t);
	print_totals("fetch", &t);
	return 0;
}

/* to the first one who asks */
static int run_serve(const struct options *o)
{
	struct sockaddr_in6 address;
	socklen_t len = sizeof(address);
	int fd = open_server(o->udp, o->port);
	char nothing;

	puts("ready");
	fflush(stdout);
	if (!o->udp) {
		fd = accept(fd, NULL, NULL);
		if (fd < 0)
			die("accept");
	} else if (recvfrom(fd, &nothing, 1, 0, (struct sockaddr *)&address, &len) < 0 ||
		   connect(fd, (struct sockaddr *)&address, len)) {
		die("recvfrom");
	}
	return send_all(o, fd);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "rate", required_argument, NULL, 'r' },
		{ "size", required_argument, NULL, 's' },
		{ "segment", required_argument, NULL, 'g' },
		{ "batch", required_argument, NULL, 'm' },
		{ "bytes", required_argument, NULL, 'b' },
		{ "seconds", required_argument, NULL, 't' },
		{ "at", required_argument, NULL, 'a' },
		{ "nap", required_argument, NULL, 'n' },
		{ "lap", required_argument, NULL, 'l' },
		{ "tos", required_argument, NULL, 'o' },
		{}
	};
	static const struct {
		const char *name;
		int (*run)(const struct options *o);
		bool has_host;
	} verbs[] = {
		{ "send", run_send, true },
		{ "sink", run_sink, false },
		{ "fetch", run_fetch, true },
		{ "serve", run_serve, false },
	};
	struct options o = {};
	unsigned int verb = 0;
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'r':
			o.rate_bit = number(optarg);
			break;
		case 's':
			o.size = number(optarg);
			break;
		case 'b':
			o.bytes = number(optarg);
			break;
		case 'g':
			o.segment = number(optarg);
			break;
		case 'a':
			o.at_ns = number(optarg) * NSEC_PER_MSEC;
			break;
		case 't':
			o.seconds = strtod(optarg, NULL);
			break;
		case 'm':
			o.batch = number(optarg);
			if (o.batch > BATCH_MAX)
				usage();
			break;
		case 'n':
			o.nap_ns = strtod(optarg, NULL) * NSEC_PER_SEC;
			break;
		case 'l':
			o.lap = number(optarg);
			break;
		case 'o':
			o.tos = number(optarg);
			break;
		default:
			usage();
		}
	}
	argv += optind;
	argc -= optind;
	if (argc < 3)
		usage();
	while (verb < sizeof(verbs) / sizeof(*verbs) && strcmp(argv[0], verbs[verb].name))
		verb++;
	if (verb == sizeof(verbs) / sizeof(*verbs))
		usage();
	o.udp = !strcmp(argv[1], "udp");
	if (!o.udp && strcmp(argv[1], "tcp"))
		usage();
	if (argc != (verbs[verb].has_host ? 4 : 3))
		usage();
	if (verbs[verb].has_host)
		o.host = argv[2];
	o.port = argv[argc - 1];
	if (!o.size)
		o.size = o.udp ? 1200 : 16384;
	return verbs[verb].run(&o);
}
