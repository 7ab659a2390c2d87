// SPDX-License-Identifier: GPL-2.0
/* Numbers with suffixes, and the table of the settings of a VIF. */
#include "value.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WORD_BYTES	64

struct suffix {
	const char *name;
	double factor;
};

#define K	1e3
#define KI	1024.

static const struct suffix rates[] = {
	{ "", 1 }, { "bit", 1 },
	{ "k", K }, { "kbit", K }, { "m", K * K }, { "mbit", K * K },
	{ "g", K * K * K }, { "gbit", K * K * K },
	{ "t", K * K * K * K }, { "tbit", K * K * K * K },
	{ "ki", KI }, { "kibit", KI }, { "mi", KI * KI }, { "mibit", KI * KI },
	{ "gi", KI * KI * KI }, { "gibit", KI * KI * KI },
	{ "ti", KI * KI * KI * KI }, { "tibit", KI * KI * KI * KI },
	{ "bps", 8 }, { "kbps", 8 * K }, { "mbps", 8 * K * K },
	{ "gbps", 8 * K * K * K }, { "tbps", 8 * K * K * K * K },
	{ "kibps", 8 * KI }, { "mibps", 8 * KI * KI },
	{ "gibps", 8 * KI * KI * KI }, { "tibps", 8 * KI * KI * KI * KI },
	{ NULL, 0 }
};

