/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words, and numbers with the suffixes of tc(8) and some more: rates, times, sizes, packets.
 *
 * This is part of the module and of programs. It does not know which numbers are valid for a
 * parameter (params.h).
 */
#ifndef NETNICE_GRAMMAR_UNITS_H
#define NETNICE_GRAMMAR_UNITS_H

#ifdef __KERNEL__
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef int s32;
typedef unsigned int u32;
typedef unsigned long long u64;
#endif

/* A buffer for what the vif_print_*() functions print. */
#define VIF_PRINT_MAX	64

/**
 * struct vif_word - a part of a text, between white space; or some of these
 * @text: its begin, not terminated
 * @len: its length
 */
struct vif_word {
	const char *text;
	size_t len;
};

static inline struct vif_word vif_word_of(const char *text)
{
	return (struct vif_word) { text, strlen(text) };
}

/* In any case. */
bool vif_word_is(const struct vif_word *word, const char *name);

/**
 * vif_word_next() - take the first word of a text away
 * @text: the text; what is left of it
 * @word: the word; empty, at the end of @text, if there is none
 *
 * Return: whether there is one.
 */
bool vif_word_next(struct vif_word *text, struct vif_word *word);

/**
 * vif_parse_number() - read a whole number as it is printed
 * @word: decimal digits, without a sign or leading zeros
 * @number: where to put it
 *
 * Return: 0, -EINVAL no such number, -ERANGE greater than INT_MAX.
 */
int vif_parse_number(const struct vif_word *word, int *number);

/**
 * vif_parse_bits() - read a rate
 * @word: a decimal number with one of tc(8)'s suffixes, in any case; bits per second
 *	without one; "k" and "ki" mean "kbit" and "kibit"; or with "bit/s", or "B/s" in this
 *	case, behind such a prefix
 * @bits_per_s: result; fractions are cut off, as in the functions below
 *
 * Return: 0, -EINVAL no rate, -ERANGE more than 64 bits.
 */
int vif_parse_bits(const struct vif_word *word, u64 *bits_per_s);

/* Parse a time likewise. */
int vif_parse_time(const struct vif_word *word, u64 *ns);

/*
 * Parse a size likewise, in bytes without a suffix. k, m, g and t are powers of 1000, as for rates,
 * and ki, mi, gi and ti powers of 1024. "b" after them means bytes, "bit" bits.
 */
int vif_parse_size(const struct vif_word *word, u64 *bytes);

/* Parse a number of whole packets likewise. */
int vif_parse_packets(const struct vif_word *word, u64 *packets);

/*
 * Print a number exactly, in the largest unit that divides it, to VIF_PRINT_MAX bytes.
 */
void vif_print_bits(char *buf, u64 bits_per_s);
void vif_print_time(char *buf, u64 ns);
void vif_print_size(char *buf, u64 bytes);

#endif
