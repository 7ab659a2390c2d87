/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of a screen. Text that exceeds a line is cut off, and no text can contain control sequences.
 *
 * The control sequences are those of ECMA-48 that every terminal supports: move, erase, bold, inverse,
 * eight colours.
 */
#ifndef VIFCTL_CANVAS_H
#define VIFCTL_CANVAS_H

#include <stdbool.h>
#include <stdio.h>

enum canvas_style {
	CANVAS_PLAIN,
	CANVAS_HEAD,
	CANVAS_CURSOR,
	CANVAS_DIM,
	CANVAS_GOOD,
	CANVAS_WARN,
	CANVAS_BAD,
};

/**
 * struct canvas - a screen
 * @out: the terminal
 * @columns: its columns
 * @lines: its lines
 * @is_coloured: use colours; otherwise only bold and inverse
 * @is_utf8: use UTF-8; otherwise ASCII
 * @line: current line; the first is 1
 * @left: columns left on it
 * @under: its style
 */
struct canvas {
	FILE *out;
	int columns;
	int lines;
	bool is_coloured;
	bool is_utf8;
	int line;
	int left;
	enum canvas_style under;
};

/* Start to draw the screen again. canvas_line() begins the first line. */
void canvas_begin(struct canvas *canvas);

/* Begin the next line in a style. Return false if no line is left. */
bool canvas_line(struct canvas *canvas, enum canvas_style style);
void canvas_end_line(struct canvas *canvas);

/* Draw a whole line of ASCII text, which is not escaped. Return: as canvas_line(). */
bool canvas_text(struct canvas *canvas, enum canvas_style style, const char *text);

/* Clear the rest of the screen. */
void canvas_end(struct canvas *canvas);

/* Set the style for the rest of the line; CANVAS_PLAIN: the line's own style. */
void canvas_style(struct canvas *canvas, enum canvas_style style);

/* Draw ASCII text, which is not escaped. */
void canvas_put(struct canvas *canvas, const char *text);

/* Draw it right-aligned in @columns. */
void canvas_put_right(struct canvas *canvas, const char *text, int columns);

/* Draw any bytes, escaped, left-aligned in @columns, and cut them off if they are too long. */
void canvas_put_name(struct canvas *canvas, const char *name, int columns);

/* Draw a character with a width of one column. */
void canvas_glyph(struct canvas *canvas, const char *glyph);

void canvas_space(struct canvas *canvas, int columns);

#endif
