// SPDX-License-Identifier: GPL-2.0
/*
 * One thread with poll(2). Users of this machine can open connections as fast as they like. There
 * are at most CONNECTIONS_MAX. Each step of a connection (read the request, send the answer, wait
 * for the client to close) has a time limit. If there are too many connections, the address with most of
 * them loses the one that was idle for the longest time.
 */
#include "http.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "complain.h"
#include "text.h"

/* For the whole of a request, for telling the page, and for the end */
#define REQUEST_NS	(2 * SECOND_NS)
#define ANSWER_NS	(10 * SECOND_NS)
#define END_NS		(2 * SECOND_NS)

#define REQUEST_BYTES	8192
#define CONNECTIONS_MAX	64
#define PAUSE_MS	100	/* without a descriptor for another connection */

/* The first descriptor that the service manager hands over */
#define HANDED_OVER	3

/* --- listening --- */

int http_handed_over(void)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");

	return pid && count && strtol(pid, NULL, 10) == getpid() && atoi(count) == 1 ?
	       HANDED_OVER : -1;
}

static int bind_to(const struct addrinfo *info)
{
	int sock = socket(info->ai_family, info->ai_socktype | SOCK_CLOEXEC, 0), on = 1;

	if (sock < 0)
		return -1;
	setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (!bind(sock, info->ai_addr, info->ai_addrlen) && !listen(sock, SOMAXCONN))
		return sock;
	close(sock);
	return -1;
}

int http_listen(const char *address)
{
	const struct addrinfo hints = { .ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM };
	char *host = strdupa(address), *port = strrchr(host, ':');
	struct addrinfo *info;
	unsigned long number;
	int sock, err;

	if (!port) {
		port = host;
		host = "127.0.0.1";
	} else {
		*port++ = '\0';
		if (*host == '[' && strlen(host) > 1 && port[-2] == ']') {
			port[-2] = '\0';
			host++;
		}
	}
	/* getaddrinfo() takes 70000 for 4464 */
	if (!text_port(port, &number)) {
		complain("export: '%s': '%s' is no port: 1 to 65535 are", address, port);
		return -1;
	}
	err = getaddrinfo(*host ? host : NULL, port, &hints, &info);
	if (err) {
		complain("export: '%s': %s", address, gai_strerror(err));
		return -1;
	}
	sock = bind_to(info);
	freeaddrinfo(info);
	if (sock < 0)
		complain("export: '%s': %s", address, strerror(errno));
	return sock;
}

/* --- pages --- */

/**
 * struct page - an answer, which several connections may send
 * @text: the head and the body
 * @head: bytes of the head
 * @length: bytes of both
 * @users: number of its holders: connections, and the server
 * @made_ns: when it was made
 * @took_ns: how long that took
 */
struct page {
	char *text;
	size_t head;
	size_t length;
	unsigned int users;
	uint64_t made_ns;
	uint64_t took_ns;
};

static uint64_t now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void put_page(struct page *page)
{
	if (!page || --page->users)
		return;
	free(page->text);
	free(page);
}

/* Return: one that the caller holds, or NULL. */
static struct page *new_page(const char *status, const char *text, size_t length)
{
	struct page *page = calloc(1, sizeof(*page));
	size_t size;
	FILE *out = page ? open_memstream(&page->text, &size) : NULL;

	if (!out) {
		free(page);
		return NULL;
	}
	fprintf(out, "HTTP/1.1 %s\r\n"
		"Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
		"Content-Length: %zu\r\nConnection: close\r\n\r\n", status, length);
	page->head = ftello(out);
	fwrite(text, 1, length, out);
	page->length = page->head + length;
	page->users = 1;
	if (fclose(out)) {
		put_page(page);
		return NULL;
	}
	return page;
}

static struct page *word_page(const char *status)
{
	return new_page(status, status, strlen(status));
}

/* --- connections --- */

/* An address without a port, of which a client has many. Zeros: of another family */
struct peer {
	struct in6_addr address;
};

