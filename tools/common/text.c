// SPDX-License-Identifier: GPL-2.0
#include "text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "complain.h"

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

bool text_port(const char *text, unsigned long *port)
{
	return text_number(text, UINT16_MAX, port) && *port;
}

int words_append(struct words *words, const char *word)
{
	char *copy = strdup(word);
	char **added = copy ? array_add(&words->word, &words->count, sizeof(*added)) : NULL;

	if (added) {
		*added = copy;
		return 0;
	}
	free(copy);
	complain("out of memory");
	return -1;
}

void words_free(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->word[i]);
	free(words->word);
	*words = (struct words) { 0 };
}
