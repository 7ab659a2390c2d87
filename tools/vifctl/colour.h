/* SPDX-License-Identifier: GPL-2.0 */
/* Colours in lines of text, as ip(8) has them: what they mean, and whether they are wanted. */
#ifndef VIFCTL_COLOUR_H
#define VIFCTL_COLOUR_H

#include <stdbool.h>

enum colour_when {
	COLOUR_UNSAID,		/* lines have none, a screen has */
	COLOUR_NEVER,
	COLOUR_AUTO,
	COLOUR_ALWAYS,
};

enum colour {
	COLOUR_NAME,		/* of a VIF */
	COLOUR_LIMIT,
	COLOUR_BAD,		/* something was lost */
	COLOURS
};

/* "c", "color", "colour=always" and so on. Return: whether @word is such an option. */
bool colour_take(enum colour_when *when, const char *word);

/* Of lines, from now on. */
void colour_use(enum colour_when when);

/* Whether a screen has them, where they need not be asked for. */
bool colour_is_for_screen(enum colour_when when);

/* Before and behind what has it, on standard output. */
void colour_begin(enum colour colour);
void colour_end(void);

#endif
