// SPDX-License-Identifier: GPL-2.0
#include "escape.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#define OCTAL_COLUMNS	4

static void put_octal(FILE *out, char byte)
{
	if (out)
		fprintf(out, "\\%03o", (unsigned char)byte);
}

/* The columns of the character at @text of @len bytes, 0 if it does not print. */
static int width_of(const char *text, size_t left, size_t *len)
{
	mbstate_t state = { 0 };
	wchar_t c;

	*len = mbrtowc(&c, text, left, &state);
	if (!*len || *len > left || !iswprint(c) || wcwidth(c) <= 0)
		return 0;
	return wcwidth(c);
}

/* @at: is moved to what had no room */
static int put(FILE *out, const char **at, int room, bool keeps_backslash)
{
	const char *text = *at;
	size_t left = strlen(text), len;
	int columns = 0, width;

	for (; left; text += len, left -= len) {
		width = width_of(text, left, &len);
		if (*text == '\\' && !keeps_backslash)
			width = 0;
		if ((width ? width : OCTAL_COLUMNS) > room - columns)
			break;
		if (width) {
			columns += width;
			if (out)
				fwrite(text, 1, len, out);
			continue;
		}
		len = 1;
		columns += OCTAL_COLUMNS;
		put_octal(out, *text);
	}
	*at = text;
	return columns;
}

int escape_put(FILE *out, const char *text)
{
	return put(out, &text, INT_MAX, false);
}

int escape_put_within(FILE *out, const char *text, int columns)
{
	return put(out, &text, columns, false);
}

const char *escape_end_within(const char *text, int columns)
{
	put(NULL, &text, columns, false);
	return text;
}

void escape_put_message(FILE *out, const char *text)
{
	put(out, &text, INT_MAX, true);
}

void escape_put_word(FILE *out, const char *text)
{
	if (!*text)
		fputs("\"\"", out);
	for (; *text; text++)
		if (*text > ' ' && *text < 0x7f && !strchr("\\\"'#", *text))
			putc(*text, out);
		else
			put_octal(out, *text);
}
