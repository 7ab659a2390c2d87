/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of the daemon, on standard error, one line each. If systemd's journal reads them, they
 * have a priority. Characters that are not printable are escaped, so that a line cannot control a
 * terminal.
 */
#ifndef NETNICED_LOG_H
#define NETNICED_LOG_H

#include <stdbool.h>

/* As syslog(3) numbers them. */
enum log_level {
	LOG_ERROR	= 3,
	LOG_WARN	= 4,
	LOG_NOTE	= 5,
	LOG_DETAIL	= 6,	/* with -v only */
};

/* @plain: without the program's name: lines of --check begin with file and line number */
void log_init(bool verbose, bool plain);
void log_say(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Print an operation of --dry-run to standard output, escaped as well. */
void log_plan(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
