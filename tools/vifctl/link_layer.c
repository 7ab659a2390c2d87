// SPDX-License-Identifier: GPL-2.0
#include "link_layer.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_BYTES	256	/* what a file takes */

/**
 * struct link_layer - what packets cost in one direction
 * @has_overhead: @overhead was given
 * @overhead: bytes, negative ones, too
 * @mpu: bytes at least, 0: any
 * @framing: "atm", "ptm", or none: "noatm", NULL
 * @raw: an overhead would come upon the whole frame
 */
struct link_layer {
	bool has_overhead;
	int overhead;
	int mpu;
	const char *framing;
	bool raw;
};

/**
 * struct kind - a word for a kind of line
 * @overhead: added to the overhead of previous words
 * @mpu: 0: unchanged
 * @framing: NULL: unchanged
 * @anew: previous words do not count
 */
struct kind {
	const char *word;
	int overhead;
	int mpu;
	const char *framing;
	bool anew;
};

static const struct kind kinds[] = {
	{ "conservative", 48, 0, "atm", true },
	{ "ipoa-vcmux", 8, 0, "atm", false },
	{ "ipoa-llcsnap", 16, 0, "atm", false },
	{ "bridged-vcmux", 24, 0, "atm", false },
	{ "bridged-llcsnap", 32, 0, "atm", false },
	{ "pppoa-vcmux", 10, 0, "atm", false },
	{ "pppoa-llc", 14, 0, "atm", false },
	{ "pppoe-vcmux", 32, 0, "atm", false },
	{ "pppoe-llcsnap", 40, 0, "atm", false },
	{ "pppoe-ptm", 30, 0, "ptm", false },
	{ "bridged-ptm", 22, 0, "ptm", false },
	{ "docsis", 18, 64, "noatm", false },
	{ "ethernet", 38, 84, NULL, false },
	{ "ether-vlan", 4, 0, NULL, false },
};

static const char *const framings[] = { "atm", "ptm", "noatm" };

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct kind *find_kind(const char *word)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (!strcmp(kinds[i].word, word))
			return &kinds[i];
	return NULL;
}

static const char *find_framing(const char *word)
{
	for (size_t i = 0; i < COUNT(framings); i++)
		if (!strcmp(framings[i], word))
			return framings[i];
	return NULL;
}

/* Does cake know it, and the kernel's file not? */
static bool is_cakes(const char *word)
{
	return find_kind(word) || !strcmp(word, "raw") || !strcmp(word, "via-ethernet");
}

bool link_layer_begins(const char *word)
{
	return is_cakes(word) || find_framing(word) || !strcmp(word, "overhead") ||
	       !strcmp(word, "mpu");
}

static bool take_number(const char *word, int *number)
{
	char *end;
	long value;

	if (!word)
		return false;
	value = strtol(word, &end, 10);
	*number = value;
	return end != word && !*end && value >= INT_MIN && value <= INT_MAX;
}

static void take_kind(struct link_layer *layer, const struct kind *kind)
{
	layer->overhead = kind->overhead + (kind->anew ? 0 : layer->overhead);
	layer->has_overhead = true;
	if (kind->mpu)
		layer->mpu = kind->mpu;
	if (kind->framing)
		layer->framing = kind->framing;
}

static bool take_word(struct link_layer *layer, const char *word, char **save)
{
	const struct kind *kind = find_kind(word);
	const char *framing = find_framing(word);

	if (kind) {
		take_kind(layer, kind);
	} else if (framing) {
		layer->framing = framing;
	} else if (!strcmp(word, "raw")) {
		layer->raw = true;
		layer->overhead = 0;
		layer->framing = NULL;
	} else if (!strcmp(word, "overhead")) {
		layer->has_overhead = true;
		return take_number(strtok_r(NULL, " ", save), &layer->overhead);
	} else if (!strcmp(word, "mpu")) {
		return take_number(strtok_r(NULL, " ", save), &layer->mpu);
	} else {
		return is_cakes(word);
	}
	return true;
}

static void put(FILE *out, const struct link_layer *layer)
{
	const char *gap = "";

	if (layer->has_overhead) {
		fprintf(out, "overhead %d", layer->overhead);
		gap = " ";
	}
	if (layer->mpu) {
		fprintf(out, "%smpu %d", gap, layer->mpu);
		gap = " ";
	}
	if (layer->framing || !*gap)
		fprintf(out, "%s%s", gap, layer->framing ? layer->framing : "none");
}

static bool is_direction(const char *word)
{
	return !strcmp(word, "egress") || !strcmp(word, "ingress");
}

/* A direction at the begin, or none, and its words. Return: false if not understood. */
static bool put_direction(FILE *out, char **word, char **save, bool *is_cake)
{
	struct link_layer layer = { 0 };

	if (is_direction(*word)) {
		fprintf(out, "%s ", *word);
		*word = strtok_r(NULL, " ", save);
		if (!*word)
			return false;
	}
	for (; *word && !is_direction(*word); *word = strtok_r(NULL, " ", save)) {
		*is_cake |= is_cakes(*word);
		if (!take_word(&layer, *word, save))
			return false;
	}
	if (layer.raw)
		layer.has_overhead = false;
	put(out, &layer);
	/* the kernel knows no overhead upon the frame */
	return !layer.raw || !layer.overhead;
}

/* @is_cake: set to whether there is a word that the kernel does not know. */
static bool put_numbers(FILE *out, char *words, bool *is_cake)
{
	char *save, *word = strtok_r(words, " ", &save);

	while (word) {
		if (!put_direction(out, &word, &save, is_cake))
			return false;
		if (word)
			fputc(' ', out);
	}
	return true;
}

/* Without such a word the text goes to the kernel as it was written. */
char *link_layer_numbers(const char *value)
{
	char words[VALUE_BYTES], *text = NULL;
	bool is_cake = false, understood;
	size_t size;
	FILE *out;

	if (strlen(value) >= sizeof(words))
		return strdup(value);
	strcpy(words, value);
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	understood = put_numbers(out, words, &is_cake);
	if (!fclose(out) && understood && is_cake)
		return text;
	free(text);
	return understood && is_cake ? NULL : strdup(value);
}
