// SPDX-License-Identifier: GPL-2.0
/*
 * transit - how long datagrams take, and how differently, if they are forwarded
 *
 *	transit send HOST PORT COUNT EVERY-US
 *	transit pass PORT HOST PORT
 *	transit hold PORT HOST PORT
 *	transit receive PORT COUNT
 *
 * send stamps them, at absolute times. receive takes the kernel's stamp of their arrival, leaves out
 * the first 20, and prints key=value lines, of nanoseconds: the mean of the time in transit, and of
 * the difference of that between a datagram and the next one (jitter) mean and maximum. pass
 * receives on the one port, and sends to the other one; hold opens the same sockets, 3 and 4, for
 * another program to do that. These say "ready".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

#define SIZE	1000
#define FIRST	20

/* Stamps are of the clock that the kernel's are of. */
static int64_t real_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static void run_send(char **arg)
{
	const int fd = open_client(true, arg[0], arg[1]), count = atoi(arg[2]);
	const int64_t every = atoll(arg[3]) * 1000, begin = now_ns();
	char buffer[SIZE] = { 0 };
	int64_t stamp;

	for (int i = 0; i < count; i++) {
		sleep_until(begin + (i + 1) * every);
		stamp = real_ns();
		memcpy(buffer, &stamp, sizeof(stamp));
		if (send(fd, buffer, sizeof(buffer), 0) < 0)
			die("send");
	}
}

static void ready(void)
{
	puts("ready");
	fflush(stdout);
}

static void run_pass(char **arg, bool holds)
{
	const int in = open_server(true, arg[0]), out = open_client(true, arg[1], arg[2]);
	char buffer[2 * SIZE];
	ssize_t n;

	ready();
	while (holds)
		pause();
	for (;;) {
		n = recv(in, buffer, sizeof(buffer), 0);
		if (n < 0 || send(out, buffer, n, 0) < 0)
			die("pass");
	}
}

/* In transit; -1: no more came. */
static int64_t receive_one(int fd)
{
	char buffer[2 * SIZE], control[CMSG_SPACE(sizeof(struct timespec))];
	struct iovec iov = { buffer, sizeof(buffer) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct timespec came;
	int64_t stamp;

	if (recvmsg(fd, &msg, 0) < 0)
		return -1;
	if (!CMSG_FIRSTHDR(&msg))
		die("no stamp");
	memcpy(&came, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(came));
	memcpy(&stamp, buffer, sizeof(stamp));
	return came.tv_sec * NSEC_PER_SEC + came.tv_nsec - stamp;
}

static void run_receive(char **arg)
{
	const int fd = open_server(true, arg[0]), count = atoi(arg[1]), on = 1;
	const struct timeval patience = { .tv_sec = 3 };
	int64_t last = 0, transit, difference, sum = 0, jitter = 0, most = 0, longest = 0;
	int n;

	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		die("setsockopt");
	ready();
	for (n = 0; n < count; n++) {
		transit = receive_one(fd);
		if (transit < 0)
			break;
		if (n > FIRST) {
			difference = llabs(transit - last);
			jitter += difference;
			most = difference > most ? difference : most;
		}
		if (n >= FIRST) {
			sum += transit;
			longest = transit > longest ? transit : longest;
		}
		last = transit;
	}
	if (n <= FIRST + 1)
		die("too few have come");
	printf("received=%d\ntransit_mean=%lld\ntransit_max=%lld\njitter_mean=%lld\njitter_max=%lld\n", n,
	       (long long)sum / (n - FIRST), (long long)longest, (long long)jitter / (n - FIRST - 1),
	       (long long)most);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (!strcmp(verb, "send") && argc == 6)
		run_send(argv + 2);
	else if (!strcmp(verb, "pass") && argc == 5)
		run_pass(argv + 2, false);
	else if (!strcmp(verb, "hold") && argc == 5)
		run_pass(argv + 2, true);
	else if (!strcmp(verb, "receive") && argc == 4)
		run_receive(argv + 2);
	else {
		fputs("usage: transit send HOST PORT COUNT EVERY-US\n"
		      "       transit pass|hold PORT HOST PORT\n"
		      "       transit receive PORT COUNT\n", stderr);
		return 2;
	}
	return 0;
}
