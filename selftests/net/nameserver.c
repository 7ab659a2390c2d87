// SPDX-License-Identifier: GPL-2.0
/*
 * nameserver - a server of DNS for a few names, which may say things that make no sense
 *
 *	nameserver [at ADDRESS] [garble COUNT SEED] RECORD...
 *	nameserver [at ADDRESS] unasked ADDRESS PORT RECORD...
 *
 * RECORD is NAME TTL VALUE: an address, or the name that this one is an alias of. It answers at
 * port 53, by UDP and TCP. With garble each answer by UDP comes after so many that are
 * garbled: bytes changed, cut off, or with more behind it. Unasked it says once, from port 53 to
 * that one, what it would answer about the first record's name, with CAP_NET_RAW or
 * CAP_NET_ADMIN also from an address that the machine does not have.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <poll.h>
#include <resolv.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

#define PORT	53

struct record {
	const char *name;
	const char *ttl;
	const char *value;
};

static const struct record *records;
static size_t count;
static int garbled;
static bool is_forged;

static struct sockaddr_in6 end_of(const char *address, int port)
{
	struct sockaddr_in6 end = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	char mapped[64];

	snprintf(mapped, sizeof(mapped), "%s%s", strchr(address, ':') ? "" : "::ffff:", address);
	if (inet_pton(AF_INET6, mapped, &end.sin6_addr) != 1)
		die(address);
	return end;
}

/* --- messages ------------------------------------------------------------------ */

struct message {
	unsigned char bytes[2048];
	unsigned char *end;
	const unsigned char *names[20];
};

static void put(struct message *m, unsigned int value, int bytes)
{
	while (bytes--)
		*m->end++ = value >> 8 * bytes;
}

static void put_name(struct message *m, const char *name)
{
	int length = ns_name_compress(name, m->end, sizeof(m->bytes) - (m->end - m->bytes),
				      m->names, m->names + 20);

	if (length < 0)
		die(name);
	m->end += length;
}

/* Return: the type of a value */
static int type_of(const char *value, unsigned char address[16])
{
	if (inet_pton(AF_INET, value, address) == 1)
		return ns_t_a;
	return inet_pton(AF_INET6, value, address) == 1 ? ns_t_aaaa : ns_t_cname;
}

static void put_record(struct message *m, const struct record *record, int type,
		       const unsigned char address[16])
{
	unsigned char *length;

	put_name(m, record->name);
	put(m, type, 2);
	put(m, ns_c_in, 2);
	put(m, atoi(record->ttl), 4);
	length = m->end;
	put(m, 0, 2);
	if (type == ns_t_cname) {
		put_name(m, record->value);
	} else {
		memcpy(m->end, address, type == ns_t_a ? 4 : 16);
		m->end += type == ns_t_a ? 4 : 16;
	}
	length[1] = m->end - length - 2;
}

/* Of aliases so many are followed: they may go in a circle. */
#define DEEPEST	4

/* The name is repeated as it was asked for. Return: how many. */
static int put_records(struct message *m, const char *name, int type, int depth)
{
	unsigned char address[16];
	int found = 0;

	for (size_t i = 0; i < count; i++) {
		int kind = type_of(records[i].value, address);

		if (strcasecmp(records[i].name, name) || (kind != type && kind != ns_t_cname))
			continue;
		put_record(m, &records[i], kind, address);
		found++;
		if (kind == ns_t_cname && depth < DEEPEST)
			found += put_records(m, records[i].value, type, depth + 1);
	}
	return found;
}

static void answer(struct message *m, int id, const char *name, int type)
{
	memset(m, 0, sizeof(*m));
	m->names[0] = m->bytes;
	m->end = m->bytes;
	put(m, id, 2);
	put(m, 0x8580, 2);
	put(m, 1, 2);
	m->end = m->bytes + NS_HFIXEDSZ;
	put_name(m, name);
	put(m, type, 2);
	put(m, ns_c_in, 2);
	m->bytes[7] = put_records(m, name, type, 0);
}

/* Return: false, if it is no question */
static bool answer_to(struct message *m, const unsigned char *bytes, size_t length)
{
	ns_msg question;
	ns_rr rr;

	if (ns_initparse(bytes, length, &question) || ns_parserr(&question, ns_s_qd, 0, &rr))
		return false;
	answer(m, ns_msg_id(question), ns_rr_name(rr), ns_rr_type(rr));
	return true;
}

