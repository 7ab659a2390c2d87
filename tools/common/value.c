// SPDX-License-Identifier: GPL-2.0
#include "value.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "units.h"

#define RATE_MIN_BITS		8000ULL
#define RATE_MAX_BITS		100000000000ULL
#define TIME_MAX_NS		10000000000ULL
#define SIZE_MAX_BYTES		4294967296ULL
#define LIMIT_MAX_PACKETS	1000000ULL
#define CODEL_MIN_NS		1000ULL
#define OVERHEAD_MIN_BYTES	(-64)
#define OVERHEAD_MAX_BYTES	256
#define MPU_MAX_BYTES		256

static bool is_within(units_t value, units_t min, units_t max)
{
	return value >= min && value <= max;
}

/* Words are shown in small letters. */
static bool take_word(const char *word, char **normal)
{
	*normal = strdup(word);
	for (char *c = *normal; c && *c; c++)
		*c = tolower((unsigned char)*c);
	return true;
}

static bool take_nothing(const char *words, char **normal)
{
	*normal = strdup(words);
	return false;
}

/* What it counts in is whole bytes per second. */
static bool take_rate(const char *words, const char *no_rate, char **normal)
{
	units_t bits;

	if (!strcasecmp(words, no_rate))
		return take_word(words, normal);
	if (!units_rate(words, &bits))
		return take_nothing(words, normal);
	*normal = units_print_rate(bits / 8 * 8);
	return is_within(bits, RATE_MIN_BITS, RATE_MAX_BITS);
}

bool value_bandwidth(const char *words, char **normal)
{
	return take_rate(words, "max", normal);
}

bool value_minimum(const char *words, char **normal)
{
	return take_rate(words, "none", normal);
}

bool value_burst(const char *words, char **normal)
{
	units_t value;

	if (!strcasecmp(words, "auto"))
		return take_word(words, normal);
	if (units_size(words, &value)) {
		*normal = units_print_size(value);
		return is_within(value, 1, SIZE_MAX_BYTES);
	}
	if (!units_time(words, &value))
		return take_nothing(words, normal);
	*normal = units_print_time(value);
	return is_within(value, 1, TIME_MAX_NS);
}

/* Digits alone, as the kernel prints them. */
static bool take_number(const char *words, unsigned long min, unsigned long max,
			char **normal)
{
	unsigned long n = strtoul(words, NULL, 10);

	*normal = strdup(words);
	return *words && !words[strspn(words, "0123456789")] &&
	       (*words != '0' || !words[1]) && n >= min && n <= max;
}

bool value_weight(const char *words, char **normal)
{
	return take_number(words, 1, 10000, normal);
}

bool value_priority(const char *words, char **normal)
{
	return take_number(words, 0, 7, normal);
}

bool value_limit(const char *words, char **normal)
{
	units_t value;

	if (!strcasecmp(words, "max") || !strcasecmp(words, "auto"))
		return take_word(words, normal);
	if (units_size(words, &value)) {
		*normal = units_print_size(value);
		return is_within(value, 1, SIZE_MAX_BYTES - 1);
	}
	if (!units_packets(words, &value))
		return take_nothing(words, normal);
	*normal = units_print_packets(value);
	return is_within(value, 1, LIMIT_MAX_PACKETS);
}

struct codel {
	units_t target_ns;	/* 0: not given */
	units_t interval_ns;
};

/* Times are cut off at microseconds. */
static bool take_time(const char *word, units_t *ns)
{
	if (*ns || !word || !units_time(word, ns) ||
	    !is_within(*ns, CODEL_MIN_NS, TIME_MAX_NS))
		return false;
	*ns = *ns / 1000 * 1000;
	return true;
}

