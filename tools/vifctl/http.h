/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A page, told by HTTP to all that ask, together: none waits for another one, and each has a time.
 * For a scraper of this machine or its administrator's network, not for the Internet.
 */
#ifndef VIFCTL_HTTP_H
#define VIFCTL_HTTP_H

#include <stdio.h>

/**
 * http_listen - a socket on which it is asked for
 * @address: "PORT" of this machine alone, "ADDRESS:PORT", "[ADDRESS]:PORT" or ":PORT"
 *
 * Return: the socket, or -1 after a message.
 */
int http_listen(const char *address);

/* The one that the service manager has opened (sd_listen_fds(3)), or -1. */
int http_handed_over(void);

/**
 * http_serve - tell the page whenever it is asked for
 * @sock: of http_listen()
 * @put: prints the page; or what is wrong, and returns other than 0
 * @arg: for @put
 *
 * A page is made at most a quarter of the time: it is told again until it is three times as
 * old as the time it took.
 *
 * Return: -1 and errno, when none can ask any more.
 */
int http_serve(int sock, int (*put)(FILE *page, void *arg), void *arg);

#endif
