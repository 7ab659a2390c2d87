/* SPDX-License-Identifier: GPL-2.0 */
/* Targets (target.h) as users name them. */
#ifndef NETNICE_TARGET_WORD_H
#define NETNICE_TARGET_WORD_H

#include <stdio.h>

#include "target.h"

/* Print a table of the kinds, with a line for each, indented by @indent. */
void target_list(FILE *out, const char *indent);

/* Convert a name into the form in which it is compared; the caller frees it. */
char *target_normal(const struct target_kind *kind, const char *name);

/* Compare for qsort(3): by kind, then by name. */
int target_compare(const struct target *a, const struct target *b);

#endif
