/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text of the files: what is written is turned into the units that are used
 * inside (bytes per second, bytes, nanoseconds), and back.
 *
 * Plain C that knows neither VIFs nor how errors are reported; it builds in
 * user space for its tests.
 */
#ifndef NETNICE_PROCFS_PARSE_H
#define NETNICE_PROCFS_PARSE_H

#include <linux/types.h>

/* Longest time of CoDel's that may be set, and most that may wait. */
#define NNFS_CODEL_MAX_US	10000000
#define NNFS_LIMIT_MAX_BYTES	4294967295ULL
#define NNFS_LIMIT_MAX_PACKETS	1000000

/* Largest bursts that may be set: 10 s, 4 GiB. */
#define NNFS_BURST_MAX_NS	10000000000ULL
#define NNFS_BURST_MAX_BYTES	4294967296ULL

/* Bytes that a link layer may add at most, or take away, and ask for at least. */
#define NNFS_OVERHEAD_MIN	(-64)
#define NNFS_OVERHEAD_MAX	256
#define NNFS_MPU_MAX		256

/* A buffer for what the nnfs_print_*() functions print. */
#define NNFS_PRINT_MAX		64

/**
 * struct nnfs_word - a part of a text, between white space; a value may be
 *	several words
 * @text: its begin, not terminated; NULL if there is none
 * @len: its length
 */
struct nnfs_word {
	const char *text;
	size_t len;
};

/**
 * nnfs_split() - find which value each key is given
 * @text: "VALUE" for all keys, "KEY VALUE", or several of these with white
 *	space between them
 * @key: names of the keys
 * @keys: how many
 * @words: how many words a value has at most
 * @value: where to put the value for each key; none for one not mentioned
 * @bad: the word to blame for an error
 *
 * Return: 0, -ENODATA nothing there or a key without a value, -EEXIST a key
 *	is given two values, or one with too many words.
 */
int nnfs_split(const char *text, const char *const *key, unsigned int keys,
	       unsigned int words, struct nnfs_word *value,
	       struct nnfs_word *bad);

/**
 * nnfs_parse_rate() - read a rate
 * @word: a decimal number with one of tc(8)'s suffixes, in any case; bits
 *	per second without one; "k" and "ki" mean "kbit" and "kibit"; "max"
 * @bytes_per_s: where to put it; VSCHED_RATE_MAX for "max". Rounded down.
 *
 * Return: 0, -EINVAL no rate, -ERANGE not in VSCHED_RATE_MIN..LIMIT.
 */
int nnfs_parse_rate(const struct nnfs_word *word, u64 *bytes_per_s);

/**
 * nnfs_parse_minimum() - read a rate that may be none
 * @word: as for nnfs_parse_rate(), but "none" instead of "max"
 * @bytes_per_s: where to put it; 0 for "none". Rounded down.
 *
 * Return: as nnfs_parse_rate().
 */
int nnfs_parse_minimum(const struct nnfs_word *word, u64 *bytes_per_s);

/**
 * nnfs_parse_burst() - read a burst
 * @word: a decimal number with one of tc(8)'s suffixes for times or for
 *	sizes, in any case; bytes without one; "auto"
 * @value: where to put the nanoseconds or bytes, 0 for "auto"
 * @is_time: whether @value are nanoseconds
 *
 * Return: 0, -EINVAL neither a time nor a size, -ERANGE 0 or beyond
 *	NNFS_BURST_MAX_*.
 */
int nnfs_parse_burst(const struct nnfs_word *word, u64 *value, bool *is_time);

/**
 * struct nnfs_limit - how much may wait
 * @value: bytes or packets, 0 for "auto"
 * @packets: @value are packets
 * @max: any amount
 */
struct nnfs_limit {
	u32 value;
	bool packets;
	bool max;
};

