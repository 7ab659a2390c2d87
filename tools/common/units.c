// SPDX-License-Identifier: GPL-2.0
#include "units.h"

#include <ctype.h>
#include <stddef.h>
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
	units_t factor;
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

static const struct unit packet_units[] = {
	{ "p", 1 }, { "packet", 1 }, { "packets", 1 }, { NULL, 0 }
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

static const struct unit packet_prints[] = { { "packets", 1 }, { NULL, 0 } };

static units_t factor_of(const struct unit *unit, const char *name)
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

static bool parse(const char *text, const struct unit *units, units_t *value)
{
	unsigned __int128 whole = 0, sum;
	unsigned int billionths = 0;
	units_t factor;

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

static char *print(units_t value, const struct unit *unit)
{
	const struct unit *best = unit;
	char *text;

	for (; unit->name; unit++)
		if (value % unit->factor == 0)
			best = unit;
	return asprintf(&text, "%llu%s", value / best->factor, best->name) < 0 ?
	       NULL : text;
}

bool units_rate(const char *word, units_t *bits_per_s)
{
	return parse(word, rate_units, bits_per_s);
}

bool units_time(const char *word, units_t *ns)
{
	return parse(word, time_units, ns);
}

bool units_size(const char *word, units_t *bytes)
{
	return parse(word, size_units, bytes);
}

/* There is no part of a packet. */
bool units_packets(const char *word, units_t *packets)
{
	return !strchr(word, '.') && parse(word, packet_units, packets);
}

char *units_print_rate(units_t bits_per_s)
{
	return print(bits_per_s, rate_prints);
}

char *units_print_time(units_t ns)
{
	return print(ns, time_prints);
}

char *units_print_size(units_t bytes)
{
	return print(bytes, size_prints);
}

char *units_print_packets(units_t packets)
{
	return print(packets, packet_prints);
}
