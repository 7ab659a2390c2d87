// SPDX-License-Identifier: GPL-2.0
#include "canvas.h"

#include <string.h>

#include "escape.h"

/* A line of the cursor's is one bar: nothing on it has another style. */
static void select_style(struct canvas *canvas, enum canvas_style style)
{
	static const char *const plain[] = {
		[CANVAS_HEAD] = ";1", [CANVAS_CURSOR] = ";7",
		[CANVAS_BAD] = ";1",
	};
	static const char *const coloured[] = {
		[CANVAS_HEAD] = ";1", [CANVAS_CURSOR] = ";7",
		[CANVAS_DIM] = ";36", [CANVAS_GOOD] = ";32",
		[CANVAS_WARN] = ";33", [CANVAS_BAD] = ";31",
	};
	const char *code = NULL;

	if (canvas->under == CANVAS_CURSOR)
		style = CANVAS_CURSOR;
	if (canvas->is_coloured)
		code = coloured[style];
	else if (style < sizeof(plain) / sizeof(*plain))
		code = plain[style];
	fprintf(canvas->out, "\033[0%sm", code ? code : "");
}

void canvas_begin(struct canvas *canvas)
{
	canvas->line = 0;
}

bool canvas_line(struct canvas *canvas, enum canvas_style style)
{
	if (canvas->line >= canvas->lines)
		return false;
	canvas->line++;
	canvas->left = canvas->columns;
	canvas->under = style;
	fprintf(canvas->out, "\033[%d;1H", canvas->line);
	select_style(canvas, style);
	return true;
}

/* Behind a full line the cursor stands on its last character: nothing to erase. */
void canvas_end_line(struct canvas *canvas)
{
	if (canvas->under == CANVAS_CURSOR)
		canvas_space(canvas, canvas->left);
	fputs("\033[0m", canvas->out);
	if (canvas->left)
		fputs("\033[K", canvas->out);
}

bool canvas_text(struct canvas *canvas, enum canvas_style style, const char *text)
{
	if (!canvas_line(canvas, style))
		return false;
	canvas_put(canvas, text);
	canvas_end_line(canvas);
	return true;
}

void canvas_end(struct canvas *canvas)
{
	while (canvas_text(canvas, CANVAS_PLAIN, ""))
		;
}

void canvas_style(struct canvas *canvas, enum canvas_style style)
{
	select_style(canvas, style == CANVAS_PLAIN ? canvas->under : style);
}

void canvas_put(struct canvas *canvas, const char *text)
{
	int len = strlen(text);

	if (len > canvas->left)
		len = canvas->left;
	fwrite(text, 1, len, canvas->out);
	canvas->left -= len;
}

void canvas_put_right(struct canvas *canvas, const char *text, int columns)
{
	canvas_space(canvas, columns - (int)strlen(text));
	canvas_put(canvas, text);
}

void canvas_put_name(struct canvas *canvas, const char *name, int columns)
{
	int used;

	if (columns > canvas->left)
		columns = canvas->left;
	if (columns <= 0)
		return;
	if (escape_put_within(NULL, name, columns) == escape_put(NULL, name)) {
		used = escape_put(canvas->out, name);
		canvas->left -= used;
	} else {
		used = escape_put_within(canvas->out, name, columns - 1);
		canvas->left -= used;
		canvas_put(canvas, "~");
		used++;
	}
	canvas_space(canvas, columns - used);
}

void canvas_glyph(struct canvas *canvas, const char *glyph)
{
	if (!canvas->left)
		return;
	fputs(glyph, canvas->out);
	canvas->left--;
}

void canvas_space(struct canvas *canvas, int columns)
{
	for (; columns > 0 && canvas->left; columns--, canvas->left--)
		putc(' ', canvas->out);
}
