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
 * @unknown: names without a known number, which match nothing and are looked up again; an element
 * is NULL once its number is known. They are part of the condition.
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

/* A setting that a section does not have is NULL. */
struct settings {
	char *value[PARAM_DIRECTED];
};

/* As in a new VIF */
extern const struct settings settings_none;

struct vif_section {
	struct place place;
	char *path;		/* by the device's own name, if the device is there */
	char *written;		/* as it was written; NULL: not known yet, or of a pattern */
	struct settings settings;
	char *program;		/* its list of expressions, parsed when it is checked; NULL: none */
	struct clauses clauses;	/* the parsed list */
	struct words names;	/* names in these */
	struct period period;	/* of its quota */
	time_t began;		/* when the present period began; 0: not known yet */
	u64 used[VIF_DIRS];	/* bytes in it at the last poll */
	bool account;		/* keep accounts of it and the VIFs below */
	bool made;		/* created by this daemon, since it was started */
	unsigned int device;	/* number of the device of a copied pattern; or 0 */
	bool gone;		/* the section does not apply any more: drop it */
	bool broken;		/* it cannot be created; a message was printed */
};

/* The condition of a rule by rate, which a VIF must meet in each of several intervals. */
struct rate_test {
	bool above;		/* or below */
	bool ingress;
	u64 bits_per_s;
	double seconds;
};

/* The processes that share an own VIF of a rule */
enum rule_per { PER_FAMILY, PER_PROCESS, PER_USER };

/*
 * An empty list is not a condition. The first @attach_named words of @attach are written in the
 * file, the other ones are copies of @attach_pattern.
 */
struct rule {
	struct place place;
	char name[RULE_NAME_MAX + 1];
	struct words exe, cgroup, unit, in, attach, attach_pattern;
	size_t attach_named;
	struct words attach_written, in_written;	/* the first of @attach and @in, as written */
	struct ids user, group;
	bool broken;		/* a part of it is invalid; a message was printed */
	bool has_no_effect;	/* on a process; a message was printed once */
	bool has_own;
	enum rule_per per;
	struct settings own;
	bool has_rate;
	struct rate_test rate;
};

struct rules {
	char **file;		/* names of files, for struct place */
	size_t files;
	struct vif_section *vif;	/* sorted by path, parents first, once all are read */
	size_t vifs;
	struct vif_section *pattern;	/* as written: patterns.h */
	size_t patterns;
	struct rule *rule;
	size_t rules;
	unsigned int errors;
	unsigned int unknown;	/* number of unknown users and groups */
	bool any;		/* a file, or a folder, could be read */
};

/**
 * rules_read - read rule files
 * @path: files, and folders, of which the files *.conf are read in the order of their names
 * @count: number of paths
 * @strict: return NULL if there is an error; otherwise lines, rules and VIFs with errors are left
 * out
 *
 * A message is printed for each error. An unknown user is not an error, because it may become
 * known.
 *
 * Return: the rules, for rules_free(), or NULL: there was an error, or nothing could be read.
 */
struct rules *rules_read(char *const *path, size_t count, bool strict);
void rules_free(struct rules *rules);

/* Print an error at a place, and count it. */
void rules_error(struct rules *rules, const struct place *place,
		 const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Print that a user or group is unknown, and count it. */
void rules_unknown(struct rules *rules, const struct place *place, const char *key,
		   const char *name);

/* Find errors that are visible only when all files are read, and mark what is broken. */
void rules_check(struct rules *rules);

/* Print which settings have an effect only if a VIF above gets a bandwidth in another way. */
void rules_say_effect(const struct rules *rules);

struct rule *rules_find(const struct rules *rules, const char *name);
struct vif_section *rules_find_vif(const struct rules *rules, const char *path);
struct vif_section *rules_find_pattern(const struct rules *rules, const char *path);

/* Sort VIFs, parents first. */
void rules_sort(struct rules *rules);

/* Free its contents, but not the section itself. */
void vif_section_free(struct vif_section *vif);

/* Return a copy, to be freed; NULL for NULL. */
char *rules_copy(const char *text);

/* Append @word, which was allocated and now belongs to the list. */
void words_add(struct words *words, char *word);

/* Drop all words after the first @count. */
void words_cut(struct words *words, size_t count);

bool words_have(const struct words *words, const char *word);

/* Is one of these VIFs on the device of @vif? */
bool words_have_device(const struct words *words, const char *vif);

/*
 * Return the class of a VIF directly below, by its name, as its section has it. 0: it has none, or
 * there is no such section.
 */
unsigned int rules_class_below(const struct rules *rules, const struct vif_section *vif,
			       const char *name, int dir);

/* Does a rule attach control groups, and not processes? */
bool rule_is_of_groups(const struct rule *rule);

/* section.c: parse a line of a file, without its newline; the text is changed. */
struct section {
	struct vif_section *vif;	/* at most one of the two is set */
	struct rule *rule;
	bool skip;			/* its head is invalid */
};

void section_line(struct rules *rules, struct section *section,
		  const struct place *place, char *line);

/* Handle a line that could not be read. @first: its first byte that is not blank, or 0. */
void section_lost_line(struct section *section, char first);

/* word.c: check a word. Return: NULL, or valid words, for the error message. */
const char *word_vif(const char *word);
const char *word_vif_of_one(const char *word);
const char *word_exe(const char *word);
const char *word_group_path(const char *word);
const char *word_unit(const char *word);
bool word_user(const char *word, unsigned int *id);
/* Parse two numbers (1000-1999). Return: whether the word has this form. */
bool word_range(const char *word, struct id_range *range);
bool word_group(const char *word, unsigned int *id);
/* Return the setting of that name, or NULL. */
const struct param *word_setting(const char *word);
bool word_is_pattern(const char *word);

#endif
