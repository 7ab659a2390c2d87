/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The value of a parameter in one direction: whether the kernel takes it, and how the
 * kernel would print it, so that two ways to write the same thing can be told to be the
 * same. procfs/parse.c is what is followed here; selftests/user compares the two.
 *
 * @words:  separated by single spaces
 * @normal: as the files show it, or as it is where it is not understood; to be freed,
 *	    NULL without memory
 *
 * Return: whether the kernel takes it.
 */
#ifndef VALUE_H
#define VALUE_H

#include <stdbool.h>

bool value_bandwidth(const char *words, char **normal);
bool value_minimum(const char *words, char **normal);
bool value_burst(const char *words, char **normal);
bool value_weight(const char *words, char **normal);
bool value_priority(const char *words, char **normal);
bool value_limit(const char *words, char **normal);
bool value_aqm(const char *words, char **normal);
bool value_link_layer(const char *words, char **normal);

#endif
