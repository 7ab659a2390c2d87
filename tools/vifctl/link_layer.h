/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Link layers, in the keywords of tc-cake(8). The kernel does not know the keywords for kinds of lines;
 * they are converted to numbers here.
 */
#ifndef VIFCTL_LINK_LAYER_H
#define VIFCTL_LINK_LAYER_H

#include <stdbool.h>

/* Is it a keyword of a link layer? A value that begins with one needs no parameter's name. */
bool link_layer_begins(const char *word);

/**
 * link_layer_numbers - convert keywords for kinds of lines to numbers
 * @value: a value, with or without such keywords, in the order of tc-cake(8)
 *
 * An unknown word is not changed: the kernel reports the error. Return: the value, which the caller frees;
 * NULL without memory.
 */
char *link_layer_numbers(const char *value);

#endif
