/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contents of rule files, parsed: VIFs to create, and rules that attach. rules.c reads files,
 * section.c parses sections, word.c parses words. A line has at most 1023 bytes, a list at most 32
 * words.
 */
#ifndef NETNICED_RULES_H
#define NETNICED_RULES_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "clauses.h"
#include "param.h"
#include "path.h"
#include "period.h"
#include "text.h"

#define RULE_NAME_MAX	24
#define WORDS_MAX	32

struct place {
	const char *file;
	unsigned int line;
};

/* Numbers of users or groups */
struct id_range {
	unsigned int first, last;
};

/*
 * @unknown: names of which no number is known yet: nothing has them, and they are looked for
 * again; NULL once one is known. They are a condition, too.
 */
struct ids {
	struct id_range id[WORDS_MAX];
	size_t count;
	struct words unknown;
};

static inline bool ids_any(const struct ids *ids)
{
	return ids->count || ids->unknown.count;
}

/* A setting that is not mentioned is NULL. */
struct settings {
	char *value[PARAM_DIRECTED];
};

/* As in a new VIF */
extern const struct settings settings_none;

struct vif_section {
	struct place place;
	char *path;
	struct settings settings;
	char *program;		/* its list, taken apart once it is checked; NULL: none */
	struct clauses clauses;	/* of that */
	struct words names;	/* that those have */
	struct period period;	/* of its quota */
	time_t began;		/* the present one; 0: not known yet */
	u64 used[VIF_DIRS];	/* in it, when last looked at; bytes */
	bool account;		/* of it, and of those below */
	bool made;		/* by this daemon, since it was started */
	unsigned int device;	/* its number, where a pattern was written; or 0 */
	bool gone;		/* no VIF is meant there any more: to be dropped */
	bool broken;		/* it cannot be made, which was said */
};

/* What a VIF has to have done, in each of several intervals. */
struct rate_test {
	bool above;		/* or below */
	bool ingress;
	u64 bits_per_s;
	double seconds;
};

/* Which processes share a VIF that a rule makes for them */
enum rule_per { PER_FAMILY, PER_PROCESS, PER_USER };

/*
 * A list that is empty is no condition. Of @attach the first @attach_named are written so, the
 * others come from @attach_pattern.
 */
struct rule {
	struct place place;
	char name[RULE_NAME_MAX + 1];
	struct words exe, cgroup, unit, in, attach, attach_pattern;
	size_t attach_named;
	struct ids user, group;
	bool broken;		/* some of it was not understood, and said */
	bool has_no_effect;	/* on a process, which was said once */
	bool has_own;
	enum rule_per per;
	struct settings own;
	bool has_rate;
	struct rate_test rate;
};

struct rules {
	char **file;		/* their names, for places */
	size_t files;
	struct vif_section *vif;	/* by path once all are read: a VIF before those below it */
	size_t vifs;
	struct vif_section *pattern;	/* as written: patterns.h */
	size_t patterns;
	struct rule *rule;
	size_t rules;
	unsigned int errors;
	unsigned int unknown;	/* users and groups that are not known */
	bool any;		/* a file, or a folder, could be read */
};

/**
 * rules_read - read rule files
 * @path: files, and folders of which files named *.conf are read by name
 * @count: how many
 * @strict: whether all is dropped if there is an error; otherwise the lines, rules and VIFs
 *	that have errors are left out, and the rest counts
 *
 * Says every error. A user that is not known is none, as it may become known.
 *
 * Return: the rules, to be given to rules_free(), or NULL if there was an error, or nothing
 * could be read.
 */
struct rules *rules_read(char *const *path, size_t count, bool strict);
void rules_free(struct rules *rules);

/* Says what is wrong at a place, and counts it. */
void rules_error(struct rules *rules, const struct place *place,
		 const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Says that a user or group is not known. */
void rules_unknown(struct rules *rules, const struct place *place, const char *key,
		   const char *name);

/* Looks at what can be seen when all is read only; marks what is broken. */
void rules_check(struct rules *rules);

/* Says which settings have an effect only if a VIF above gets a bandwidth by other means. */
void rules_say_effect(const struct rules *rules);

struct rule *rules_find(const struct rules *rules, const char *name);
struct vif_section *rules_find_vif(const struct rules *rules, const char *path);
struct vif_section *rules_find_pattern(const struct rules *rules, const char *path);

/* A VIF before those below it */
void rules_sort(struct rules *rules);

/* What it points to is freed, itself is not. */
void vif_section_free(struct vif_section *vif);

/* To be freed; NULL of NULL. */
char *rules_copy(const char *text);

/* Takes @word, which is to be freed. */
void words_add(struct words *words, char *word);

/* Leaves the first @count. */
void words_cut(struct words *words, size_t count);

bool words_have(const struct words *words, const char *word);

/* Whether one of these VIFs is on the same device. */
bool words_have_device(const struct words *words, const char *vif);

/*
 * The class that the section of a VIF right below gives to it, by its name; 0: none. Nothing
 * where there is no such section.
 */
unsigned int rules_class_below(const struct rules *rules, const struct vif_section *vif,
			       const char *name, int dir);

/* Whether a rule attaches control groups as such, and no process by itself. */
bool rule_is_of_groups(const struct rule *rule);

/* section.c: a line of a file, without its newline; it is changed. */
struct section {
	struct vif_section *vif;	/* at most one of the two is set */
	struct rule *rule;
	bool skip;			/* its head was wrong */
};

void section_line(struct rules *rules, struct section *section,
		  const struct place *place, char *line);

/* A line could not be read, of which the first byte that is not blank is known, or 0. */
void section_lost_line(struct section *section, char first);

/* word.c: what is wrong with a word, as what would have been right; or NULL */
const char *word_vif(const char *word);
const char *word_vif_of_one(const char *word);
const char *word_exe(const char *word);
const char *word_group_path(const char *word);
const char *word_unit(const char *word);
bool word_user(const char *word, unsigned int *id);
/* Two numbers, as 1000-1999. Return: whether the word has this form. */
bool word_range(const char *word, struct id_range *range);
bool word_group(const char *word, unsigned int *id);
/* The setting of that name, or NULL. */
const struct param *word_setting(const char *word);
bool word_is_pattern(const char *word);

#endif
