/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changing several minima: those below a VIF never have more, together, than it has. So
 * what gets less is set first, from the bottom up, then all else, and what gets more last,
 * from the top down: each step fits if the minima fit before and afterwards.
 */
#ifndef MINIMUM_H
#define MINIMUM_H

/**
 * minimum_lower - the lesser of two settings, in each direction
 * @a: as param_normal() has it
 * @b: ditto
 *
 * Return: the same in that form, to be freed; NULL without memory.
 */
char *minimum_lower(const char *a, const char *b);

#endif
