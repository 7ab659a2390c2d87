// SPDX-License-Identifier: GPL-2.0
/*
 * There is no floating point: a number is a whole number and billionths, so that "1.5mbit" is
 * exact. Each step is checked for overflow. There are no locks, and no state.
 */
#include "units.h"

#include "env.h"

#define BILLION		1000000000ULL
#define KIB		1024ULL
#define MIB		(1024 * KIB)
#define GIB		(1024 * MIB)
#define TIB		(1024 * GIB)

/* A decimal number: whole + billionths / 10^9. */
struct vif_decimal {
	u64 whole;
	u32 billionths;
};

struct vif_unit {
	const char *name;
	u64 factor;
};

/* Units that are parsed, in upper or lower case. */
static const struct vif_unit time_units[] = {
	{ "nsecs", 1 }, { "nsec", 1 }, { "ns", 1 },
	{ "usecs", 1000 }, { "usec", 1000 }, { "us", 1000 },
	{ "msecs", 1000000 }, { "msec", 1000000 }, { "ms", 1000000 },
	{ "secs", BILLION }, { "sec", BILLION }, { "s", BILLION },
	{ }
};

static const struct vif_unit packet_units[] = {
	{ "p", 1 }, { "packet", 1 }, { "packets", 1 },
	{ }
};

/* Units that are printed, in ascending order. */
static const struct vif_unit rate_prints[] = {
	{ "bit", 1 }, { "kbit", 1000 }, { "mbit", 1000000 },
	{ "gbit", BILLION },
	{ }
};

static const struct vif_unit time_prints[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", BILLION },
	{ }
};

/* There is no kB: thousands are printed as bytes, which are as short, and cannot be read as KiB. */
static const struct vif_unit size_prints[] = {
	{ "b", 1 }, { "KiB", KIB }, { "MB", 1000000 }, { "MiB", MIB },
	{ "GB", BILLION }, { "GiB", GIB }, { "TB", 1000 * BILLION }, { "TiB", TIB },
	{ }
};

bool vif_word_is(const struct vif_word *word, const char *name)
{
	return word->len == strlen(name) &&
	       !strncasecmp(word->text, name, word->len);
}

static void vif_units_skip(struct vif_word *word, size_t len)
{
	word->text += len;
	word->len -= len;
}

static bool vif_units_begins_with_space(const struct vif_word *text)
{
	return text->len && isspace((unsigned char)*text->text);
}

static bool vif_units_begins_with_digit(const struct vif_word *text)
{
	return text->len && isdigit((unsigned char)*text->text);
}

bool vif_word_next(struct vif_word *text, struct vif_word *word)
{
	while (vif_units_begins_with_space(text))
		vif_units_skip(text, 1);
	word->text = text->text;
	while (text->len && !vif_units_begins_with_space(text))
		vif_units_skip(text, 1);
	word->len = text->text - word->text;
	return word->len;
}

/* Parse digits at the beginning of a word, and remove them. */
static int vif_units_parse_digits(struct vif_word *word, u64 *number)
{
	u64 n = 0;

	if (!vif_units_begins_with_digit(word))
		return -EINVAL;
	for (; vif_units_begins_with_digit(word); vif_units_skip(word, 1)) {
		if (n > (U64_MAX - 9) / 10)
			return -ERANGE;
		n = n * 10 + (*word->text - '0');
	}
	*number = n;
	return 0;
}

/* Parse digits after the point. Digits after the ninth are ignored. */
static int vif_units_parse_fraction(struct vif_word *word, u32 *billionths)
{
	u32 weight = BILLION / 10;

	if (!vif_units_begins_with_digit(word))
		return -EINVAL;
	for (; vif_units_begins_with_digit(word); vif_units_skip(word, 1)) {
		*billionths += (*word->text - '0') * weight;
		weight /= 10;
	}
	return 0;
}

static int vif_units_parse_decimal(struct vif_word *word, struct vif_decimal *d)
{
	int err = vif_units_parse_digits(word, &d->whole);

	d->billionths = 0;
	if (err || !word->len || *word->text != '.')
		return err;
	vif_units_skip(word, 1);
	return vif_units_parse_fraction(word, &d->billionths);
}

/* Return d * factor, rounded down. */
static int vif_units_scale(const struct vif_decimal *d, u64 factor, u64 *result)
{
	u32 rest, cut_off;
	u64 part = d->billionths * div_u64_rem(factor, BILLION, &rest);

	part += div_u64_rem((u64)d->billionths * rest, BILLION, &cut_off);
	if (d->whole > div64_u64(U64_MAX - part, factor))
		return -ERANGE;
	*result = d->whole * factor + part;
	return 0;
}

