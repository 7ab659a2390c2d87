/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The values that stand in rules: rates, times, sizes, and the settings of VIFs. They
 * are given to the kernel as they are written; here it is found out, without one,
 * whether it will take them.
 */
#ifndef NETNICED_VALUE_H
#define NETNICED_VALUE_H

#include <stdbool.h>
#include <stddef.h>

enum param {
	PARAM_BANDWIDTH,
	PARAM_BURST,
	PARAM_WEIGHT,
	PARAM_PRIORITY,
	PARAM_LOCAL_WEIGHT,
	PARAM_LOCAL_PRIORITY,
	PARAM_LIMIT,
	PARAM_AQM,
	PARAM_COUNT,
};

/* Bits per second, as tc(8) has them. */
bool value_rate(const char *word, double *bits_per_s);
bool value_time(const char *word, double *seconds);
bool value_size(const char *word, double *bytes);

/* The setting of that name, or -1. */
int value_param(const char *name);
const char *value_param_name(enum param param);

/* What it has while nobody has set it, as it is written. */
const char *value_param_default(enum param param);

/**
 * value_check - whether the kernel takes a setting
 * @param: which
 * @text: its value, words separated by single spaces
 *
 * Return: NULL, or what would have been right.
 */
const char *value_check(enum param param, const char *text);

#endif
