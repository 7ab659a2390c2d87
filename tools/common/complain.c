// SPDX-License-Identifier: GPL-2.0
#include "complain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"

static const char *speaker;
static FILE *stream;

FILE *complain_stream(void)
{
	return stream ?: stderr;
}

void complain_to(FILE *out)
{
	stream = out;
}

void complain_as(const char *name)
{
	speaker = name;
}

static void put(const char *fmt, va_list ap, const char *why)
{
	const char *name = speaker ? speaker : program_invocation_short_name;
	FILE *out = complain_stream();
	char *text;

	fflush(stdout);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	escape_put_message(out, name);
	fputs(": ", out);
	escape_put_message(out, text ? text : "out of memory");
	if (why)
		fprintf(out, ": %s", why);
	putc('\n', out);
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

int complain_output(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	complain_errno("standard output");
	return -1;
}
