/* SPDX-License-Identifier: GPL-2.0 */
/* What vifctl's verbs share. */
#ifndef VIFCTL_H
#define VIFCTL_H

#include <stdbool.h>

/* 1: what was asked makes no sense; 2: the kernel would not do it. */
enum {
	EXIT_OK		= 0,
	EXIT_USAGE	= 1,
	EXIT_KERNEL	= 2,
};

struct options {
	bool json;
	bool pretty;
	bool statistics;
};

/**
 * options_take - take one option
 * @options: where it is noted
 * @word: the argument
 *
 * Options may stand before the verb and behind it. Return: whether @word is
 * one of them.
 */
bool options_take(struct options *options, const char *word);

/* Each verb gets the words behind its own name, NULL at the end. */
int show_run(struct options *options, char **words);
void show_help(void);
int enable_run(struct options *options, char **words);
void enable_help(void);
int disable_run(struct options *options, char **words);
void disable_help(void);

#endif
