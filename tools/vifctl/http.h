/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An HTTP server for one page. Clients are served concurrently, each with a time limit. It is meant for a
 * scraper on this machine or in the administrator's network, not for the Internet.
 */
#ifndef VIFCTL_HTTP_H
#define VIFCTL_HTTP_H

#include <stdio.h>

/**
 * http_listen - open the listening socket
 * @address: "PORT" (for localhost only), "ADDRESS:PORT", "[ADDRESS]:PORT" or ":PORT"
 *
 * Return: the socket, or -1 after a message.
 */
int http_listen(const char *address);

/* Return the socket that the service manager has opened (sd_listen_fds(3)), or -1. */
int http_handed_over(void);

/**
 * http_serve - answer requests
 * @sock: from http_listen()
 * @put: prints the page and returns 0; or prints an error message and returns another value
 * @arg: argument for @put
 *
 * At most a quarter of the time is spent on pages: a page is cached for three times as long as it took
 * to print.
 *
 * Return: -1 and errno, when the socket fails.
 */
int http_serve(int sock, int (*put)(FILE *page, void *arg), void *arg);

#endif
