// SPDX-License-Identifier: GPL-2.0
#include "param.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "value.h"

#define BLANKS		" \t\n\v\f\r"
#define DIRECTIONS	2
#define SETTING_BYTES	256	/* with a line feed: what a file takes */

#define WEIGHT_RIGHT	"a whole number from 1 to 10000"
#define PRIORITY_RIGHT	"a whole number from 0 (first) to 7"
#define DIRECTIONS_RIGHT "VALUE for both directions, or " \
			 "egress VALUE and ingress VALUE, each once"

const struct param params[PARAM_COUNT] = {
	[PARAM_BANDWIDTH] = { "bandwidth", "RATE | max",
		"a rate from 8kbit to 100gbit (256k, 1.5mbit, 32kbps), or max",
		"max", value_bandwidth },
	[PARAM_MINIMUM] = { "minimum", "RATE | none",
		"a rate from 8kbit to 100gbit (256k, 1.5mbit, 32kbps), or none",
		"none", value_minimum },
	[PARAM_BURST] = { "burst", "TIME | SIZE | auto",
		"a time up to 10s (5ms), a size up to 4gb (64k), or auto",
		"auto", value_burst },
	[PARAM_WEIGHT] = { "weight", "1..10000", WEIGHT_RIGHT,
		"100", value_weight },
	[PARAM_PRIORITY] = { "priority", "0..7, 0 comes first", PRIORITY_RIGHT,
		"4", value_priority },
	[PARAM_LOCAL_WEIGHT] = { "local_weight", "1..10000", WEIGHT_RIGHT,
		"100", value_weight },
	[PARAM_LOCAL_PRIORITY] = { "local_priority", "0..7", PRIORITY_RIGHT,
		"4", value_priority },
	[PARAM_LIMIT] = { "limit", "SIZE | PACKETSp | max | auto",
		"a size below 4gb (64k), packets up to 1000000 (100p), max, or auto",
		"auto", value_limit },
	[PARAM_AQM] = { "aqm",
		"codel [target TIME] [interval TIME] | none | auto",
		"codel [target TIME] [interval TIME] with times from 1us to 10s and the target below the interval, none, or auto",
		"codel", value_aqm },
	[PARAM_LINK_LAYER] = { "link_layer",
		"[overhead BYTES] [mpu BYTES] [atm | ptm | noatm] | none",
		"[overhead BYTES] [mpu BYTES] [atm | ptm | noatm] with an overhead from -64 to 256 and an mpu from 0 to 256, or none",
		"none", value_link_layer },
	[PARAM_OWNER] = { .name = "owner", .syntax = "UID:GID, numbers" },
	[PARAM_MODE] = { .name = "mode", .syntax = "octal permission bits, as 755" },
	[PARAM_AUTOREMOVE] = { .name = "autoremove", .syntax = "0 | 1",
		.initial = "0" },
};

static const char *const direction_names[DIRECTIONS] = { "egress", "ingress" };

const struct param *param_find(const char *name)
{
	for (size_t i = 0; i < PARAM_COUNT; i++)
		if (!strcmp(params[i].name, name))
			return &params[i];
	return NULL;
}

enum param_id param_id(const struct param *param)
{
	return param - params;
}

bool param_has_directions(const struct param *param)
{
	return param_id(param) < PARAM_DIRECTED;
}

void param_list(FILE *out, const char *indent)
{
	for (size_t i = 0; i < PARAM_COUNT; i++)
		fprintf(out, "%s%-15s %s%s\n", indent, params[i].name,
			param_has_directions(&params[i]) ? "[egress|ingress] " : "",
			params[i].syntax);
}

/* The words between blanks, with one space between them. */
static char *squeeze(const char *text)
{
	char *copy = strdup(text), *to = copy;
	size_t len;

	if (!copy)
		return NULL;
	for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
		len = strcspn(text, BLANKS);
		if (to != copy)
			*to++ = ' ';
		memcpy(to, text, len);
		to += len;
		text += len;
	}
	*to = '\0';
	return copy;
}

