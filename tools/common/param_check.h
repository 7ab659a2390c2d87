/* SPDX-License-Identifier: GPL-2.0 */
/* Settings that users have written: whether the kernel accepts them, and what it does. */
#ifndef NETNICE_PARAM_CHECK_H
#define NETNICE_PARAM_CHECK_H

#include <stdio.h>

#include "param.h"

/* Print the table, with a line for each setting, indented by @indent. */
void param_list(FILE *out, const char *indent);

#define PARAM_JOINED_BYTES	32

/* Find a unit apart from its number, as in "10 mbit"; @joined is set to both in one word. */
bool param_is_apart(const char *value, char joined[PARAM_JOINED_BYTES]);

/**
 * param_check - check if the kernel accepts a setting
 * @param: a setting with directions
 * @value: the value to be written
 *
 * Return: NULL if it does; otherwise the valid values, until the next call.
 */
const char *param_check(const struct param *param, const char *value);

#endif