static const struct suffix times[] = {
	{ "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 },
	{ NULL, 0 }
};

static const struct suffix sizes[] = {
	{ "", 1 }, { "b", 1 }, { "k", KI }, { "kb", KI },
	{ "m", KI * KI }, { "mb", KI * KI },
	{ "g", KI * KI * KI }, { "gb", KI * KI * KI },
	{ "kbit", K / 8 }, { "mbit", K * K / 8 }, { "gbit", K * K * K / 8 },
	{ NULL, 0 }
};

static const struct suffix packets[] = {
	{ "p", 1 }, { "packet", 1 }, { "packets", 1 }, { NULL, 0 }
};

static const struct suffix plain[] = { { "", 1 }, { NULL, 0 } };

/* Digits with at most one point in them; where they end, or NULL. */
static const char *number_end(const char *word)
{
	size_t digits = strspn(word, "0123456789");
	size_t more = 0;

	if (!digits)
		return NULL;
	if (word[digits] == '.') {
		more = strspn(word + digits + 1, "0123456789");
		return more ? word + digits + 1 + more : NULL;
	}
	return word + digits;
}

static bool parse(const char *word, const struct suffix *suffix, double *value)
{
	const char *end = number_end(word);

	if (!end || strlen(word) >= WORD_BYTES)
		return false;
	for (; suffix->name; suffix++)
		if (!strcasecmp(end, suffix->name)) {
			*value = atof(word) * suffix->factor;
			return true;
		}
	return false;
}

static bool in_range(const char *word, const struct suffix *suffix, double min,
		     double max)
{
	double value;

	return parse(word, suffix, &value) && value >= min && value <= max;
}

bool value_rate(const char *word, double *bits_per_s)
{
	return parse(word, rates, bits_per_s);
}

bool value_time(const char *word, double *seconds)
{
	return parse(word, times, seconds);
}

bool value_size(const char *word, double *bytes)
{
	return parse(word, sizes, bytes);
}

static bool is_whole(const char *word, double min, double max)
{
	return !strchr(word, '.') && in_range(word, plain, min, max);
}

static bool is_bandwidth(const char *word)
{
	return !strcmp(word, "max") || in_range(word, rates, 8e3, 100e9);
}

static bool is_burst(const char *word)
{
	return !strcmp(word, "auto") || in_range(word, times, 0, 10) ||
	       in_range(word, sizes, 0, 4 * KI * KI * KI);
}

static bool is_weight(const char *word)
{
	return is_whole(word, 1, 10000);
}

static bool is_priority(const char *word)
{
	return is_whole(word, 0, 7);
}

static bool is_limit(const char *word)
{
	return !strcmp(word, "auto") || !strcmp(word, "max") ||
	       in_range(word, sizes, 0, 4 * KI * KI * KI - 1) ||
	       (!strchr(word, '.') && in_range(word, packets, 0, 1e6));
}

/* aqm: its words are looked at by the kernel one after the other */
static bool is_aqm(const char *word)
{
	return !strcmp(word, "auto") || !strcmp(word, "none") ||
	       !strcmp(word, "codel") || !strcmp(word, "target") ||
	       !strcmp(word, "interval") || in_range(word, times, 1e-6, 10);
}

#define RATE_RIGHT	"a rate from 8kbit to 100gbit (256k, 1.5mbit, 32kbps), or max"
#define WEIGHT_RIGHT	"a whole number from 1 to 10000"
#define PRIORITY_RIGHT	"a whole number from 0 (first) to 7"

static const struct {
	const char *name;
	const char *without;
	bool (*is)(const char *word);
	const char *right;
} params[PARAM_COUNT] = {
	[PARAM_BANDWIDTH] = { "bandwidth", "max", is_bandwidth, RATE_RIGHT },
	[PARAM_BURST] = { "burst", "auto", is_burst,
			  "a time up to 10s (5ms), a size up to 4gb (64k), or auto" },
	[PARAM_WEIGHT] = { "weight", "100", is_weight, WEIGHT_RIGHT },
	[PARAM_PRIORITY] = { "priority", "4", is_priority, PRIORITY_RIGHT },
	[PARAM_LOCAL_WEIGHT] = { "local_weight", "100", is_weight,
				 WEIGHT_RIGHT },
	[PARAM_LOCAL_PRIORITY] = { "local_priority", "4", is_priority,
				   PRIORITY_RIGHT },
	[PARAM_LIMIT] = { "limit", "auto", is_limit,
			  "a size below 4gb (64k), packets up to 1000000 (100p), max, or auto" },
	[PARAM_AQM] = { "aqm", "auto", is_aqm,
			"codel [target TIME] [interval TIME], none, or auto" },
};

int value_param(const char *name)
{
	for (int i = 0; i < PARAM_COUNT; i++)
		if (!strcmp(params[i].name, name))
			return i;
	return -1;
}

const char *value_param_name(enum param param)
{
	return params[param].name;
}

const char *value_param_default(enum param param)
{
	return params[param].without;
}

/* The next word of *@text, cut off where it is too long to be a value. */
static bool next_word(const char **text, char word[WORD_BYTES])
{
	size_t len;

	*text += strspn(*text, " ");
	len = strcspn(*text, " ");
	snprintf(word, WORD_BYTES, "%.*s", (int)len, *text);
	*text += len;
	return len > 0;
}

/* 0 for egress, 1 for ingress, -1 for any other word */
static int direction(const char *word)
{
	return !strcmp(word, "egress") ? 0 : !strcmp(word, "ingress") ? 1 : -1;
}

#define DIRECTIONS_RIGHT	"VALUE for both directions, or " \
				"egress VALUE and ingress VALUE, each once"

/* One value, or one behind each direction; only aqm's have several words. */
const char *value_check(enum param param, const char *text)
{
	bool seen[2] = { false, false };
	char word[WORD_BYTES];
	int values = 0, which;

	while (next_word(&text, word)) {
		which = direction(word);
		if (which < 0) {
			if (!params[param].is(word))
				return params[param].right;
			if (values++ && param != PARAM_AQM)
				return DIRECTIONS_RIGHT;
			continue;
		}
		/* behind a value only if that has a direction, too */
		if (seen[which] || (values > 0) != (seen[0] || seen[1]))
			return DIRECTIONS_RIGHT;
		seen[which] = true;
		values = 0;
	}
	return values ? NULL : params[param].right;
}