/* @sock: -1: there is none; the other members are those of the state */
struct connection {
	int sock;
	struct peer peer;
	enum { READS, TELLS, ENDS } state;
	uint64_t until;
	uint64_t moved_ns;		/* when it came, or moved something last */
	char request[REQUEST_BYTES];
	size_t length;
	struct page *page;
	size_t told;
	size_t to_tell;
};

struct server {
	int sock;
	int (*put)(FILE *page, void *arg);
	void *arg;
	struct page *page;		/* the last one; NULL: it is to be made */
	struct connection connection[CONNECTIONS_MAX];
};

static void set_state(struct connection *connection, int state, uint64_t ns)
{
	connection->state = state;
	connection->moved_ns = now();
	connection->until = connection->moved_ns + ns;
}

static void drop(struct connection *connection)
{
	close(connection->sock);
	connection->sock = -1;
	put_page(connection->page);
	connection->page = NULL;
}

static struct page *make_page(struct server *server)
{
	const uint64_t begin = now();
	struct page *page = NULL;
	size_t length = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &length);
	const int failed = out ? server->put(out, server->arg) : -1;

	if (out && !fclose(out))
		page = new_page(failed ? "503 Service Unavailable" : "200 OK", text, length);
	free(text);
	if (!page)
		return word_page("500 Out of memory");
	page->made_ns = now();
	page->took_ns = page->made_ns - begin;
	put_page(server->page);
	server->page = failed ? NULL : page;
	page->users += !failed;
	return page;
}

/* Return: one that the caller holds, or NULL. */
static struct page *page_of(struct server *server)
{
	struct page *page = server->page;

	if (!page || now() - page->made_ns >= 3 * page->took_ns)
		return make_page(server);
	page->users++;
	return page;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* @request: NULL: it is none */
static struct page *answer_to(struct server *server, const char *request)
{
	const char *path;

	if (!request)
		return word_page("400 Bad Request");
	if (!begins(request, "GET ") && !begins(request, "HEAD "))
		return word_page("405 Method Not Allowed");
	path = strchr(request, ' ');
	if (!begins(path, " /metrics ") && !begins(path, " /metrics?"))
		return word_page("404 Not Found: it is /metrics");
	return page_of(server);
}

static void answer(struct server *server, struct connection *connection, const char *request)
{
	struct page *page = answer_to(server, request);

	if (!page) {
		drop(connection);
		return;
	}
	connection->page = page;
	connection->told = 0;
	connection->to_tell = request && begins(request, "HEAD ") ? page->head : page->length;
	set_state(connection, TELLS, ANSWER_NS);
}

/* --- steps of a connection --- */

static bool has_nothing_yet(ssize_t ret)
{
	return ret < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Up to the empty line */
static void read_request(struct server *server, struct connection *connection)
{
	char *request = connection->request;
	const size_t room = REQUEST_BYTES - 1 - connection->length;
	const ssize_t got = recv(connection->sock, request + connection->length, room, MSG_DONTWAIT);

	if (has_nothing_yet(got))
		return;
	if (got <= 0) {
		answer(server, connection, NULL);
		return;
	}
	connection->length += got;
	connection->moved_ns = now();
	request[connection->length] = '\0';
	if (strstr(request, "\r\n\r\n"))
		answer(server, connection, request);
	else if (connection->length == REQUEST_BYTES - 1)
		answer(server, connection, NULL);
}

static void tell(struct connection *connection)
{
	const ssize_t sent = send(connection->sock, connection->page->text + connection->told,
				  connection->to_tell - connection->told,
				  MSG_NOSIGNAL | MSG_DONTWAIT);

	if (has_nothing_yet(sent))
		return;
	if (sent < 0) {
		drop(connection);
		return;
	}
	connection->told += sent;
	connection->moved_ns = now();
	if (connection->told < connection->to_tell)
		return;
	/* a side that has sent more than was read would get a reset in place of the answer */
	shutdown(connection->sock, SHUT_WR);
	set_state(connection, ENDS, END_NS);
}

static void read_rest(struct connection *connection)
{
	char rest[512];
	const ssize_t got = recv(connection->sock, rest, sizeof(rest), MSG_DONTWAIT);

	if (!has_nothing_yet(got) && got <= 0)
		drop(connection);
}

static void move(struct server *server, struct connection *connection)
{
	switch (connection->state) {
	case READS:
		read_request(server, connection);
		break;
	case TELLS:
		tell(connection);
		break;
	case ENDS:
		read_rest(connection);
		break;
	}
}

static void end_late(struct server *server, uint64_t now_ns)
{
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *connection = &server->connection[i];

		if (connection->sock < 0 || now_ns < connection->until)
			continue;
		if (connection->state == READS)
			answer(server, connection, NULL);
		else
			drop(connection);
	}
}

/* --- all of them --- */

static struct peer peer_of(const struct sockaddr_storage *from)
{
	struct peer peer = { 0 };

