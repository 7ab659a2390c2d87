// SPDX-License-Identifier: GPL-2.0
#include "colour.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const codes[COLOURS] = {
	[COLOUR_NAME] = "36", [COLOUR_LIMIT] = "33", [COLOUR_BAD] = "31",
};

static bool is_used;

static bool is_name(const char *word, size_t len, const char *name)
{
	return len && len <= strlen(name) && !strncmp(word, name, len);
}

bool colour_take(enum colour_when *when, const char *word)
{
	static const struct {
		const char *word;
		enum colour_when when;
	} whens[] = {
		{ "", COLOUR_ALWAYS }, { "=always", COLOUR_ALWAYS },
		{ "=auto", COLOUR_AUTO }, { "=never", COLOUR_NEVER },
	};
	const size_t len = strcspn(word, "=");

	if (!is_name(word, len, "color") && !is_name(word, len, "colour"))
		return false;
	for (size_t i = 0; i < sizeof(whens) / sizeof(*whens); i++) {
		if (strcmp(whens[i].word, word + len))
			continue;
		*when = whens[i].when;
		return true;
	}
	return false;
}

/* no-color.org: any value that is not empty, unless an option requests colours */
static bool is_unwanted(void)
{
	const char *no = getenv("NO_COLOR");

	return no && *no;
}

bool colour_is_for_screen(enum colour_when when)
{
	return when == COLOUR_ALWAYS || (when != COLOUR_NEVER && !is_unwanted());
}

void colour_use(enum colour_when when)
{
	is_used = when == COLOUR_ALWAYS ||
		  (when == COLOUR_AUTO && isatty(STDOUT_FILENO) && !is_unwanted());
}

void colour_begin(enum colour colour)
{
	if (is_used)
		printf("\033[%sm", codes[colour]);
}

void colour_end(void)
{
	if (is_used)
		fputs("\033[0m", stdout);
}
