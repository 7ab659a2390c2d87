// SPDX-License-Identifier: GPL-2.0
#include "complain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"

static const char *speaker;

FILE *complain_stream(void)
{
	return stderr;
}

void complain_as(const char *name)
{
	speaker = name;
}

static void put(const char *fmt, va_list ap, const char *why)
{
	const char *name = speaker ? speaker : program_invocation_short_name;
	char *text;

	fflush(stdout);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	escape_put_message(stderr, name);
	fputs(": ", stderr);
	escape_put_message(stderr, text ? text : "out of memory");
	if (why)
		fprintf(stderr, ": %s", why);
	putc('\n', stderr);
	free(text);
}

void complain_va(const char *fmt, va_list ap)
{
	put(fmt, ap, NULL);
}

void complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put(fmt, ap, NULL);
	va_end(ap);
}

void complain_errno(const char *fmt, ...)
{
	const char *why = strerror(errno);
	va_list ap;

	va_start(ap, fmt);
	put(fmt, ap, why);
	va_end(ap);
}