	if (from->ss_family == AF_INET6)
		peer.address = ((const struct sockaddr_in6 *)from)->sin6_addr;
	else if (from->ss_family == AF_INET)
		memcpy(&peer.address, &((const struct sockaddr_in *)from)->sin_addr, sizeof(struct in_addr));
	return peer;
}

static size_t count_of(const struct server *server, const struct peer *peer)
{
	size_t n = 0;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		n += !memcmp(&server->connection[i].peer, peer, sizeof(*peer));
	return n;
}

/* A free one; or, of the client with most connections, the one that has moved nothing for longest. */
static struct connection *find_room(struct server *server)
{
	struct connection *idle = NULL;
	size_t count, most = 0;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		if (server->connection[i].sock < 0)
			return &server->connection[i];
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *connection = &server->connection[i];

		count = count_of(server, &connection->peer);
		if (count < most || (count == most && connection->moved_ns >= idle->moved_ns))
			continue;
		idle = connection;
		most = count;
	}
	drop(idle);
	return idle;
}

/* Return: 0, or -1 and errno: none can ask any more. */
static int take_connection(struct server *server)
{
	struct sockaddr_storage from = { 0 };
	socklen_t len = sizeof(from);
	const int sock = accept4(server->sock, (struct sockaddr *)&from, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct connection *connection;

	if (sock < 0) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			return poll(NULL, 0, PAUSE_MS) ? -1 : 0;
		/* one that has gone already */
		return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED ||
		       errno == EPROTO ? 0 : -1;
	}
	connection = find_room(server);
	connection->sock = sock;
	connection->peer = peer_of(&from);
	connection->length = 0;
	set_state(connection, READS, REQUEST_NS);
	return 0;
}

/* As poll(2) wants it: until the first one is late. */
static int wait_ms(const struct server *server)
{
	const uint64_t now_ns = now();
	uint64_t until = UINT64_MAX;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		if (server->connection[i].sock >= 0 && server->connection[i].until < until)
			until = server->connection[i].until;
	if (until == UINT64_MAX)
		return -1;
	return until > now_ns ? (until - now_ns) / 1000000 + 1 : 0;
}

static int serve_round(struct server *server)
{
	struct pollfd fds[CONNECTIONS_MAX + 1];

	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		fds[i] = (struct pollfd) {
			.fd = server->connection[i].sock,
			.events = server->connection[i].state == TELLS ? POLLOUT : POLLIN,
		};
	fds[CONNECTIONS_MAX] = (struct pollfd) { .fd = server->sock, .events = POLLIN };
	if (poll(fds, CONNECTIONS_MAX + 1, wait_ms(server)) < 0)
		return errno == EINTR ? 0 : -1;
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		if (fds[i].revents)
			move(server, &server->connection[i]);
	end_late(server, now());
	return fds[CONNECTIONS_MAX].revents ? take_connection(server) : 0;
}

int http_serve(int sock, int (*put)(FILE *page, void *arg), void *arg)
{
	struct server *server = calloc(1, sizeof(*server));
	int ret = server ? 0 : -1;

	if (!server)
		return -1;
	server->sock = sock;
	server->put = put;
	server->arg = arg;
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		server->connection[i].sock = -1;
	/* a connection that ends between poll(2) and accept(2) is no reason to wait there */
	fcntl(sock, F_SETFL, fcntl(sock, F_GETFL) | O_NONBLOCK);
	while (!ret)
		ret = serve_round(server);
	free(server);
	return ret;
}
