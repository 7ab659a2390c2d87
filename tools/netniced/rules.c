// SPDX-License-Identifier: GPL-2.0
/* Read the rule files of folders, and combine them. */
#include "rules.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array.h"
#include "log.h"
#include "patterns.h"

#define LINE_BYTES	1024

const struct settings settings_none;

void rules_error(struct rules *rules, const struct place *place,
		 const char *fmt, ...)
{
	char text[2 * LINE_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_say(LOG_ERROR, "%s:%u: %s", place->file, place->line, text);
	rules->errors++;
}

void rules_unknown(struct rules *rules, const struct place *place, const char *key,
		   const char *name)
{
	log_say(LOG_ERROR, "%s:%u: %s = %s: there is no such %s: want a name or a number; it is looked for again each minute",
		place->file, place->line, key, name, key);
	rules->unknown++;
}

struct rule *rules_find(const struct rules *rules, const char *name)
{
	for (size_t i = 0; i < rules->rules; i++)
		if (!strcmp(rules->rule[i].name, name))
			return &rules->rule[i];
	return NULL;
}

static struct vif_section *find_section(struct vif_section *vif, size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(vif[i].path, path))
			return &vif[i];
	return NULL;
}

struct vif_section *rules_find_vif(const struct rules *rules, const char *path)
{
	return find_section(rules->vif, rules->vifs, path);
}

struct vif_section *rules_find_pattern(const struct rules *rules, const char *path)
{
	return find_section(rules->pattern, rules->patterns, path);
}

char *rules_copy(const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		abort();
	return copy;
}

void words_add(struct words *words, char *word)
{
	char **place = array_add(&words->word, &words->count, sizeof(*place));

	if (!place)
		abort();
	*place = word;
}

void words_cut(struct words *words, size_t count)
{
	while (words->count > count)
		free(words->word[--words->count]);
}

bool words_have(const struct words *words, const char *word)
{
	for (size_t i = 0; i < words->count; i++)
		if (!strcmp(words->word[i], word))
			return true;
	return false;
}

bool words_have_device(const struct words *words, const char *vif)
{
	const size_t len = strcspn(vif, "/");

	for (size_t i = 0; i < words->count; i++)
		if (strcspn(words->word[i], "/") == len &&
		    !strncmp(words->word[i], vif, len))
			return true;
	return false;
}

unsigned int rules_class_below(const struct rules *rules, const struct vif_section *vif,
			       const char *name, int dir)
{
	struct vif_params class[VIF_DIRS];
	const struct vif_section *below;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", vif->path, name);
	below = rules_find_vif(rules, path);
	if (!below || !below->settings.value[PARAM_CLASS] ||
	    param_parse(PARAM_CLASS, below->settings.value[PARAM_CLASS], class))
		return 0;
	return class[dir].class;
}

bool rule_is_of_groups(const struct rule *rule)
{
	return !rule->has_rate && (rule->cgroup.count || rule->unit.count) &&
	       !rule->exe.count && !ids_any(&rule->user) && !ids_any(&rule->group) &&
	       !rule->in.count;
}

/* The first byte that is not blank: zero bytes may have replaced blanks. 0: there is none. */
static char first_of(const char *line, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (line[i] && !strchr(" \t\r", line[i]))
			return line[i];
	return '\0';
}

/* Nothing is left of a line that cannot be read. Return: whether there was a line. */
static bool next_line(struct rules *rules, struct section *section, struct place *place, FILE *f,
		      char **line, size_t *size)
{
	ssize_t bytes = getline(line, size, f);
	size_t len;

	if (bytes < 0)
		return false;
	place->line++;
	if ((*line)[bytes - 1] == '\n')
		(*line)[--bytes] = '\0';
	len = strlen(*line);
	if (len == (size_t)bytes && len < LINE_BYTES)
		return true;
	rules_error(rules, place, len < LINE_BYTES ? "a zero byte: want text" :
		    "more than 1023 bytes: want shorter lines");
	section_lost_line(section, first_of(*line, bytes));
	**line = '\0';
	return true;
}

static void read_lines(struct rules *rules, const char *name, FILE *f)
{
	struct place place = { .file = name };
	struct section section = { 0 };
	char *line = NULL;
	size_t size = 0;

	while (next_line(rules, &section, &place, f, &line, &size))
		section_line(rules, &section, &place, line);
	if (ferror(f))
		section_lost_line(&section, '\0');
	free(line);
}