static int direction_of(const char *word, size_t len)
{
	for (int i = 0; i < DIRECTIONS; i++)
		if (len == strlen(direction_names[i]) &&
		    !strncasecmp(word, direction_names[i], len))
			return i;
	return -1;
}

/* Where the next "egress" or "ingress" is, or the end. */
static const char *next_direction(const char *text)
{
	while (*text && direction_of(text, strcspn(text, " ")) < 0) {
		text += strcspn(text, " ");
		text += *text == ' ';
	}
	return text;
}

/* @text up to @end, without the space before that */
static char *cut(const char *text, const char *end)
{
	while (end > text && end[-1] == ' ')
		end--;
	return end > text ? strndup(text, end - text) : NULL;
}

/* Return: false where it is not understood. */
static bool split_directions(const char *text, char *value[DIRECTIONS])
{
	const char *end = next_direction(text);
	int i;

	if (end != text) {
		value[0] = cut(text, end);
		value[1] = value[0] ? strdup(value[0]) : NULL;
		return !*end;
	}
	while (*text) {
		i = direction_of(text, strcspn(text, " "));
		text += strlen(direction_names[i]);
		text += *text == ' ';
		end = next_direction(text);
		if (value[i] || end == text)
			return false;
		value[i] = cut(text, end);
		text = end;
	}
	return value[0] || value[1];
}

static char *normal_word(const struct param *param, char *word)
{
	char *normal;

	if (!word)
		return strdup(param->initial);
	param->value(word, &normal);
	free(word);
	return normal;
}

static char *join_directions(const struct param *param,
			     char *value[DIRECTIONS])
{
	char *egress = normal_word(param, value[0]);
	char *ingress = normal_word(param, value[1]);
	char *text = NULL;

	value[0] = NULL;
	value[1] = NULL;
	if (egress && ingress && !strcmp(egress, ingress)) {
		text = strdup(egress);
	} else if (egress && ingress &&
		   asprintf(&text, "egress %s ingress %s", egress, ingress) < 0) {
		text = NULL;
	}
	free(egress);
	free(ingress);
	return text;
}

/* "0755" and "755" are the same. */
static char *normal_mode(char *text)
{
	char *rest = text + strspn(text, "0");

	memmove(text, rest, strlen(rest) + 1);
	return text;
}

char *param_normal(const struct param *param, const char *value)
{
	char *text = squeeze(value), *each[DIRECTIONS] = { NULL };
	char *normal;

	if (!text || !param_has_directions(param))
		return text && param == &params[PARAM_MODE] ?
		       normal_mode(text) : text;
	if (!split_directions(text, each)) {
		free(each[0]);
		free(each[1]);
		return text;
	}
	normal = join_directions(param, each);
	free(text);
	return normal;
}

static bool has_words(const struct param *param)
{
	return param == &params[PARAM_AQM] || param == &params[PARAM_LINK_LAYER];
}

/* One word, if no more make sense. */
static const char *check_value(const struct param *param, const char *words)
{
	char *normal;
	bool taken = param->value(words, &normal);

	free(normal);
	if (taken)
		return NULL;
	return strchr(words, ' ') && !has_words(param) ?
	       DIRECTIONS_RIGHT : param->right;
}

static const char *check_directions(const struct param *param, const char *text)
{
	char *value[DIRECTIONS] = { NULL };
	const char *right = NULL;

	if (!*text || strlen(text) >= SETTING_BYTES)
		right = param->right;
	else if (!split_directions(text, value))
		right = DIRECTIONS_RIGHT;
	for (int i = 0; i < DIRECTIONS; i++) {
		if (!right && value[i])
			right = check_value(param, value[i]);
		free(value[i]);
	}
	return right;
}

const char *param_check(const struct param *param, const char *value)
{
	char *text = squeeze(value);
	const char *right = text ? check_directions(param, text) : param->right;

	free(text);
	return right;
}
