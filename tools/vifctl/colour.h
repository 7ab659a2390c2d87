/* SPDX-License-Identifier: GPL-2.0 */
/* Colours in lines of text, with the options of ip(8). */
#ifndef VIFCTL_COLOUR_H
#define VIFCTL_COLOUR_H

#include <stdbool.h>

enum colour_when {
	COLOUR_UNSAID,		/* without an option: a screen has colours, lines have none */
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

/* Parse "c", "color", "colour=always" and so on. Return false if @word is another option. */
bool colour_take(enum colour_when *when, const char *word);

/* Choose whether further lines have colours. */
void colour_use(enum colour_when when);

/* Does a screen have colours, which need no option there? */
bool colour_is_for_screen(enum colour_when when);

/* Begin and end text with a colour, on standard output. */
void colour_begin(enum colour colour);
void colour_end(void);

#endif
