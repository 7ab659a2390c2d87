/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What packets cost on a device's link, in the words of tc-cake(8): those for kinds of
 * lines are known here only, and the kernel is given their numbers.
 */
#ifndef VIFCTL_LINK_LAYER_H
#define VIFCTL_LINK_LAYER_H

#include <stdbool.h>

/* Is that a word of a link layer, as which a value may begin without its parameter's name? */
bool link_layer_begins(const char *word);

/**
 * link_layer_numbers - a value without words for kinds of lines
 * @value: with such words, or without; one after the other, as in cake's line
 *
 * Return: to be freed, NULL without memory. What is not understood stays as it is: the
 * kernel will say what it thinks of that.
 */
char *link_layer_numbers(const char *value);

#endif