/* --- talking ------------------------------------------------------------------- */

static void garble(struct message *m)
{
	size_t length = m->end - m->bytes;

	for (int n = 1 + rand() % 6; n > 0; n--)
		m->bytes[rand() % length] = rand() % 4 ? rand() : 0xc0 | rand() % 4;
	if (rand() % 3 == 0)
		length = rand() % length;
	else if (rand() % 3 == 0)
		for (int n = rand() % 600; n > 0; n--)
			m->bytes[length++] = rand();
	m->end = m->bytes + length;
}

static void say(int fd, const struct message *m, const struct sockaddr_in6 *to)
{
	sendto(fd, m->bytes, m->end - m->bytes, 0, (const struct sockaddr *)to, sizeof(*to));
}

static void serve_udp(int fd)
{
	struct sockaddr_in6 from;
	socklen_t size = sizeof(from);
	unsigned char bytes[2048];
	ssize_t length = recvfrom(fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&from, &size);
	struct message right, wrong;

	if (length < 0 || !answer_to(&right, bytes, length))
		return;
	for (int i = 0; i < garbled; i++) {
		wrong = right;
		wrong.end = wrong.bytes + (right.end - right.bytes);
		garble(&wrong);
		say(fd, &wrong, &from);
		/* no table has room for all of them at once */
		if (i % 20 == 19)
			usleep(1000);
	}
	say(fd, &right, &from);
}

static void serve_tcp(int listener)
{
	int fd = accept(listener, NULL, NULL);
	unsigned char bytes[2048];
	struct message m;
	ssize_t length;

	while (fd >= 0 && (length = read(fd, bytes, sizeof(bytes))) > 2) {
		/* questions come one behind the other */
		for (unsigned char *at = bytes; at + 2 < bytes + length;
		     at += 2 + (at[0] << 8 | at[1])) {
			if (!answer_to(&m, at + 2, at[0] << 8 | at[1]))
				break;
			memmove(m.bytes + 2, m.bytes, m.end - m.bytes);
			m.bytes[0] = (m.end - m.bytes) >> 8;
			m.bytes[1] = m.end - m.bytes;
			if (write(fd, m.bytes, m.end - m.bytes + 2) < 0)
				break;
		}
	}
	close(fd);
}

static int open_port(int type, const struct sockaddr_in6 *at)
{
	int fd = socket(AF_INET6, type, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (is_forged)
		setsockopt(fd, IPPROTO_IPV6, IPV6_TRANSPARENT, &on, sizeof(on));
	if (bind(fd, (const struct sockaddr *)at, sizeof(*at)) ||
	    (type == SOCK_STREAM && listen(fd, 16)))
		die("port 53");
	return fd;
}

static void serve(const struct sockaddr_in6 *at)
{
	struct pollfd fds[] = {
		{ .fd = open_port(SOCK_DGRAM, at), .events = POLLIN },
		{ .fd = open_port(SOCK_STREAM, at), .events = POLLIN },
	};

	puts("ready");
	fflush(stdout);
	while (!stopped && poll(fds, 2, -1) >= 0) {
		if (fds[0].revents)
			serve_udp(fds[0].fd);
		if (fds[1].revents)
			serve_tcp(fds[1].fd);
	}
}

static void say_unasked(const struct sockaddr_in6 *at, const char *address, const char *port)
{
	const struct sockaddr_in6 to = end_of(address, atoi(port));
	struct message m;

	answer(&m, 0x1234, records[0].name, ns_t_a);
	is_forged = true;
	say(open_port(SOCK_DGRAM, at), &m, &to);
}

int main(int argc, char **argv)
{
	struct sockaddr_in6 at = end_of("::", PORT);
	char **word = argv + 1, **to = NULL;

	if (argc > 3 && !strcmp(word[0], "at")) {
		at = end_of(word[1], PORT);
		word += 2;
	}
	if (argv + argc - word > 3 && !strcmp(word[0], "garble")) {
		garbled = atoi(word[1]);
		srand(atoi(word[2]));
		word += 3;
	} else if (argv + argc - word > 3 && !strcmp(word[0], "unasked")) {
		to = word + 1;
		word += 3;
	}
	count = (argv + argc - word) / 3;
	records = (const struct record *)word;
	stop_on_signals(0);
	if (to)
		say_unasked(&at, to[0], to[1]);
	else
		serve(&at);
	return 0;
}
