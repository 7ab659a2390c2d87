// SPDX-License-Identifier: GPL-2.0
/*
 * echoes - asks servers for their echo, all at once
 *
 *	echoes COUNT BYTES {tcp|udp HOST PORT}...
 *
 * Each gets COUNT connections (for UDP, sockets), and by each of these unique BYTES;
 * by UDP, in datagrams, one after the answer to the one before. It says a line for each
 * server: how many connections have got all of that back, and nothing else, how many bytes
 * these were, and what went wrong with others.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

#define CHUNK		4096
#define DATAGRAM	1000
#define PATIENCE_MS	10000

struct connection {
	bool udp;
	uint64_t number;	/* among all */
	size_t sent, received;	/* bytes */
	const char *wrong;	/* the first thing that is */
	bool done;
};

static size_t bytes;

static unsigned char byte_of(const struct connection *c, size_t at)
{
	uint64_t x = ((c->number + 1) << 32 | at) * 0x9e3779b97f4a7c15;

	return (x ^ x >> 29) * 0xbf58476d1ce4e5b9 >> 56;
}

static size_t piece(const struct connection *c)
{
	size_t most = c->udp ? DATAGRAM : CHUNK, left = bytes - c->sent;

	return left < most ? left : most;
}

static bool wants_to_send(const struct connection *c)
{
	return c->sent < bytes && (!c->udp || c->received == c->sent);
}

static void end(struct connection *c, const char *wrong)
{
	c->wrong = wrong;
	c->done = true;
}

static void send_some(struct connection *c, int fd)
{
	unsigned char buf[CHUNK];
	ssize_t n = piece(c);

	for (ssize_t i = 0; i < n; i++)
		buf[i] = byte_of(c, c->sent + i);
	n = send(fd, buf, n, MSG_DONTWAIT);
	if (n < 0 && errno != EAGAIN)
		end(c, strerror(errno));
	if (n > 0)
		c->sent += n;
	if (!c->udp && c->sent == bytes)
		shutdown(fd, SHUT_WR);
}

static void receive_some(struct connection *c, int fd)
{
	unsigned char buf[CHUNK];
	ssize_t n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);

	if (n < 0) {
		if (errno != EAGAIN)
			end(c, strerror(errno));
		return;
	}
	if (c->received + n > c->sent) {
		end(c, "more than was sent");
		return;
	}
	for (ssize_t i = 0; i < n; i++) {
		if (buf[i] != byte_of(c, c->received + i)) {
			end(c, "what was not sent");
			return;
		}
	}
	c->received += n;
	if (c->udp ? c->received == bytes : !n)
		end(c, c->received == bytes ? NULL : "it ends early");
}

static void exchange(struct connection *c, struct pollfd *poll_of, unsigned int n)
{
	unsigned int left = n;

	while (left) {
		for (unsigned int i = 0; i < n; i++)
			poll_of[i].events = POLLIN | (wants_to_send(&c[i]) ? POLLOUT : 0);
		if (poll(poll_of, n, PATIENCE_MS) <= 0)
			return;
		for (unsigned int i = 0; i < n; i++) {
			if (poll_of[i].revents & (POLLIN | POLLERR | POLLHUP))
				receive_some(&c[i], poll_of[i].fd);
			if (!c[i].done && poll_of[i].revents & POLLOUT)
				send_some(&c[i], poll_of[i].fd);
			if (c[i].done && poll_of[i].fd >= 0) {
				close(poll_of[i].fd);
				poll_of[i].fd = -1;
				left--;
			}
		}
	}
}

static int print(const struct connection *c, int count, char **target)
{
	const char *wrong = NULL;
	int whole = 0;

	for (int i = 0; i < count; i++) {
		if (c[i].done && !c[i].wrong)
			whole++;
		else
			wrong = c[i].wrong ?: "no answer";
	}
	printf("%s %s %s: %d connections, %zu bytes%s%s\n", target[0], target[1], target[2], whole,
	       whole * bytes, wrong ? ", " : "", wrong ?: "");
	return whole == count ? 0 : 1;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0, targets = (argc - 3) / 3, status = 0;
	struct connection *c;
	struct pollfd *poll_of;

	bytes = argc > 2 ? atoi(argv[2]) : 0;
	if (argc < 6 || argc % 3 || count <= 0 || !bytes) {
		fputs("usage: echoes COUNT BYTES {tcp|udp HOST PORT}...\n", stderr);
		return 2;
	}
	c = calloc(targets * count, sizeof(*c));
	poll_of = calloc(targets * count, sizeof(*poll_of));
	if (!c || !poll_of)
		die("memory");
	/* turn by turn, to each once */
	for (int i = 0; i < targets * count; i++) {
		char **target = argv + 3 + i % targets * 3;
		int at = i % targets * count + i / targets;

		c[at].udp = !strcmp(target[0], "udp");
		c[at].number = at;
		poll_of[at].fd = open_client(c[at].udp, target[1], target[2]);
	}
	exchange(c, poll_of, targets * count);
	for (int i = 0; i < targets; i++)
		status |= print(c + i * count, count, argv + 3 + i * 3);
	return status;
}
