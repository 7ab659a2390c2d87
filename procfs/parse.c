// SPDX-License-Identifier: GPL-2.0
/*
 * Text of the files; see parse.h. No floating point: a number is kept as
 * whole and billionths, so that "1.5mbit" is exact, and every step is
 * checked for overflow. No locks, no state.
 */
#include "parse.h"

#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "../sched/clock.h"

#define BILLION		1000000000ULL
#define KIB		1024ULL
#define MIB		(1024 * KIB)
#define GIB		(1024 * MIB)

/* A decimal number: whole + billionths / 10^9. */
struct decimal {
	u64 whole;
	u32 billionths;
};

struct unit {
	const char *name;
	u64 factor;
};

/* What may be written, in any case. */
static const struct unit time_units[] = {
	{ "nsecs", 1 }, { "nsec", 1 }, { "ns", 1 },
	{ "usecs", 1000 }, { "usec", 1000 }, { "us", 1000 },
	{ "msecs", 1000000 }, { "msec", 1000000 }, { "ms", 1000000 },
	{ "secs", BILLION }, { "sec", BILLION }, { "s", BILLION },
	{ }
};

static const struct unit size_units[] = {
	{ "", 1 }, { "b", 1 },
	{ "kbit", KIB / 8 }, { "mbit", MIB / 8 }, { "gbit", GIB / 8 },
	{ "k", KIB }, { "kb", KIB },
	{ "m", MIB }, { "mb", MIB },
	{ "g", GIB }, { "gb", GIB },
	{ }
};

/* What is printed, in ascending order. */
static const struct unit rate_prints[] = {
	{ "bit", 1 }, { "kbit", 1000 }, { "mbit", 1000000 },
	{ "gbit", BILLION },
	{ }
};

static const struct unit time_prints[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", BILLION },
	{ }
};

static const struct unit size_prints[] = {
	{ "b", 1 }, { "kb", KIB }, { "mb", MIB }, { "gb", GIB },
	{ }
};

static bool is(const struct nnfs_word *word, const char *name)
{
	return word->len == strlen(name) &&
	       !strncasecmp(word->text, name, word->len);
}

static void skip(struct nnfs_word *word, size_t len)
{
	word->text += len;
	word->len -= len;
}

static bool next_word(const char **text, struct nnfs_word *word)
{
	while (isspace(**text))
		++*text;
	word->text = *text;
	while (**text && !isspace(**text))
		++*text;
	word->len = *text - word->text;
	return word->len;
}

/* The key that a word is, or keys. */
static unsigned int find_key(const struct nnfs_word *word,
			     const char *const *key, unsigned int keys)
{
	unsigned int i;

	for (i = 0; i < keys && !is(word, key[i]); i++)
		;
	return i;
}

/* A value goes on as long as words that are no key follow, and may. */
static void take_value(const char **text, const char *const *key,
		       unsigned int keys, unsigned int words,
		       struct nnfs_word *value)
{
	const char *rest = *text;
	struct nnfs_word word;

	while (--words && next_word(&rest, &word) &&
	       find_key(&word, key, keys) == keys) {
		value->len = word.text + word.len - value->text;
		*text = rest;
	}
}

int nnfs_split(const char *text, const char *const *key, unsigned int keys,
	       unsigned int words, struct nnfs_word *value,
	       struct nnfs_word *bad)
{
	unsigned int i, first, end, given = 0;
	struct nnfs_word word;

	memset(value, 0, keys * sizeof(*value));
	for (; next_word(&text, &word); given++) {
		*bad = word;
		first = find_key(&word, key, keys);
		end = first + 1;
		if (first == keys) {
			first = 0;
			end = keys;
		} else if (!next_word(&text, &word)) {
			return -ENODATA;
		}
		take_value(&text, key, keys, words, &word);
		for (i = first; i < end; i++) {
			if (value[i].text)
				return -EEXIST;
			value[i] = word;
		}
	}
	*bad = word;
	return given ? 0 : -ENODATA;
}

/* Digits at the begin of a word; takes them away. */
static int take_digits(struct nnfs_word *word, u64 *number)
{
	u64 n = 0;

	if (!word->len || !isdigit(*word->text))
		return -EINVAL;
	for (; word->len && isdigit(*word->text); skip(word, 1)) {
		unsigned int digit = *word->text - '0';

		if (n > (U64_MAX - 9) / 10)
			return -ERANGE;
		n = n * 10 + digit;
	}
	*number = n;
	return 0;
}

