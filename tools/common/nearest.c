// SPDX-License-Identifier: GPL-2.0
/*
 * Letters that are wrong, missing, too many, or two that changed places, count one each
 * (Damerau and Levenshtein, optimal string alignment).
 */
#include "nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Longer words are not compared: none of ours is. */
#define LENGTH_MAX	24

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static unsigned int distance(const char *a, const char *b)
{
	const size_t len_a = strlen(a), len_b = strlen(b);
	unsigned int d[LENGTH_MAX + 1][LENGTH_MAX + 1];

	for (size_t i = 0; i <= len_a; i++) {
		for (size_t j = 0; j <= len_b; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
					d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[len_a][len_b];
}

/* Words of other programs for our words */
static const struct {
	const char *theirs;
	const char *ours;
} synonyms[] = {
	{ "rm", "del" }, { "rmdir", "del" }, { "remove", "del" }, { "delete", "del" },
	{ "mv", "move" }, { "rename", "move" },
	{ "create", "add" }, { "mkdir", "add" }, { "new", "add" },
	{ "change", "set" }, { "replace", "set" }, { "modify", "set" },
	{ "tree", "show" }, { "status", "show" }, { "get", "show" },
	{ "stats", "stat" }, { "load", "restore" }, { "apply", "restore" }, { "dump", "save" },
	{ "limit", "set" }, { "bandwidth", "set" }, { "limit", "bandwidth" }, { "rate", "bandwidth" }, { "speed", "bandwidth" },
	{ "bw", "bandwidth" }, { "ceil", "bandwidth" }, { "min", "minimum" },
	{ "prio", "priority" }, { "nice", "priority" }, { "share", "weight" },
	{ "pid", "process" }, { "tid", "thread" }, { "dev", "device" },
	{ "interface", "device" }, { "iface", "device" }, { "service", "unit" },
	{ "upload", "up" }, { "egress", "up" }, { "download", "down" }, { "ingress", "down" },
};

static bool is_synonym(const char *typed, const char *word)
{
	for (size_t i = 0; i < sizeof(synonyms) / sizeof(*synonyms); i++)
		if (!strcmp(synonyms[i].theirs, typed) && !strcmp(synonyms[i].ours, word))
			return true;
	return false;
}

static const char *without_dashes(const char *word)
{
	return word + strspn(word, "-");
}

/* A third of the letters may be wrong. A word that begins with a known word matches it, too. */
void nearest_try(struct nearest *nearest, const char *typed, const char *word)
{
	const char *name = without_dashes(word);
	const size_t len = strlen(name);
	unsigned int away;

	typed = without_dashes(typed);
	if (strlen(typed) > LENGTH_MAX || len > LENGTH_MAX)
		return;
	away = is_synonym(typed, name) ? 0 :
	       len > 2 && !strncmp(typed, name, len) ? 1 : distance(typed, name);
	if (away > (len + 1) / 3 || (nearest->word && away >= nearest->distance))
		return;
	nearest->word = word;
	nearest->distance = away;
}

const char *nearest_hint(const struct nearest *nearest, char text[NEAREST_BYTES])
{
	*text = '\0';
	if (nearest->word)
		snprintf(text, NEAREST_BYTES, "; did you mean '%s'?", nearest->word);
	return text;
}
