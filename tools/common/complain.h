/* SPDX-License-Identifier: GPL-2.0 */
/* Messages to standard error, as warnx(3) has them, but escaped (escape.h). */
#ifndef COMPLAIN_H
#define COMPLAIN_H

#include <stdarg.h>
#include <stdio.h>

/* "PROGRAM: message" */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void complain_va(const char *fmt, va_list ap)
	__attribute__((format(printf, 1, 0)));

/* "PROGRAM: message: what errno says" */
void complain_errno(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/* Where more lines of a message go. */
FILE *complain_stream(void);

/* All messages go there from now on; NULL: to standard error. */
void complain_to(FILE *out);

/* What stands before all messages from now on; NULL: the program's name. */
void complain_as(const char *name);

#endif
