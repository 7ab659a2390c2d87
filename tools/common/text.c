// SPDX-License-Identifier: GPL-2.0
#include "text.h"

#include <string.h>

#define BLANKS	" \t\r\n"

char *text_trim(char *text)
{
	size_t len;

	text += strspn(text, BLANKS);
	len = strlen(text);
	while (len && strchr(BLANKS, text[len - 1]))
		text[--len] = '\0';
	return text;
}
