/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers with suffixes as tc(8) and the kernel have them: rates, times, sizes, packets.
 *
 * A number is a whole and billionths, so that "1.5mbit" is exact; what is finer than the
 * unit is cut off. Which numbers are accepted where is not known here (value.h).
 */
#ifndef UNITS_H
#define UNITS_H

#include <stdbool.h>

typedef unsigned long long units_t;

/* Return: false where it is no such number, or one of more than 64 bits. */
bool units_rate(const char *word, units_t *bits_per_s);
bool units_time(const char *word, units_t *ns);
bool units_size(const char *word, units_t *bytes);
bool units_packets(const char *word, units_t *packets);

/* In the largest unit that divides it; to be freed, NULL without memory. */
char *units_print_rate(units_t bits_per_s);
char *units_print_time(units_t ns);
char *units_print_size(units_t bytes);
char *units_print_packets(units_t packets);

#endif