/* What follows a point; what is finer than a billionth is cut off. */
static int take_fraction(struct nnfs_word *word, u32 *billionths)
{
	u32 weight = BILLION / 10;

	if (!word->len || !isdigit(*word->text))
		return -EINVAL;
	for (; word->len && isdigit(*word->text); skip(word, 1)) {
		*billionths += (*word->text - '0') * weight;
		weight /= 10;
	}
	return 0;
}

static int take_decimal(struct nnfs_word *word, struct decimal *d)
{
	int err = take_digits(word, &d->whole);

	d->billionths = 0;
	if (err || !word->len || *word->text != '.')
		return err;
	skip(word, 1);
	return take_fraction(word, &d->billionths);
}

/* d * factor, rounded down. */
static int scale(const struct decimal *d, u64 factor, u64 *result)
{
	u32 rest;
	u64 part = d->billionths * div_u64_rem(factor, BILLION, &rest);

	part += div_u64((u64)d->billionths * rest, BILLION);
	if (d->whole > div64_u64(U64_MAX - part, factor))
		return -ERANGE;
	*result = d->whole * factor + part;
	return 0;
}

/* Bits in a unit of rate: [k|m|g|t[i]][bit|bps]. */
static int rate_factor(struct nnfs_word suffix, u64 *bits)
{
	static const char prefixes[] = "kmgt";
	unsigned int base = 1000, power = 0;
	const char *prefix;

	prefix = suffix.len ? strchr(prefixes, tolower(*suffix.text)) : NULL;
	if (prefix) {
		power = prefix - prefixes + 1;
		skip(&suffix, 1);
		if (suffix.len && tolower(*suffix.text) == 'i') {
			base = 1024;
			skip(&suffix, 1);
		}
	}
	if (!suffix.len || is(&suffix, "bit"))
		*bits = 1;
	else if (is(&suffix, "bps"))
		*bits = 8;
	else
		return -EINVAL;
	while (power--)
		*bits *= base;
	return 0;
}

int nnfs_parse_rate(const struct nnfs_word *word, u64 *bytes_per_s)
{
	struct nnfs_word rest = *word;
	struct decimal number;
	u64 factor, bits;
	int err;

	if (is(word, "max")) {
		*bytes_per_s = VSCHED_RATE_MAX;
		return 0;
	}
	err = take_decimal(&rest, &number);
	if (!err)
		err = rate_factor(rest, &factor);
	if (!err)
		err = scale(&number, factor, &bits);
	if (err)
		return err;
	*bytes_per_s = bits / 8;
	if (*bytes_per_s < VSCHED_RATE_MIN || bits > VSCHED_RATE_LIMIT * 8)
		return -ERANGE;
	return 0;
}

int nnfs_parse_minimum(const struct nnfs_word *word, u64 *bytes_per_s)
{
	if (is(word, "none")) {
		*bytes_per_s = 0;
		return 0;
	}
	return is(word, "max") ? -EINVAL : nnfs_parse_rate(word, bytes_per_s);
}

static const struct unit *find_unit(const struct unit *unit,
				    const struct nnfs_word *suffix)
{
	for (; unit->name; unit++)
		if (is(suffix, unit->name))
			return unit;
	return NULL;
}

int nnfs_parse_burst(const struct nnfs_word *word, u64 *value, bool *is_time)
{
	struct nnfs_word rest = *word;
	const struct unit *unit;
	struct decimal number;
	int err;

	*value = 0;
	*is_time = false;
	if (is(word, "auto"))
		return 0;
	err = take_decimal(&rest, &number);
	if (err)
		return err;
	unit = find_unit(size_units, &rest);
	if (!unit) {
		unit = find_unit(time_units, &rest);
		*is_time = true;
	}
	if (!unit)
		return -EINVAL;
	err = scale(&number, unit->factor, value);
	if (err)
		return err;
	if (!*value || *value > (*is_time ? NNFS_BURST_MAX_NS :
					    NNFS_BURST_MAX_BYTES))
		return -ERANGE;
	return 0;
}

int nnfs_parse_number(const struct nnfs_word *word, int *number)
{
	struct nnfs_word rest = *word;
	u64 n;
	int err;

	if (word->len > 1 && *word->text == '0')
		return -EINVAL;
	err = take_digits(&rest, &n);
	if (err)
		return err;
	if (rest.len)
		return -EINVAL;
	if (n > INT_MAX)
		return -ERANGE;
	*number = n;
	return 0;
}

/* A decimal number with one of the units. */
static int parse_units(const struct nnfs_word *word, const struct unit *units,
		       u64 *value)
{
	struct nnfs_word rest = *word;
	const struct unit *unit;
	struct decimal number;
	int err = take_decimal(&rest, &number);

	if (err)
		return err;
	unit = find_unit(units, &rest);
	return unit ? scale(&number, unit->factor, value) : -EINVAL;
}

