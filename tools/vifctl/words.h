/* SPDX-License-Identifier: GPL-2.0 */
/* The words of a command: options among them, devices, paths. */
#ifndef VIFCTL_WORDS_H
#define VIFCTL_WORDS_H

#include <net/if.h>

#include "nearest.h"
#include "param.h"
#include "path.h"
#include "target.h"
#include "vifctl.h"

/*
 * An option of one verb: either it is there, or it has a word behind it, or it may have one
 * behind "=". The last one of a table has no name.
 */
struct flag {
	const char *name;
	bool *value;
	const char **word;
	const char **more;
};

/* Whether a word is an option, by one of its two names. */
bool is_either(const char *word, const char *brief, const char *full);

/* "VERB: message (see its help)". Return: EXIT_USAGE. */
int usage_error(const char *verb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * options_take - take one option of vifctl's own
 * @options: where it is noted
 * @word: the argument
 *
 * Return: whether @word is one of those that every verb knows.
 */
bool options_take(struct options *options, const char *word);

/* The names of these may have been meant. */
void options_try(struct nearest *nearest, const char *typed);

/**
 * words_take_options - take options out of a verb's words: they may stand anywhere
 * @verb: its name
 * @options: where they are noted
 * @words: what stays is moved together; "--" ends the options
 * @flags: more options, of this verb; or NULL
 */
int words_take_options(const char *verb, struct options *options, char **words,
		       const struct flag *flags);

/**
 * words_take_path - read a VIF's path
 * @verb: for messages
 * @word: "eth0/web" or "/proc/network/eth0/web"; changed in place
 * @path: set to it as relative to the mount point; NULL for that itself
 */
int words_take_path(const char *verb, char *word, char **path);

/* The same, but of one VIF. */
int words_take_vif(const char *verb, char *word, char **path);

/* Nothing is wanted any more: @word is to be NULL. */
int words_end(const char *verb, const char *word);

/* A file is wanted, and nothing more. */
int words_take_file(const char *verb, char **words);

/* Where a target is wanted, a unit of systemd stands for its control group. */
#define WORD_UNIT	"unit"

/* Whether a target begins with that word. */
bool words_is_target(const char *word);
void words_list_targets(FILE *out);

/* Two words: a kind of target, or of a unit, and its name; what is in @target is to be freed. */
int words_take_target(const char *verb, struct target *target, char **words);

/* Between two looks. Without @word nothing changes. */
int words_take_seconds(const char *verb, double *seconds, const char *word, double least,
		       double most);
/* How often, at least once; the same. */
int words_take_count(const char *verb, unsigned long long *count, const char *word);

/* Whether no unit stands apart from its number, as in "10 mbit"; said if one does. */
int words_check_units(const struct param *param, char **words, size_t count);

/* So many words as the value of a setting, as the kernel takes it; to be freed, or NULL. */
char *words_value(const struct param *param, char **words, size_t count);

/* Where a verb that shows VIFs begins: [dev DEV | PATH] */
struct scope {
	const char *path;		/* NULL: all devices */
	char dev[IF_NAMESIZE];		/* what @path is, for "dev DEV" */
};

int scope_take(const char *verb, struct scope *scope, char **words);

/* The same of several: takes one, and moves @words behind it. */
int scope_take_next(const char *verb, struct scope *scope, char ***words);

/* Whether what it begins with is there, said if not. */
int scope_check(const char *verb, const struct scope *scope, const struct nnfs *fs);

/* Says that VIFs could not be read. Return: the exit status. */
int scope_failed(const char *verb, const struct scope *scope,
		 const struct nnfs *fs);

#endif
