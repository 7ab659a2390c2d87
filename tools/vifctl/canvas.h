/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of a screen. Nothing that is put on a line reaches beyond its end, and nothing
 * but what is meant here steers the terminal.
 *
 * The control sequences are those of ECMA-48 that every terminal has: move, erase,
 * bold, inverse, eight colours.
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
 * struct canvas - where it is drawn
 * @out: gets the bytes
 * @columns: of a line
 * @lines: of the screen
 * @is_coloured: if not, only bold and inverse are used
 * @is_utf8: if not, ASCII
 * @line: that is being drawn, 1 is the first
 * @left: columns that are left of it
 * @under: the style of the line
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

/* The first line of a new picture is next. */
void canvas_begin(struct canvas *canvas);

/* Begins the next line in a style. Return: false if there is none left. */
bool canvas_line(struct canvas *canvas, enum canvas_style style);
void canvas_end_line(struct canvas *canvas);

/* A whole line of ASCII of our own. Return: as canvas_line(). */
bool canvas_text(struct canvas *canvas, enum canvas_style style, const char *text);

/* Empties what is left of the screen. */
void canvas_end(struct canvas *canvas);

/* A style for what follows on the line; CANVAS_PLAIN: the line's own. */
void canvas_style(struct canvas *canvas, enum canvas_style style);

/* ASCII of our own */
void canvas_put(struct canvas *canvas, const char *text);

/* The same at the right of so many columns */
void canvas_put_right(struct canvas *canvas, const char *text, int columns);

/* Any bytes, escaped, at the left of so many columns; cut if they are too long */
void canvas_put_name(struct canvas *canvas, const char *name, int columns);

/* A character of one column */
void canvas_glyph(struct canvas *canvas, const char *glyph);

void canvas_space(struct canvas *canvas, int columns);

#endif
