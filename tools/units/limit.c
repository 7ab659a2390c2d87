// SPDX-License-Identifier: GPL-2.0
#include "limit.h"

#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "nearest.h"
#include "param_check.h"

#define BLANKS		" \t\r\n"
#define DEVICE_KEY	"Device"
#define REQUIRED_KEY	"Required"
#define DEVICES_MAX	64

/* Those of a VIF that has neither a place nor a past of its own. */
static const struct {
	const char *key;
	enum param_id id;
} keys[] = {
	{ "Bandwidth", PARAM_BANDWIDTH },
	{ "Minimum", PARAM_MINIMUM },
	{ "Burst", PARAM_BURST },
	{ "Weight", PARAM_WEIGHT },
	{ "Priority", PARAM_PRIORITY },
	{ "LocalWeight", PARAM_LOCAL_WEIGHT },
	{ "LocalPriority", PARAM_LOCAL_PRIORITY },
	{ "Limit", PARAM_LIMIT },
	{ "Aqm", PARAM_AQM },
	{ "Fair", PARAM_FAIR },
	{ "Dscp", PARAM_DSCP },
	{ "Mark", PARAM_MARK },
	{ "SkbPriority", PARAM_SKB_PRIORITY },
};

#define KEYS	(sizeof(keys) / sizeof(*keys))

static void out_of_memory(struct limits *limits)
{
	complain("out of memory");
	limits->wrong = true;
}

static void say_wrong(struct limits *limits, const struct section_line *line, const char *right)
{
	complain("%s:%u: %s=%s: want %s", line->path, line->line, line->key, line->value, right);
	limits->wrong = true;
}

static void say_unknown(struct limits *limits, const struct section_line *line)
{
	struct nearest nearest = { 0 };
	char hint[NEAREST_BYTES];

	for (size_t i = 0; i < KEYS; i++)
		nearest_try(&nearest, line->key, keys[i].key);
	nearest_try(&nearest, line->key, DEVICE_KEY);
	nearest_try(&nearest, line->key, REQUIRED_KEY);
	complain("%s:%u: there is no '%s' in [X-Netnice]%s", line->path, line->line, line->key,
		 nearest_hint(&nearest, hint));
	limits->wrong = limits->wrong_key = true;
}

static void take_param(struct limits *limits, const struct section_line *line, enum param_id id)
{
	const char *right = *line->value ? param_check(&params[id], line->value) : NULL;
	char *text;

	limits->wrong_value[id] = right;
	if (right) {
		say_wrong(limits, line, right);
		return;
	}
	text = *line->value ? param_squeeze(line->value) : NULL;
	if (*line->value && !text) {
		out_of_memory(limits);
		limits->wrong_value[id] = true;
		return;
	}
	free(limits->value[id]);
	limits->value[id] = text;
}

static void add_device(struct limits *limits, const char *name)
{
	for (size_t i = 0; i < limits->device.count; i++)
		if (!strcmp(limits->device.word[i], name))
			return;
	if (words_append(&limits->device, name))
		limits->wrong = limits->wrong_device = true;
}

static void take_devices(struct limits *limits, const struct section_line *line)
{
	char *words = strdup(line->value), *word, *save;

	if (!*line->value)
		words_free(&limits->device);
	for (word = words ? strtok_r(words, BLANKS, &save) : NULL; word;
	     word = strtok_r(NULL, BLANKS, &save)) {
		if (strlen(word) >= IF_NAMESIZE || strchr(word, '/') ||
		    limits->device.count == DEVICES_MAX) {
			say_wrong(limits, line, "up to 64 names of devices (eth0 wlan0)");
			limits->wrong_device = true;
		} else {
			add_device(limits, word);
		}
	}
	if (!words) {
		out_of_memory(limits);
		limits->wrong_device = true;
	}
	free(words);
}

/* As systemd has them; -1: it is none. */
static int truth(const char *word)
{
	static const char *const words[] = {
		"0", "1", "no", "yes", "n", "y", "false", "true", "f", "t", "off", "on",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcasecmp(word, words[i]))
			return i % 2;
	return -1;
}

static void take_required(struct limits *limits, const struct section_line *line)
{
	const int value = *line->value ? truth(line->value) : 0;

	if (value < 0)
		say_wrong(limits, line, "yes or no");
	else
		limits->required = value;
}

bool limits_is_required(const struct section_line *line)
{
	return line->key && !strcmp(line->key, REQUIRED_KEY) && truth(line->value) > 0;
}

void limits_take(const struct section_line *line, void *arg)
{
	struct limits *limits = arg;

	limits->is_set = true;
	if (!line->key)
		return;
	if (!strcmp(line->key, REQUIRED_KEY)) {
		take_required(limits, line);
		return;
	}
	if (!strcmp(line->key, DEVICE_KEY)) {
		take_devices(limits, line);
		return;
	}
	for (size_t i = 0; i < KEYS; i++)
		if (!strcmp(line->key, keys[i].key)) {
			take_param(limits, line, keys[i].id);
			return;
		}
	say_unknown(limits, line);
}

bool limits_is_unclear(const struct limits *limits, enum param_id id)
{
	return limits->wrong_value[id] || (limits->wrong_key && !limits->value[id]);
}

void limits_free(struct limits *limits)
{
	for (size_t i = 0; i < PARAM_DIRECTED; i++)
		free(limits->value[i]);
	words_free(&limits->device);
	*limits = (struct limits) { 0 };
}