static const char *keep_name(struct rules *rules, const char *path)
{
	char **name = array_add(&rules->file, &rules->files, sizeof(*name));

	if (!name)
		abort();
	*name = rules_copy(path);
	return *name;
}

static void cannot_read(struct rules *rules, const char *path)
{
	log_say(LOG_ERROR, "%s: cannot be read: %s", path, strerror(errno));
	rules->errors++;
}

static void read_file(struct rules *rules, const char *path)
{
	const char *name = keep_name(rules, path);
	FILE *f = fopen(path, "re");

	if (!f) {
		cannot_read(rules, path);
		return;
	}
	rules->any = true;
	read_lines(rules, name, f);
	if (ferror(f))
		cannot_read(rules, path);
	fclose(f);
}

static int is_rule_file(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot && !strcmp(dot, ".conf");
}

static void read_folder(struct rules *rules, const char *path)
{
	struct dirent **entry;
	char file[PATH_MAX];
	int n;

	n = scandir(path, &entry, is_rule_file, alphasort);
	if (n < 0) {
		cannot_read(rules, path);
		return;
	}
	rules->any = true;
	for (int i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, entry[i]->d_name);
		read_file(rules, file);
		free(entry[i]);
	}
	free(entry);
	if (!n)
		log_say(LOG_WARN, "%s: no rules there: want files named *.conf",
			path);
}

static int by_path(const void *a, const void *b)
{
	const struct vif_section *x = a, *y = b;

	return strcmp(x->path, y->path);
}

void rules_sort(struct rules *rules)
{
	if (rules->vifs)
		qsort(rules->vif, rules->vifs, sizeof(*rules->vif), by_path);
}

static void free_settings(struct settings *settings)
{
	for (int i = 0; i < PARAM_DIRECTED; i++)
		free(settings->value[i]);
}

static void free_rule(struct rule *rule)
{
	words_free(&rule->exe);
	words_free(&rule->cgroup);
	words_free(&rule->unit);
	words_free(&rule->in);
	words_free(&rule->attach);
	words_free(&rule->attach_pattern);
	words_free(&rule->attach_written);
	words_free(&rule->in_written);
	words_free(&rule->user.unknown);
	words_free(&rule->group.unknown);
	free_settings(&rule->own);
}

void vif_section_free(struct vif_section *vif)
{
	free_settings(&vif->settings);
	clauses_free(&vif->clauses);
	words_free(&vif->names);
	free(vif->program);
	free(vif->written);
	free(vif->path);
}

/* What cannot be in force: the rest is. */
static void drop_broken(struct rules *rules)
{
	size_t kept = 0;

	for (size_t i = 0; i < rules->vifs; i++)
		if (rules->vif[i].broken)
			vif_section_free(&rules->vif[i]);
		else
			rules->vif[kept++] = rules->vif[i];
	rules->vifs = kept;
	kept = 0;
	for (size_t i = 0; i < rules->patterns; i++)
		if (rules->pattern[i].broken)
			vif_section_free(&rules->pattern[i]);
		else
			rules->pattern[kept++] = rules->pattern[i];
	rules->patterns = kept;
	kept = 0;
	for (size_t i = 0; i < rules->rules; i++)
		if (rules->rule[i].broken)
			free_rule(&rules->rule[i]);
		else
			rules->rule[kept++] = rules->rule[i];
	rules->rules = kept;
}

struct rules *rules_read(char *const *path, size_t count, bool strict)
{
	struct rules *rules = calloc(1, sizeof(*rules));
	struct stat st;

	if (!rules)
		abort();
	for (size_t i = 0; i < count; i++)
		if (!stat(path[i], &st) && S_ISDIR(st.st_mode))
			read_folder(rules, path[i]);
		else
			read_file(rules, path[i]);
	patterns_own_names(rules);
	rules_sort(rules);
	rules_check(rules);
	if (!rules->any || (strict && rules->errors)) {
		rules_free(rules);
		return NULL;
	}
	drop_broken(rules);
	patterns_follow(rules);
	return rules;
}

static void free_sections(struct vif_section *vif, size_t count)
{
	for (size_t i = 0; i < count; i++)
		vif_section_free(&vif[i]);
	free(vif);
}

void rules_free(struct rules *rules)
{
	if (!rules)
		return;
	for (size_t i = 0; i < rules->rules; i++)
		free_rule(&rules->rule[i]);
	free_sections(rules->vif, rules->vifs);
	free_sections(rules->pattern, rules->patterns);
	for (size_t i = 0; i < rules->files; i++)
		free(rules->file[i]);
	free(rules->rule);
	free(rules->file);
	free(rules);
}
