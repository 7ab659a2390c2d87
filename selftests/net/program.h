/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs of this folder share: time, their end, sockets.
 */
#ifndef SELFTESTS_NET_PROGRAM_H
#define SELFTESTS_NET_PROGRAM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define NSEC_PER_MSEC 1000000LL
#define NSEC_PER_SEC 1000000000LL

/* by a signal, see stop_on_signals() */
extern volatile sig_atomic_t stopped;

/* ends the program: that could not be done, errno says why */
void __attribute__((noreturn)) die(const char *what);

/* of the monotonic clock */
int64_t now_ns(void);

/* by that clock; `stopped` ends it early */
void sleep_until(int64_t ns);

/* From now on SIGINT and SIGTERM, or that many seconds, if any, set `stopped`; what
 * blocks is interrupted.
 */
void stop_on_signals(double seconds);

/* A connected socket. UDP has a large buffer: what arrives must not be lost here, it
 * was sent through what is under test.
 */
int open_client(bool udp, const char *host, const char *port);

/* a socket that listens, or is bound, for IPv4 and IPv6; buffer as above */
int open_server(bool udp, const char *port);

/* Return: a connection, again and again, each in a process of its own, which ends
 * with this one. In this one -1, when it was stopped.
 */
int fork_connections(int listener);

#endif
