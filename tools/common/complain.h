/* SPDX-License-Identifier: GPL-2.0 */
/* Messages to standard error, like those of warnx(3), but escaped (escape.h). */
#ifndef COMPLAIN_H
#define COMPLAIN_H

#include <stdarg.h>
#include <stdio.h>

/* Print "PROGRAM: message". */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void complain_va(const char *fmt, va_list ap)
	__attribute__((format(printf, 1, 0)));

/* Print "PROGRAM: message: strerror(errno)". */
void complain_errno(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

/* Write what is left of standard output. Return: 0, or -1 after a message: something of it is not written. */
int complain_output(void);

/* Return the stream for further lines of a message. */
FILE *complain_stream(void);

/* Send all further messages to @out; NULL: to standard error. */
void complain_to(FILE *out);

/* Start all further messages with @name; NULL: with the program's name. */
void complain_as(const char *name);

#endif