/* "target TIME" and "interval TIME", in any order */
static bool take_times(char *words, struct codel *codel)
{
	char *save, *word;
	units_t *ns;

	for (word = strtok_r(words, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		if (!strcasecmp(word, "target"))
			ns = &codel->target_ns;
		else if (!strcasecmp(word, "interval"))
			ns = &codel->interval_ns;
		else
			return false;
		if (!take_time(strtok_r(NULL, " ", &save), ns))
			return false;
	}
	return !codel->interval_ns || codel->target_ns < codel->interval_ns;
}

static char *print_codel(const struct codel *codel)
{
	char *target = codel->target_ns ? units_print_time(codel->target_ns) : NULL;
	char *interval = codel->interval_ns ? units_print_time(codel->interval_ns) : NULL;
	char *text;

	if (asprintf(&text, "codel%s%s%s%s", target ? " target " : "", target ?: "",
		     interval ? " interval " : "", interval ?: "") < 0)
		text = NULL;
	free(target);
	free(interval);
	return text;
}

static bool is_codel(const char *words, struct codel *codel)
{
	static const char name[] = "codel";
	const size_t len = sizeof(name) - 1;
	char *rest;
	bool is;

	if (strncasecmp(words, name, len) || (words[len] && words[len] != ' '))
		return false;
	rest = strdup(words + len);
	is = rest && take_times(rest, codel);
	free(rest);
	return is;
}

bool value_aqm(const char *words, char **normal)
{
	struct codel codel = { 0 };

	if (!strcasecmp(words, "none"))
		return take_word(words, normal);
	if (strcasecmp(words, "auto") && !is_codel(words, &codel))
		return take_nothing(words, normal);
	*normal = print_codel(&codel);
	return true;
}

struct link_layer {
	char *overhead;		/* NULL: not given */
	char *mpu;
	char *framing;
};

/* A whole number as the kernel prints it, but for a zero that has a sign. */
static bool take_bytes(char *word, long min, long max, char **taken)
{
	const char *digits;

	if (*taken || !word)
		return false;
	digits = word + (*word == '-');
	*taken = strcmp(word, "-0") ? word : word + 1;
	return *digits && !digits[strspn(digits, "0123456789")] &&
	       (*digits != '0' || !digits[1]) && strlen(digits) < 10 &&
	       atol(word) >= min && atol(word) <= max;
}

static bool take_framing(char *word, char **framing)
{
	if (*framing || (strcasecmp(word, "atm") && strcasecmp(word, "ptm") &&
			 strcasecmp(word, "noatm")))
		return false;
	for (char *c = word; *c; c++)
		*c = tolower((unsigned char)*c);
	*framing = word;
	return true;
}

static bool take_link_layer(char *words, struct link_layer *layer)
{
	char *save, *word;
	bool taken = true;

	for (word = strtok_r(words, " ", &save); taken && word;
	     word = strtok_r(NULL, " ", &save)) {
		if (!strcasecmp(word, "overhead"))
			taken = take_bytes(strtok_r(NULL, " ", &save), OVERHEAD_MIN_BYTES,
					   OVERHEAD_MAX_BYTES, &layer->overhead);
		else if (!strcasecmp(word, "mpu"))
			taken = take_bytes(strtok_r(NULL, " ", &save), 0,
					   MPU_MAX_BYTES, &layer->mpu);
		else
			taken = take_framing(word, &layer->framing);
	}
	return taken;
}

static char *print_link_layer(const struct link_layer *layer)
{
	const char *mpu = layer->mpu && strcmp(layer->mpu, "0") ? layer->mpu : NULL;
	const char *framing = layer->framing && strcmp(layer->framing, "noatm") ?
			      layer->framing : NULL;
	char *text;

	if (asprintf(&text, "%s%s%s%s%s%s", layer->overhead ? " overhead " : "",
		     layer->overhead ?: "", mpu ? " mpu " : "", mpu ?: "",
		     framing ? " " : "", framing ?: "") < 0)
		return NULL;
	if (!*text) {
		free(text);
		return strdup("none");
	}
	memmove(text, text + 1, strlen(text));
	return text;
}

bool value_link_layer(const char *words, char **normal)
{
	struct link_layer layer = { NULL };
	char *copy;
	bool taken;

	if (!strcasecmp(words, "none"))
		return take_word(words, normal);
	copy = strdup(words);
	taken = copy && take_link_layer(copy, &layer);
	if (taken)
		*normal = print_link_layer(&layer);
	else
		take_nothing(words, normal);
	free(copy);
	return taken;
}
