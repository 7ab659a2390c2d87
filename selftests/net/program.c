// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include "program.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

volatile sig_atomic_t stopped;

void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(1);
}

int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

void sleep_until(int64_t ns)
{
	struct timespec ts = {
		.tv_sec = ns / NSEC_PER_SEC,
		.tv_nsec = ns % NSEC_PER_SEC,
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR && !stopped)
		;
}

/* again and again: a signal that comes just before a system call begins does
 * not interrupt it
 */
static void on_stop(int sig)
{
	(void)sig;
	stopped = 1;
	alarm(1);
}

void stop_on_signals(double seconds)
{
	struct sigaction action = { .sa_handler = on_stop };
	struct itimerval timer = {
		.it_value.tv_sec = seconds,
		.it_value.tv_usec = (seconds - (uint64_t)seconds) * 1e6,
	};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (seconds > 0)
		setitimer(ITIMER_REAL, &timer, NULL);
}

static void enlarge_buffer(int fd)
{
	int bytes = 4 << 20;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

int open_client(bool udp, const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = udp ? SOCK_DGRAM : SOCK_STREAM };
	struct addrinfo *address;
	int fd, error;

	error = getaddrinfo(host, port, &hints, &address);
	if (error) {
		fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, host,
			gai_strerror(error));
		exit(1);
	}
	fd = socket(address->ai_family, address->ai_socktype, 0);
	if (fd < 0)
		die("socket");
	if (udp)
		enlarge_buffer(fd);
	if (connect(fd, address->ai_addr, address->ai_addrlen))
		die("connect");
	freeaddrinfo(address);
	return fd;
}

int open_server(bool udp, const char *port)
{
	struct sockaddr_in6 address = {
		.sin6_family = AF_INET6,
		.sin6_addr = in6addr_any,
		.sin6_port = htons(atoi(port)),
	};
	int fd, off = 0, on = 1;

	fd = socket(AF_INET6, udp ? SOCK_DGRAM : SOCK_STREAM, 0);
	if (fd < 0)
		die("socket");
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (udp)
		enlarge_buffer(fd);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		die("bind");
	if (!udp && listen(fd, 1024))
		die("listen");
	return fd;
}

int fork_connections(int listener)
{
	int connection;

	signal(SIGCHLD, SIG_IGN);
	while (!stopped) {
		connection = accept(listener, NULL, NULL);
		if (connection < 0)
			continue;
		if (fork() == 0) {
			close(listener);
			prctl(PR_SET_PDEATHSIG, SIGTERM);
			return connection;
		}
		close(connection);
	}
	return -1;
}
