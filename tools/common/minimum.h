/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changes of several minima. The sum of the minima below a VIF may never exceed its own. So minima
 * that decrease are set first, from the bottom up, and minima that increase are set last, from the top
 * down. Each step is valid if the tree is valid before the first step and after the last.
 */
#ifndef MINIMUM_H
#define MINIMUM_H

/**
 * minimum_lower - compute the lower of two settings, for each direction
 * @a: a setting, as param_normal() returns it
 * @b: another one
 *
 * Return: the setting in the same form, which the caller frees; NULL without memory.
 */
char *minimum_lower(const char *a, const char *b);

#endif
