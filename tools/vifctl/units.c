// SPDX-License-Identifier: GPL-2.0
/*
 * A number is a whole and billionths, so that "1.5mbit" is exact; it is rounded as
 * the kernel does it: down, rates to whole bytes per second.
 */
#include "units.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BILLION		1000000000ULL
#define KIB		1024ULL
#define MIB		(1024 * KIB)
#define GIB		(1024 * MIB)

struct unit {
	const char *name;
	unsigned long long factor;
};

static const struct unit rate_units[] = {
	{ "", 1 }, { "bit", 1 }, { "k", 1000 }, { "kbit", 1000 },
	{ "m", 1000000 }, { "mbit", 1000000 }, { "g", BILLION },
	{ "gbit", BILLION }, { "t", 1000 * BILLION },
	{ "tbit", 1000 * BILLION }, { "ki", KIB }, { "kibit", KIB },
	{ "mi", MIB }, { "mibit", MIB }, { "gi", GIB }, { "gibit", GIB },
	{ "ti", KIB * GIB }, { "tibit", KIB * GIB }, { "bps", 8 },
	{ "kbps", 8000 }, { "mbps", 8000000 }, { "gbps", 8 * BILLION },
	{ "tbps", 8000 * BILLION }, { "kibps", 8 * KIB },
	{ "mibps", 8 * MIB }, { "gibps", 8 * GIB }, { "tibps", 8 * KIB * GIB },
	{ NULL, 0 }
};

static const struct unit time_units[] = {
	{ "ns", 1 }, { "nsec", 1 }, { "nsecs", 1 }, { "us", 1000 },
	{ "usec", 1000 }, { "usecs", 1000 }, { "ms", 1000000 },
	{ "msec", 1000000 }, { "msecs", 1000000 }, { "s", BILLION },
	{ "sec", BILLION }, { "secs", BILLION },
	{ NULL, 0 }
};

static const struct unit size_units[] = {
	{ "", 1 }, { "b", 1 }, { "k", KIB }, { "kb", KIB }, { "m", MIB },
	{ "mb", MIB }, { "g", GIB }, { "gb", GIB }, { "kbit", KIB / 8 },
	{ "mbit", MIB / 8 }, { "gbit", GIB / 8 },
	{ NULL, 0 }
};

/* In ascending order. */
static const struct unit rate_prints[] = {
	{ "bit", 1 }, { "kbit", 1000 }, { "mbit", 1000000 },
	{ "gbit", BILLION }, { NULL, 0 }
};

static const struct unit time_prints[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", BILLION },
	{ NULL, 0 }
};

static const struct unit size_prints[] = {
	{ "b", 1 }, { "kb", KIB }, { "mb", MIB }, { "gb", GIB }, { NULL, 0 }
};

static unsigned long long factor_of(const struct unit *unit, const char *name)
{
	for (; unit->name; unit++)
		if (!strcasecmp(unit->name, name))
			return unit->factor;
	return 0;
}

/* The digits of a fraction; what is finer than a billionth is cut off. */
static const char *take_fraction(const char *text, unsigned int *billionths)
{
	unsigned int weight = BILLION / 10;

	for (; isdigit((unsigned char)*text); text++, weight /= 10)
		*billionths += (*text - '0') * weight;
	return text;
}

/* Return: false where it is no such number, or more than 64 bits. */
static bool parse(const char *text, const struct unit *units,
		  unsigned long long *value)
{
	unsigned __int128 whole = 0, sum;
	unsigned int billionths = 0;
	unsigned long long factor;

	if (!isdigit((unsigned char)*text))
		return false;
	for (; isdigit((unsigned char)*text) && whole <= BILLION * BILLION; text++)
		whole = whole * 10 + (*text - '0');
	if (*text == '.') {
		if (!isdigit((unsigned char)text[1]))
			return false;
		text = take_fraction(text + 1, &billionths);
	}
	factor = factor_of(units, text);
	sum = whole * factor +
	      (unsigned __int128)billionths * factor / BILLION;
	*value = sum;
	return factor && sum == *value;
}

/* In the largest unit that divides the value. */
static char *print(unsigned long long value, const struct unit *unit)
{
	const struct unit *best = unit;
	char *text;

	for (; unit->name; unit++)
		if (value % unit->factor == 0)
			best = unit;
	return asprintf(&text, "%llu%s", value / best->factor, best->name) < 0 ?
	       NULL : text;
}

/* Words are shown in small letters. */
static char *print_word(const char *word)
{
	char *text = strdup(word);

	for (char *c = text; c && *c; c++)
		*c = tolower((unsigned char)*c);
	return text;
}

static bool is_either(const char *word, const char *a, const char *b)
{
	return !strcasecmp(word, a) || !strcasecmp(word, b);
}

char *units_rate(const char *word)
{
	unsigned long long bits;

	if (!strcasecmp(word, "max"))
		return print_word(word);
	if (!parse(word, rate_units, &bits))
		return strdup(word);
	return print(bits / 8 * 8, rate_prints);
}

char *units_burst(const char *word)
{
	unsigned long long value;

	if (!strcasecmp(word, "auto"))
		return print_word(word);
	if (parse(word, size_units, &value))
		return print(value, size_prints);
	if (parse(word, time_units, &value))
		return print(value, time_prints);
	return strdup(word);
}

static bool parse_packets(const char *word, unsigned long long *packets)
{
	static const struct unit units[] = {
		{ "p", 1 }, { "packet", 1 }, { "packets", 1 }, { NULL, 0 }
	};

	return !strchr(word, '.') && parse(word, units, packets);
}

char *units_limit(const char *word)
{
	unsigned long long value;
	char *text;

	if (is_either(word, "max", "auto"))
		return print_word(word);
	if (parse(word, size_units, &value))
		return print(value, size_prints);
	if (!parse_packets(word, &value))
		return strdup(word);
	return asprintf(&text, "%llupackets", value) < 0 ? NULL : text;
}

/* Whole microseconds; NULL if it is no time. */
static char *codel_time(const char *word)
{
	unsigned long long ns;

	if (!word || !parse(word, time_units, &ns))
		return NULL;
	return print(ns / 1000 * 1000, time_prints);
}

/* "target TIME" and "interval TIME", in any order. Return: whether all is such. */
static bool take_times(char *words, char *time[2])
{
	static const char *const key[2] = { "target", "interval" };
	char *save, *word;
	int i;

	for (word = strtok_r(words, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		for (i = 0; i < 2 && strcasecmp(word, key[i]); i++)
			;
		if (i == 2 || time[i])
			return false;
		time[i] = codel_time(strtok_r(NULL, " ", &save));
		if (!time[i])
			return false;
	}
	return true;
}

static char *print_codel(const char *words)
{
	char *rest = strdup(words), *time[2] = { NULL }, *text = NULL;

	if (rest && !take_times(rest, time))
		text = NULL;
	else if (rest && asprintf(&text, "codel%s%s%s%s",
				  time[0] ? " target " : "",
				  time[0] ? time[0] : "",
				  time[1] ? " interval " : "",
				  time[1] ? time[1] : "") < 0)
		text = NULL;
	free(rest);
	free(time[0]);
	free(time[1]);
	return text;
}

char *units_aqm(const char *words)
{
	static const char codel[] = "codel";
	const size_t len = sizeof(codel) - 1;
	char *text = NULL;

	if (!strcasecmp(words, "none"))
		return print_word(words);
	if (!strcasecmp(words, "auto"))
		return strdup(codel);
	if (!strncasecmp(words, codel, len) &&
	    (!words[len] || words[len] == ' '))
		text = print_codel(words + len);
	return text ? text : strdup(words);
}
