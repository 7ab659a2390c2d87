// SPDX-License-Identifier: GPL-2.0
#include "http.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "complain.h"

/* For the whole of a request, and for telling the page */
#define REQUEST_NS	(2 * SECOND_NS)
#define ANSWER_NS	(10 * SECOND_NS)

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

/* --- a request --- */

static uint64_t now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Waits until something may be done with a socket. Return: whether that was before @end. */
static bool waits(int sock, short events, uint64_t end)
{
	struct pollfd poller = { .fd = sock, .events = events };
	int64_t left = end - now();

	return left > 0 && poll(&poller, 1, left / 1000000 + 1) > 0;
}

/* Up to the empty line. Return: whether it is one. */
static bool read_request(int sock, char *request, size_t size)
{
	const uint64_t end = now() + REQUEST_NS;
	size_t length = 0;
	ssize_t got;

	while (length < size - 1 && waits(sock, POLLIN, end)) {
		got = recv(sock, request + length, size - 1 - length, MSG_DONTWAIT);
		if (got <= 0)
			return false;
		length += got;
		request[length] = '\0';
		if (strstr(request, "\r\n\r\n"))
			return true;
	}
	return false;
}

static void send_all(int sock, const char *text, size_t length)
{
	const uint64_t end = now() + ANSWER_NS;
	ssize_t sent;

	while (length > 0 && waits(sock, POLLOUT, end)) {
		sent = send(sock, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent < 0)
			return;
		text += sent;
		length -= sent;
	}
}

static void tell(int sock, const char *status, const char *page, size_t length, bool with_page)
{
	char *head;
	int bytes = asprintf(&head, "HTTP/1.1 %s\r\n"
			     "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
			     "Content-Length: %zu\r\nConnection: close\r\n\r\n", status, length);

	if (bytes < 0)
		return;
	send_all(sock, head, bytes);
	if (with_page)
		send_all(sock, page, length);
	free(head);
}

static void tell_word(int sock, const char *status)
{
	tell(sock, status, status, strlen(status), true);
}

static void tell_page(int sock, bool with_page, int (*put)(FILE *page, void *arg), void *arg)
{
	size_t length = 0;
	char *page = NULL;
	FILE *out = open_memstream(&page, &length);
	int failed = out ? put(out, arg) : -1;

	if (!out || fclose(out))
		tell_word(sock, "500 Out of memory");
	else
		tell(sock, failed ? "503 Service Unavailable" : "200 OK", page, length, with_page);
	free(page);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static void serve(int sock, int (*put)(FILE *page, void *arg), void *arg)
{
	char request[8192];
	const bool is_read = read_request(sock, request, sizeof(request));
	const bool is_head = is_read && begins(request, "HEAD ");
	const char *path = strchr(request, ' ');

	if (!is_read)
		tell_word(sock, "400 Bad Request");
	else if (!is_head && !begins(request, "GET "))
		tell_word(sock, "405 Method Not Allowed");
	else if (!begins(path, " /metrics ") && !begins(path, " /metrics?"))
		tell_word(sock, "404 Not Found: it is /metrics");
	else
		tell_page(sock, !is_head, put, arg);
}

/* Who has not sent all that we have not read would not be told the end: he is to see ours first. */
static void end(int sock)
{
	const uint64_t until = now() + REQUEST_NS;
	char rest[512];

	shutdown(sock, SHUT_WR);
	while (waits(sock, POLLIN, until) && recv(sock, rest, sizeof(rest), MSG_DONTWAIT) > 0)
		;
	close(sock);
}

int http_answer(int sock, int (*put)(FILE *page, void *arg), void *arg)
{
	int one = accept4(sock, NULL, NULL, SOCK_CLOEXEC);

	/* who has gone already is no reason not to wait for others */
	if (one < 0)
		return errno == EINTR || errno == ECONNABORTED || errno == EMFILE ||
		       errno == ENFILE || errno == EPROTO ? 0 : -1;
	serve(one, put, arg);
	end(one);
	return 0;
}
