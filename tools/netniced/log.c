// SPDX-License-Identifier: GPL-2.0
/* Lines on standard error, escaped. */
#include "log.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES	2048

static bool with_priority;
static bool with_details;
static bool is_plain;

void log_init(bool verbose, bool plain)
{
	with_priority = getenv("JOURNAL_STREAM") != NULL;
	is_plain = plain;
	with_details = verbose;
	setvbuf(stderr, NULL, _IOLBF, 0);
}

/* @to has room for four bytes for each of @from. */
static void escape(const char *from, char *to)
{
	for (; *from; from++)
		if (isprint((unsigned char)*from))
			*to++ = *from;
		else
			to += sprintf(to, "\\x%02x", (unsigned char)*from);
	*to = '\0';
}

static void print_line(FILE *f, const char *before, const char *fmt,
		       va_list ap)
{
	char line[LINE_BYTES], escaped[4 * LINE_BYTES];

	vsnprintf(line, sizeof(line), fmt, ap);
	escape(line, escaped);
	fprintf(f, "%s%s\n", before, escaped);
}

void log_say(enum log_level level, const char *fmt, ...)
{
	char before[16] = "";
	va_list ap;

	if (level == LOG_DETAIL && !with_details)
		return;
	if (with_priority)
		snprintf(before, sizeof(before), "<%d>", level);
	else if (!is_plain)
		strcpy(before, "netniced: ");
	va_start(ap, fmt);
	print_line(stderr, before, fmt, ap);
	va_end(ap);
}

void log_plan(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_line(stdout, "", fmt, ap);
	va_end(ap);
}