static bool is_packets(const struct nnfs_word *suffix)
{
	return is(suffix, "p") || is(suffix, "packet") ||
	       is(suffix, "packets");
}

int nnfs_parse_limit(const struct nnfs_word *word, struct nnfs_limit *limit)
{
	struct nnfs_word rest = *word;
	u64 value;
	int err;

	*limit = (struct nnfs_limit) { .max = is(word, "max") };
	if (limit->max || is(word, "auto"))
		return 0;
	err = take_digits(&rest, &value);
	limit->packets = !err && is_packets(&rest);
	if (!limit->packets)
		err = parse_units(word, size_units, &value);
	if (err)
		return err;
	if (!value || value > (limit->packets ? NNFS_LIMIT_MAX_PACKETS :
						NNFS_LIMIT_MAX_BYTES))
		return -ERANGE;
	limit->value = value;
	return 0;
}

static int parse_codel_time(const struct nnfs_word *word, u32 *us)
{
	u64 ns;
	int err = parse_units(word, time_units, &ns);

	if (err)
		return err;
	if (ns < 1000 || ns > NNFS_CODEL_MAX_US * 1000ULL)
		return -ERANGE;
	*us = div_u64(ns, 1000);
	return 0;
}

static int parse_codel(const char *text, struct nnfs_aqm *aqm)
{
	static const char *const key[] = { "target", "interval" };
	u32 *const us[] = { &aqm->target_us, &aqm->interval_us };
	struct nnfs_word word;
	unsigned int i;
	int err;

	while (next_word(&text, &word)) {
		i = find_key(&word, key, ARRAY_SIZE(key));
		if (i == ARRAY_SIZE(key) || *us[i] || !next_word(&text, &word))
			return -EINVAL;
		err = parse_codel_time(&word, us[i]);
		if (err)
			return err;
	}
	if (aqm->interval_us && aqm->target_us >= aqm->interval_us)
		return -ERANGE;
	return 0;
}

/* Some words as a string of NNFS_PRINT_MAX bytes; false: no setting is that long */
static bool copy_words(char *text, const struct nnfs_word *words)
{
	if (words->len >= NNFS_PRINT_MAX)
		return false;
	memcpy(text, words->text, words->len);
	text[words->len] = '\0';
	return true;
}

int nnfs_parse_aqm(const struct nnfs_word *words, struct nnfs_aqm *aqm)
{
	char text[NNFS_PRINT_MAX];
	const char *rest = text;
	struct nnfs_word first;

	*aqm = (struct nnfs_aqm) { };
	if (!copy_words(text, words))
		return -EINVAL;
	next_word(&rest, &first);
	if (is(&first, "codel"))
		return parse_codel(rest, aqm);
	aqm->none = is(&first, "none");
	if (next_word(&rest, &first) || !(aqm->none || is(words, "auto")))
		return -EINVAL;
	return 0;
}

/* A number of bytes, which may have a sign. */
static int parse_bytes(const struct nnfs_word *word, int min, int max, int *bytes)
{
	struct nnfs_word digits = *word;
	bool minus = word->len && *word->text == '-';
	int number, err;

	if (minus)
		skip(&digits, 1);
	err = nnfs_parse_number(&digits, &number);
	if (err)
		return err;
	*bytes = minus ? -number : number;
	return *bytes < min || *bytes > max ? -ERANGE : 0;
}

enum { OVERHEAD, MPU, ATM, PTM, NOATM, LINK_LAYER_KEYS };

static const char *const link_layer_key[LINK_LAYER_KEYS] = {
	"overhead", "mpu", "atm", "ptm", "noatm"
};

/* @text: behind the word of @key, is taken from */
static int take_of_link_layer(unsigned int key, const char **text,
			      struct nnfs_link_layer *layer)
{
	struct nnfs_word word;

	layer->atm |= key == ATM;
	layer->ptm |= key == PTM;
	if (key > MPU)
		return 0;
	next_word(text, &word);
	if (key == MPU)
		return parse_bytes(&word, 0, NNFS_MPU_MAX, &layer->mpu);
	layer->has_overhead = true;
	return parse_bytes(&word, NNFS_OVERHEAD_MIN, NNFS_OVERHEAD_MAX,
			   &layer->overhead);
}

