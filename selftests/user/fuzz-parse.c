// SPDX-License-Identifier: GPL-2.0
/*
 * What is written into files of /proc/network, as a fuzzer's input: what is
 * accepted is in range, comes back the same when it is printed and read again, and is
 * for vifctl what it is for the kernel.
 */
#include <linux/errno.h>
#include <linux/string.h>
#include <stdlib.h>

#include "../../procfs/parse.h"
#include "../../sched/clock.h"
#include "../../tools/vifctl/units.h"
#include "check.h"

#define WORDS	2

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static struct nnfs_word word_of(const char *text)
{
	return (struct nnfs_word){ .text = text, .len = strlen(text) };
}

/* @word is the end of a string, as far as the tools are concerned. */
static void try_units(char *(*units)(const char *word),
		      const struct nnfs_word *word, const char *printed)
{
	char *text = strndup(word->text, word->len);
	char *same = units(text);

	lab_check(!strcmp(same, printed), "%s is %s, for vifctl %s", text,
		  printed, same);
	free(same);
	free(text);
}

static void try_rate(const struct nnfs_word *word)
{
	struct nnfs_word again;
	char printed[NNFS_PRINT_MAX];
	u64 rate, same;

	if (nnfs_parse_rate(word, &rate))
		return;
	lab_check(rate == VSCHED_RATE_MAX ||
		  (rate >= VSCHED_RATE_MIN && rate <= VSCHED_RATE_LIMIT),
		  "rate %llu", rate);
	nnfs_print_rate(printed, rate);
	again = word_of(printed);
	lab_check(!nnfs_parse_rate(&again, &same) && same == rate,
		  "rate %llu is printed as %s", rate, printed);
	try_units(units_rate, word, printed);
}

static void try_burst(const struct nnfs_word *word)
{
	bool is_time, same_is_time;
	struct nnfs_word again;
	char printed[NNFS_PRINT_MAX];
	u64 burst, same;

	if (nnfs_parse_burst(word, &burst, &is_time))
		return;
	lab_check(burst <= (is_time ? NNFS_BURST_MAX_NS :
				      NNFS_BURST_MAX_BYTES),
		  "burst %llu", burst);
	nnfs_print_burst(printed, burst, is_time);
	again = word_of(printed);
	lab_check(!nnfs_parse_burst(&again, &same, &same_is_time) &&
		  same == burst && (!burst || same_is_time == is_time),
		  "burst %llu is printed as %s", burst, printed);
	try_units(units_burst, word, printed);
}

static void try_limit(const struct nnfs_word *word)
{
	struct nnfs_limit limit;
	char printed[NNFS_PRINT_MAX];

	if (nnfs_parse_limit(word, &limit))
		return;
	nnfs_print_limit(printed, &limit);
	try_units(units_limit, word, printed);
}

/* vifctl has words with one space between them only. */
static void try_aqm(const struct nnfs_word *words)
{
	struct nnfs_aqm aqm;
	char printed[NNFS_PRINT_MAX];

	if (nnfs_parse_aqm(words, &aqm))
		return;
	for (size_t i = 0; i < words->len; i++)
		if (strchr("\t\n\v\f\r", words->text[i]) ||
		    !strncmp(words->text + i, "  ", 2))
			return;
	nnfs_print_aqm(printed, &aqm);
	try_units(units_aqm, words, printed);
}

static void try_words(const char *text, unsigned int words)
{
	static const char *const key[WORDS] = { "egress", "ingress" };
	struct nnfs_word value[WORDS], bad;
	int number, i;

	if (nnfs_split(text, key, WORDS, words, value, &bad)) {
		lab_check(bad.text >= text &&
			  bad.text + bad.len <= text + strlen(text),
			  "a word outside of the text is to blame");
		return;
	}
	for (i = 0; i < WORDS; i++) {
		if (!value[i].text)
			continue;
		try_rate(&value[i]);
		try_burst(&value[i]);
		try_limit(&value[i]);
		try_aqm(&value[i]);
		lab_check(nnfs_parse_number(&value[i], &number) ||
			  number >= 0, "number %d", number);
	}
}

static void try_path(const char *text)
{
	size_t size = 1 + strlen(text) % 64;
	char *path = malloc(size);

	if (!nnfs_join_path("/a/b", text, path, size))
		lab_check(strlen(path) < size && !strstr(path, "//") &&
			  !strstr(path, "/./") && !strstr(path, "/../"),
			  "path %s", path);
	free(path);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	try_words(text, 1);
	try_words(text, 5);
	try_path(text);
	free(text);
	return 0;
}