/**
 * nnfs_parse_limit() - read how much may wait
 * @word: a size as for nnfs_parse_burst(), a whole number with "p", "packet"
 *	or "packets", "max" or "auto"
 * @limit: where to put it
 *
 * Return: 0, -EINVAL none of these, -ERANGE 0 or beyond NNFS_LIMIT_MAX_*.
 */
int nnfs_parse_limit(const struct nnfs_word *word, struct nnfs_limit *limit);

/**
 * struct nnfs_aqm - active queue management
 * @target_us: 0 if it was not given
 * @interval_us: 0 if it was not given
 * @none: none at all
 */
struct nnfs_aqm {
	u32 target_us;
	u32 interval_us;
	bool none;
};

/* Words of its text. */
#define NNFS_AQM_WORDS	5

/**
 * nnfs_parse_aqm() - read active queue management
 * @words: "codel [target TIME] [interval TIME]", "none" or "auto"
 * @aqm: where to put it; what is finer than a microsecond is cut off
 *
 * Return: 0, -EINVAL not understood, -ERANGE a time below 1 us or beyond
 *	NNFS_CODEL_MAX_US, or a target that is not below the interval.
 */
int nnfs_parse_aqm(const struct nnfs_word *words, struct nnfs_aqm *aqm);

/**
 * struct nnfs_link_layer - what packets cost on a link
 * @has_overhead: @overhead was given
 * @overhead: bytes, negative ones, too
 * @mpu: bytes at least, 0: any
 * @atm: in cells
 * @ptm: in 64b/65b
 */
struct nnfs_link_layer {
	bool has_overhead;
	int overhead;
	int mpu;
	bool atm;
	bool ptm;
};

/* Words of its text. */
#define NNFS_LINK_LAYER_WORDS	5

/**
 * nnfs_parse_link_layer() - read what packets cost
 * @words: "[overhead BYTES] [mpu BYTES] [atm | ptm | noatm]", in any order, or "none"
 * @layer: where to put it
 *
 * Return: 0, -EINVAL not understood, -ERANGE beyond NNFS_OVERHEAD_* or NNFS_MPU_MAX.
 */
int nnfs_parse_link_layer(const struct nnfs_word *words,
			  struct nnfs_link_layer *layer);

/**
 * nnfs_parse_number() - read a process number as file systems print it
 * @word: decimal digits, without a sign or leading zeros
 * @number: where to put it
 *
 * Return: 0, -EINVAL no such number, -ERANGE greater than INT_MAX.
 */
int nnfs_parse_number(const struct nnfs_word *word, int *number);

/**
 * nnfs_print_rate() - print a rate exactly
 * @buf: NNFS_PRINT_MAX bytes
 * @bytes_per_s: the rate, VSCHED_RATE_MAX for none
 */
void nnfs_print_rate(char *buf, u64 bytes_per_s);

/* The same, for a rate that may be none: 0. */
void nnfs_print_minimum(char *buf, u64 bytes_per_s);

/**
 * nnfs_print_burst() - print a burst exactly
 * @buf: NNFS_PRINT_MAX bytes
 * @value: as nnfs_parse_burst() has found it
 * @is_time: ditto
 */
void nnfs_print_burst(char *buf, u64 value, bool is_time);

/* Print what nnfs_parse_limit() and so on have found. As above. */
void nnfs_print_limit(char *buf, const struct nnfs_limit *limit);
void nnfs_print_aqm(char *buf, const struct nnfs_aqm *aqm);
void nnfs_print_link_layer(char *buf, const struct nnfs_link_layer *layer);

/**
 * nnfs_join_path() - make a path absolute, by its text only
 * @base: what a relative path starts from, itself absolute and clean
 * @path: the path
 * @buf: where to put the result: no "." or "..", single slashes, none at the
 *	end, "" for the root
 * @size: of @buf
 *
 * Return: 0, -ENAMETOOLONG.
 */
int nnfs_join_path(const char *base, const char *path, char *buf, size_t size);

#endif
