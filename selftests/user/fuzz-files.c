// SPDX-License-Identifier: GPL-2.0
/*
 * Files of vifctl's batch and restore, as a fuzzer's input: words that are read are
 * the same when they are printed and read again; a file that makes sense has each VIF
 * once, and the one above it; values are the same when they are made comparable twice.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/common/complain.h"
#include "../../tools/common/escape.h"
#include "../../tools/common/failure.h"
#include "../../tools/common/target_word.h"
#include "../../tools/vifctl/lines.h"
#include "../../tools/vifctl/wanted.h"
#include "../../tools/vifctl/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No notification is sent. */
void complain(const char *fmt, ...)
{
	(void)fmt;
}

void complain_va(const char *fmt, va_list ap)
{
	(void)fmt;
	(void)ap;
}

void complain_errno(const char *fmt, ...)
{
	(void)fmt;
}

FILE *complain_stream(void)
{
	static FILE *nowhere;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	return nowhere;
}

void nnfs_warn(const struct nnfs *fs, const char *fmt, ...)
{
	(void)fs;
	(void)fmt;
}

void complain_as(const char *name)
{
	(void)name;
}

static void check(int is_right, const char *what)
{
	if (is_right)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static FILE *open_text(const void *text, size_t size)
{
	/* fmemopen(3) refuses a size of 0 */
	return size ? fmemopen((void *)text, size, "r") : fopen("/dev/null", "r");
}

static char *print_words(char **words)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (; *words; words++) {
		escape_put_word(out, *words);
		putc(' ', out);
	}
	fclose(out);
	return text;
}

static void try_words(char **words)
{
	char *text = print_words(words);
	struct lines again;
	size_t i;

	lines_init(&again, open_text(text, strlen(text)), "again");
	check(lines_next(&again) == 1, "words are no line when printed");
	for (i = 0; words[i] && again.words[i]; i++)
		check(!strcmp(words[i], again.words[i]),
		      "a word is another one when printed");
	check(!words[i] && !again.words[i], "more or less words when printed");
	lines_close(&again);
	free(text);
}

static void try_lines(const void *text, size_t size)
{
	struct lines lines;

	lines_init(&lines, open_text(text, size), "file");
	while (lines_next(&lines) > 0)
		try_words(lines.words);
	lines_close(&lines);
}

static void try_vif(const struct wanted *wanted, const struct wanted_vif *vif)
{
	check(wanted_find(wanted, vif->path) == vif, "a VIF is not found");
	for (size_t i = 0; i < PARAM_COUNT; i++) {
		char *again = param_normal(&params[i], vif->param[i]);

		check(!strcmp(again, vif->param[i]), "a value is not normal");
		free(again);
	}
	for (size_t i = 0; i < vif->n_links; i++) {
		const struct target *target = &vif->link[i].target;
		char *again = target_normal(target->kind, target->name);

		check(!strcmp(again, target->name), "a name is not normal");
		free(again);
	}
}

static void try_file(const void *text, size_t size)
{
	struct wanted wanted;
	struct lines lines;

	lines_init(&lines, open_text(text, size), "file");
	if (!wanted_read(&wanted, &lines))
		for (size_t i = 0; i < wanted.n_vifs; i++)
			try_vif(&wanted, &wanted.vif[i]);
	wanted_free(&wanted);
	lines_close(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_lines(data, size);
	try_file(data, size);
	return 0;
}
