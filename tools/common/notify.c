// SPDX-License-Identifier: GPL-2.0
/* A datagram to the socket that $NOTIFY_SOCKET names; nothing without one. */
#include "notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clock.h"

static void notify(const char *text)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len = path ? strlen(path) : 0;
	int sock;

	if (!len || len >= sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, path, len);
	/* an abstract address */
	if (to.sun_path[0] == '@')
		to.sun_path[0] = '\0';
	sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return;
	sendto(sock, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&to,
	       offsetof(struct sockaddr_un, sun_path) + len);
	close(sock);
}

void notify_ready_with(const char *status)
{
	char text[256];

	snprintf(text, sizeof(text), "READY=1\nSTATUS=%s", status);
	notify(text);
}

void notify_ready(void)
{
	notify_ready_with("watching");
}

void notify_reloading(void)
{
	char text[64];

	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%llu",
		 clock_ns(CLOCK_MONOTONIC) / 1000ULL);
	notify(text);
}

void notify_stopping(void)
{
	notify("STOPPING=1");
}
