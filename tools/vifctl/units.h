/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rates, times and sizes in the words of the kernel, so that two ways to write the
 * same thing can be told to be the same.
 *
 * Each takes a value of one direction, and returns it as the files show it, or, if it is
 * not understood, as it is. To be freed; NULL without memory. What the kernel accepts
 * is for the kernel to say: no ranges are checked here.
 */
#ifndef VIFCTL_UNITS_H
#define VIFCTL_UNITS_H

char *units_rate(const char *word);
char *units_burst(const char *word);
char *units_limit(const char *word);
char *units_aqm(const char *words);

#endif
