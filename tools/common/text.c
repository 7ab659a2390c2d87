// SPDX-License-Identifier: GPL-2.0
#include "text.h"

#include <stdlib.h>
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

void words_free(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->word[i]);
	free(words->word);
	*words = (struct words) { 0 };
}