int vif_parse_number(const struct vif_word *word, int *number)
{
	struct vif_word rest = *word;
	u64 n;
	int err;

	if (word->len > 1 && *word->text == '0')
		return -EINVAL;
	err = vif_units_parse_digits(&rest, &n);
	if (err)
		return err;
	if (rest.len)
		return -EINVAL;
	if (n > INT_MAX)
		return -ERANGE;
	*number = n;
	return 0;
}

/* Bits in a unit of rate, without its prefix; 0: it is none. */
static unsigned int vif_units_rate_unit(const struct vif_word *unit)
{
	if (!unit->len || vif_word_is(unit, "bit") || vif_word_is(unit, "bit/s"))
		return 1;
	if (vif_word_is(unit, "bps"))
		return 8;
	/* B is bytes to all readers; b/s is ambiguous */
	return vif_word_is(unit, "B/s") && *unit->text == 'B' ? 8 : 0;
}

/* Do the same for a size. */
static unsigned int vif_units_size_unit(const struct vif_word *unit)
{
	if (!unit->len || vif_word_is(unit, "b"))
		return 8;
	return vif_word_is(unit, "bit") ? 1 : 0;
}

/* Bits in [k|m|g|t[i]] and one of these. */
static int vif_units_parse_factor(struct vif_word suffix,
				  unsigned int (*unit)(const struct vif_word *unit), u64 *bits)
{
	static const char prefixes[] = "kmgt";
	unsigned int base = 1000, power = 0;
	const char *prefix;

	prefix = suffix.len ? strchr(prefixes, tolower(*suffix.text)) : NULL;
	if (prefix) {
		power = prefix - prefixes + 1;
		vif_units_skip(&suffix, 1);
		if (suffix.len && tolower(*suffix.text) == 'i') {
			base = 1024;
			vif_units_skip(&suffix, 1);
		}
	}
	for (*bits = unit(&suffix); power--;)
		*bits *= base;
	return *bits ? 0 : -EINVAL;
}

static int vif_units_parse_bits(const struct vif_word *word,
				unsigned int (*unit)(const struct vif_word *unit), u64 *bits)
{
	struct vif_word rest = *word;
	struct vif_decimal number;
	u64 factor;
	int err;

	err = vif_units_parse_decimal(&rest, &number);
	if (!err)
		err = vif_units_parse_factor(rest, unit, &factor);
	return err ?: vif_units_scale(&number, factor, bits);
}

int vif_parse_bits(const struct vif_word *word, u64 *bits_per_s)
{
	return vif_units_parse_bits(word, vif_units_rate_unit, bits_per_s);
}

int vif_parse_size(const struct vif_word *word, u64 *bytes)
{
	u64 bits;
	int err = vif_units_parse_bits(word, vif_units_size_unit, &bits);

	if (!err)
		*bytes = bits / 8;
	return err;
}

/* Parse a decimal number with one of the units. */
static int vif_units_parse(const struct vif_word *word, const struct vif_unit *unit,
			   u64 *value)
{
	struct vif_word rest = *word;
	struct vif_decimal number;
	int err = vif_units_parse_decimal(&rest, &number);

	if (err)
		return err;
	while (unit->name && !vif_word_is(&rest, unit->name))
		unit++;
	return unit->name ? vif_units_scale(&number, unit->factor, value) : -EINVAL;
}

int vif_parse_time(const struct vif_word *word, u64 *ns)
{
	return vif_units_parse(word, time_units, ns);
}

int vif_parse_packets(const struct vif_word *word, u64 *packets)
{
	return memchr(word->text, '.', word->len) ? -EINVAL :
	       vif_units_parse(word, packet_units, packets);
}

/* Print in the largest unit that divides the value. */
static void vif_units_print(char *buf, u64 value, const struct vif_unit *unit)
{
	const struct vif_unit *best = unit;
	u64 number = value;

	for (; unit->name; unit++) {
		u64 count = div64_u64(value, unit->factor);

		if (count * unit->factor != value)
			continue;
		best = unit;
		number = count;
	}
	snprintf(buf, VIF_PRINT_MAX, "%llu%s", number, best->name);
}

void vif_print_bits(char *buf, u64 bits_per_s)
{
	vif_units_print(buf, bits_per_s, rate_prints);
}

void vif_print_time(char *buf, u64 ns)
{
	vif_units_print(buf, ns, time_prints);
}

void vif_print_size(char *buf, u64 bytes)
{
	vif_units_print(buf, bytes, size_prints);
}
