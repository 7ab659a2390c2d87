// SPDX-License-Identifier: GPL-2.0
/*
 * What is written into files of /proc/network, as a fuzzer's input: what is
 * accepted is in range, comes back the same when it is printed and read again, and is
 * accepted by the tools, for which it is the same; what is not, is not.
 */
#include <linux/errno.h>
#include <linux/string.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../procfs/parse.h"
#include "../../sched/clock.h"
#include "../../sched/fair.h"
#include "../../tools/common/param.h"
#include "check.h"

#define WORDS		2
#define SETTING_BYTES	256

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static const char *const key[WORDS] = { "egress", "ingress" };

static struct nnfs_word word_of(const char *text)
{
	return (struct nnfs_word){ .text = text, .len = strlen(text) };
}

/* Whether the kernel takes a value, and how it prints that. */
static bool is_rate(const struct nnfs_word *word, char *printed)
{
	struct nnfs_word again;
	u64 rate, same;

	if (nnfs_parse_rate(word, &rate))
		return false;
	lab_check(rate == VSCHED_RATE_MAX ||
		  (rate >= VSCHED_RATE_MIN && rate <= VSCHED_RATE_LIMIT),
		  "rate %llu", rate);
	nnfs_print_rate(printed, rate);
	again = word_of(printed);
	lab_check(!nnfs_parse_rate(&again, &same) && same == rate,
		  "rate %llu is printed as %s", rate, printed);
	return true;
}

static bool is_minimum(const struct nnfs_word *word, char *printed)
{
	struct nnfs_word again;
	u64 rate, same;

	if (nnfs_parse_minimum(word, &rate))
		return false;
	lab_check(!rate || (rate >= VSCHED_RATE_MIN && rate <= VSCHED_RATE_LIMIT),
		  "minimum %llu", rate);
	nnfs_print_minimum(printed, rate);
	again = word_of(printed);
	lab_check(!nnfs_parse_minimum(&again, &same) && same == rate,
		  "minimum %llu is printed as %s", rate, printed);
	return true;
}

static bool is_burst(const struct nnfs_word *word, char *printed)
{
	bool is_time, same_is_time;
	struct nnfs_word again;
	u64 burst, same;

	if (nnfs_parse_burst(word, &burst, &is_time))
		return false;
	lab_check(burst <= (is_time ? NNFS_BURST_MAX_NS :
				      NNFS_BURST_MAX_BYTES),
		  "burst %llu", burst);
	nnfs_print_burst(printed, burst, is_time);
	again = word_of(printed);
	lab_check(!nnfs_parse_burst(&again, &same, &same_is_time) &&
		  same == burst && (!burst || same_is_time == is_time),
		  "burst %llu is printed as %s", burst, printed);
	return true;
}

static bool is_limit(const struct nnfs_word *word, char *printed)
{
	struct nnfs_limit limit;

	if (nnfs_parse_limit(word, &limit))
		return false;
	nnfs_print_limit(printed, &limit);
	return true;
}

static bool is_aqm(const struct nnfs_word *word, char *printed)
{
	struct nnfs_aqm aqm;

	if (nnfs_parse_aqm(word, &aqm))
		return false;
	nnfs_print_aqm(printed, &aqm);
	return true;
}

static bool is_link_layer(const struct nnfs_word *word, char *printed)
{
	struct nnfs_link_layer layer, same;
	struct nnfs_word again;

	if (nnfs_parse_link_layer(word, &layer))
		return false;
	lab_check(layer.overhead >= NNFS_OVERHEAD_MIN &&
		  layer.overhead <= NNFS_OVERHEAD_MAX && layer.mpu >= 0 &&
		  layer.mpu <= NNFS_MPU_MAX && !(layer.atm && layer.ptm),
		  "overhead %d mpu %d", layer.overhead, layer.mpu);
	nnfs_print_link_layer(printed, &layer);
	again = word_of(printed);
	lab_check(!nnfs_parse_link_layer(&again, &same) &&
		  same.has_overhead == layer.has_overhead &&
		  same.overhead == layer.overhead && same.mpu == layer.mpu &&
		  same.atm == layer.atm && same.ptm == layer.ptm,
		  "overhead %d mpu %d is printed as %s", layer.overhead, layer.mpu,
		  printed);
	return true;
}

static bool is_number(const struct nnfs_word *word, int min, int max,
		      char *printed)
{
	int number;

	if (nnfs_parse_number(word, &number))
		return false;
	lab_check(number >= 0, "number %d", number);
	snprintf(printed, NNFS_PRINT_MAX, "%d", number);
	return number >= min && number <= max;
}

static bool is_weight(const struct nnfs_word *word, char *printed)
{
	return is_number(word, 1, VSCHED_WEIGHT_MAX, printed);
}

static bool is_priority(const struct nnfs_word *word, char *printed)
{
	return is_number(word, 0, VSCHED_PRIORITIES - 1, printed);
}

static const struct {
	enum param_id id;
	unsigned int words;
	bool (*is)(const struct nnfs_word *word, char *printed);
} kinds[] = {
	{ PARAM_BANDWIDTH, 1, is_rate },
	{ PARAM_MINIMUM, 1, is_minimum },
	{ PARAM_BURST, 1, is_burst },
	{ PARAM_WEIGHT, 1, is_weight },
	{ PARAM_PRIORITY, 1, is_priority },
	{ PARAM_LIMIT, 1, is_limit },
	{ PARAM_AQM, NNFS_AQM_WORDS, is_aqm },
	{ PARAM_LINK_LAYER, NNFS_LINK_LAYER_WORDS, is_link_layer },
};

/* What the tools make of a setting that the kernel has taken. */
static void compare(const struct param *param, const char *text,
		    char printed[WORDS][NNFS_PRINT_MAX])
{
	char *normal = param_normal(param, text), want[2 * NNFS_PRINT_MAX + 20];

	if (strcmp(printed[0], printed[1]))
		snprintf(want, sizeof(want), "egress %s ingress %s", printed[0],
			 printed[1]);
	else
		snprintf(want, sizeof(want), "%s", printed[0]);
	lab_check(!strcmp(normal, want), "%s %s is %s, for the tools %s",
		  param->name, text, want, normal);
	free(normal);
}

static void try_setting(unsigned int kind, const char *text)
{
	const struct param *param = &params[kinds[kind].id];
	struct nnfs_word value[WORDS], bad;
	char printed[WORDS][NNFS_PRINT_MAX];
	bool taken;
	int i;

	taken = !nnfs_split(text, key, WORDS, kinds[kind].words, value, &bad);
	if (!taken)
		lab_check(bad.text >= text &&
			  bad.text + bad.len <= text + strlen(text),
			  "a word outside of the text is to blame");
	for (i = 0; taken && i < WORDS; i++) {
		strcpy(printed[i], param->initial);
		if (value[i].text)
			taken = kinds[kind].is(&value[i], printed[i]);
	}
	if (strlen(text) < SETTING_BYTES)
		lab_check(taken == !param_check(param, text),
			  "%s %s is%s taken, for the tools it is%s", param->name,
			  text, taken ? "" : " not", taken ? " not" : "");
	if (taken)
		compare(param, text, printed);
}

/* The tools write one space where there was white space. */
static void squeeze(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (!strchr(" \t\n\v\f\r", *text))
			*to++ = *text;
		else if (text[1] && !strchr(" \t\n\v\f\r", text[1]))
			*to++ = ' ';
	*to = '\0';
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
	try_path(text);
	squeeze(text);
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		try_setting(i, text);
	free(text);
	return 0;
}
