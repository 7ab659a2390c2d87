/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A page, told by HTTP to whoever asks: one after the other, each within a time. For a scraper of
 * this machine or its administrator's network, not for the Internet.
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
 * http_answer - wait until the page is asked for, and tell it
 * @sock: of http_listen()
 * @put: prints the page; or what is wrong, and returns other than 0
 * @arg: for @put
 *
 * Return: 0, or -1 and errno: nobody can ask any more.
 */
int http_answer(int sock, int (*put)(FILE *page, void *arg), void *arg);

#endif