/* Each once, and one framing. */
static int parse_costs(const char *text, struct nnfs_link_layer *layer)
{
	unsigned int key, bit, given = 0;
	struct nnfs_word word;
	int err;

	while (next_word(&text, &word)) {
		key = find_key(&word, link_layer_key, LINK_LAYER_KEYS);
		bit = 1U << (key < ATM ? key : ATM);
		if (key == LINK_LAYER_KEYS || given & bit)
			return -EINVAL;
		given |= bit;
		err = take_of_link_layer(key, &text, layer);
		if (err)
			return err;
	}
	return 0;
}

int nnfs_parse_link_layer(const struct nnfs_word *words,
			  struct nnfs_link_layer *layer)
{
	char text[NNFS_PRINT_MAX];

	*layer = (struct nnfs_link_layer) { };
	if (!copy_words(text, words))
		return -EINVAL;
	return is(words, "none") ? 0 : parse_costs(text, layer);
}

/* In the largest unit that divides the value. */
static void print_units(char *buf, u64 value, const struct unit *unit)
{
	const struct unit *best = unit;
	u64 number = value;

	for (; unit->name; unit++) {
		u64 count = div64_u64(value, unit->factor);

		if (count * unit->factor != value)
			continue;
		best = unit;
		number = count;
	}
	snprintf(buf, NNFS_PRINT_MAX, "%llu%s", (unsigned long long)number,
		 best->name);
}

void nnfs_print_rate(char *buf, u64 bytes_per_s)
{
	if (bytes_per_s == VSCHED_RATE_MAX)
		strcpy(buf, "max");
	else
		print_units(buf, bytes_per_s * 8, rate_prints);
}

void nnfs_print_minimum(char *buf, u64 bytes_per_s)
{
	if (!bytes_per_s)
		strcpy(buf, "none");
	else
		nnfs_print_rate(buf, bytes_per_s);
}

void nnfs_print_burst(char *buf, u64 value, bool is_time)
{
	if (!value)
		strcpy(buf, "auto");
	else
		print_units(buf, value, is_time ? time_prints : size_prints);
}

void nnfs_print_limit(char *buf, const struct nnfs_limit *limit)
{
	if (limit->max)
		strcpy(buf, "max");
	else if (limit->packets)
		snprintf(buf, NNFS_PRINT_MAX, "%upackets", limit->value);
	else
		nnfs_print_burst(buf, limit->value, false);
}

static void append(char *buf, const char *text)
{
	size_t len = strlen(buf);

	snprintf(buf + len, NNFS_PRINT_MAX - len, "%s%s", len ? " " : "", text);
}

static void append_bytes(char *buf, const char *key, int bytes)
{
	char number[NNFS_PRINT_MAX];

	snprintf(number, sizeof(number), "%d", bytes);
	append(buf, key);
	append(buf, number);
}

void nnfs_print_link_layer(char *buf, const struct nnfs_link_layer *layer)
{
	*buf = '\0';
	if (layer->has_overhead)
		append_bytes(buf, "overhead", layer->overhead);
	if (layer->mpu)
		append_bytes(buf, "mpu", layer->mpu);
	if (layer->atm)
		append(buf, "atm");
	if (layer->ptm)
		append(buf, "ptm");
	if (!*buf)
		append(buf, "none");
}

static void append_time(char *buf, const char *key, u32 us)
{
	char time[NNFS_PRINT_MAX];

	if (!us)
		return;
	print_units(time, us * 1000ULL, time_prints);
	append(buf, key);
	append(buf, time);
}

void nnfs_print_aqm(char *buf, const struct nnfs_aqm *aqm)
{
	strcpy(buf, aqm->none ? "none" : "codel");
	append_time(buf, "target", aqm->target_us);
	append_time(buf, "interval", aqm->interval_us);
}

/* The length of a clean path without its last name. */
static size_t parent_len(const char *path, size_t len)
{
	while (len && path[--len] != '/')
		;
	return len;
}

int nnfs_join_path(const char *base, const char *path, char *buf, size_t size)
{
	size_t n, len = *path == '/' ? 0 : strlen(base);

	if (len >= size)
		return -ENAMETOOLONG;
	memcpy(buf, base, len);
	for (path += strspn(path, "/"); *path; path += strspn(path, "/")) {
		n = strcspn(path, "/");
		if (n == 2 && path[0] == '.' && path[1] == '.') {
			len = parent_len(buf, len);
		} else if (n != 1 || path[0] != '.') {
			if (n + 2 > size - len)
				return -ENAMETOOLONG;
			buf[len++] = '/';
			memcpy(buf + len, path, n);
			len += n;
		}
		path += n;
	}
	buf[len] = '\0';
	return 0;
}
