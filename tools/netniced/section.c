// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of rule files: heads of sections, and settings. One table lists the keys of a rule and
 * their parsers. The keys of a VIF are its files.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "nearest.h"
#include "param_check.h"
#include "patterns.h"
#include "rules.h"
#include "text.h"

#define BLANK	" \t\r"

/* The place of an error, and the section that it makes invalid. */
struct spot {
	struct rules *rules;
	const struct place *place;
	const char *key;
};

#define complain(spot, fmt, ...) \
	rules_error((spot)->rules, (spot)->place, fmt, ##__VA_ARGS__)

static void add_word(const struct spot *spot, struct words *words,
		     const char *word, const char *right)
{
	if (right)
		complain(spot, "%s = %s: want %s", spot->key, word, right);
	else if (words->count == WORDS_MAX)
		complain(spot, "%s: more than %d words in a rule: make two rules",
			 spot->key, WORDS_MAX);
	else
		words_add(words, rules_copy(word));
}

static void add_id(const struct spot *spot, struct ids *ids, const char *word,
		   bool (*find)(const char *word, unsigned int *id))
{
	struct id_range range;
	unsigned int id;

	if (ids->count + ids->unknown.count == WORDS_MAX) {
		complain(spot, "%s: more than %d words in a rule: make two rules",
			 spot->key, WORDS_MAX);
	} else if (word_range(word, &range)) {
		if (range.first > range.last)
			complain(spot, "%s = %s: want the lower number first", spot->key, word);
		ids->id[ids->count++] = range;
	} else if (find(word, &id)) {
		ids->id[ids->count++] = (struct id_range) { id, id };
	} else {
		rules_unknown(spot->rules, spot->place, spot->key, word);
		words_add(&ids->unknown, rules_copy(word));
	}
}

#define each_word(word, value, save)					\
	for (char *save, *word = strtok_r(value, BLANK, &save); word;	\
	     word = strtok_r(NULL, BLANK, &save))

/* Kept as the kernel writes them in /proc/PID/cgroup: with a slash before. */
static void read_cgroup(const struct spot *spot, struct rule *rule, char *value)
{
	char path[1024];

	each_word(word, value, save) {
		snprintf(path, sizeof(path), "%s%s", *word == '/' ? "" : "/",
			 word);
		if (path[1] && path[strlen(path) - 1] == '/')
			path[strlen(path) - 1] = '\0';
		add_word(spot, &rule->cgroup, path, word_group_path(word));
	}
}

static void read_attach(const struct spot *spot, struct rule *rule, char *value)
{
	each_word(word, value, save)
		if (words_have_device(&rule->attach, word))
			complain(spot, "attach = %s: a second VIF of the same device: want one of each",
				 word);
		else if (pattern_is(word))
			add_word(spot, &rule->attach_pattern, word, word_vif(word));
		else
			add_word(spot, &rule->attach, word, word_vif(word));
	rule->attach_named = rule->attach.count;
}

static char *squeezed(const char *text)
{
	char *copy = param_squeeze(text);

	if (!copy)
		abort();
	return copy;
}

/* Words are apart by single spaces then: as they are written into the file. */
static void set(const struct spot *spot, struct settings *settings,
		const struct param *param, const char *value)
{
	const char *right = param_check(param, value);
	char **place = &settings->value[param_id(param)];

	if (right)
		complain(spot, "%s = %s: want %s", param->name, value, right);
	else if (*place)
		complain(spot, "%s is set a second time: want it once",
			 param->name);
	else
		*place = squeezed(value);
}

static void append(char *text, const char *word)
{
	if (*text)
		strcat(text, " ");
	strcat(text, word);
}

/* Settings one after the other: a word that names one begins it. */
static void read_settings(const struct spot *spot, struct settings *settings,
			  char *value)
{
	char text[1024] = "";
	const struct param *param = NULL, *next;

	each_word(word, value, save) {
		next = word_setting(word);
		if (!next && !param) {
			complain(spot, "own = %s: want yes, or settings of the VIF (bandwidth 1m weight 10)",
				 word);
			return;
		}
		if (!next) {
			append(text, word);
			continue;
		}
		if (param)
			set(spot, settings, param, text);
		param = next;
		text[0] = '\0';
	}
	set(spot, settings, param, text);
}

static void read_own(const struct spot *spot, struct rule *rule, char *value)
{
	if (rule->has_own)
		complain(spot, "own is set a second time: want it once");
	rule->has_own = true;
	if (strcmp(value, "yes"))
		read_settings(spot, &rule->own, value);
}

static void read_per(const struct spot *spot, struct rule *rule, char *value)
{
	static const char *const words[] = {
		[PER_FAMILY] = "family", [PER_PROCESS] = "process", [PER_USER] = "user",
	};

	for (enum rule_per per = PER_FAMILY; per <= PER_USER; per++)
		if (!strcmp(value, words[per])) {
			rule->per = per;
			return;
		}
	complain(spot, "per = %s: want family (a VIF for a process and its children), process (one for each) or user (one for all processes of a user)",
		 value);
}

#define RATE_RIGHT "[egress|ingress] above|below RATE for TIME (above 300k for 5s)"

/* Up to one word more than there may be; how many. */
static int split(char *value, char *word[6])
{
	int n = 0;

	each_word(next, value, save)
		if (n < 6)
			word[n++] = next;
	return n;
}

static bool parse_rate(struct rate_test *rate, char **word, int n)
{
	struct vif_word bits, time;
	u64 ns;

	if (n == 5) {
		rate->ingress = !strcmp(word[0], "ingress");
		if (!rate->ingress && strcmp(word[0], "egress"))
			return false;
		word++;
		n--;
	}
	if (n != 4 || strcmp(word[2], "for"))
		return false;
	rate->above = !strcmp(word[0], "above");
	if (!rate->above && strcmp(word[0], "below"))
		return false;
	bits = vif_word_of(word[1]);
	time = vif_word_of(word[3]);
	if (vif_parse_bits(&bits, &rate->bits_per_s) || vif_parse_time(&time, &ns))
		return false;
	rate->seconds = ns / 1e9;
	return true;
}

static void read_rate(const struct spot *spot, struct rule *rule, char *value)
{
	char *word[6];

	if (rule->has_rate)
		complain(spot, "rate is set a second time: want it once");
	rule->has_rate = true;
	if (!parse_rate(&rule->rate, word, split(value, word)))
		complain(spot, "rate: want " RATE_RIGHT);
	else if (rule->rate.seconds < 1 || rule->rate.seconds > 3600)
		complain(spot, "rate: want a time from 1s to 3600s");
}

/* A list of words or ids of a rule, each looked at by itself; or what reads all of it */
static const struct {
	const char *name;
	size_t list;
	const char *(*right)(const char *word);
	bool (*find)(const char *word, unsigned int *id);
	void (*read)(const struct spot *spot, struct rule *rule, char *value);
} keys[] = {
	{ "exe", offsetof(struct rule, exe), .right = word_exe },
	{ "user", offsetof(struct rule, user), .find = word_user },
	{ "group", offsetof(struct rule, group), .find = word_group },
	{ "cgroup", .read = read_cgroup },
	{ "unit", offsetof(struct rule, unit), .right = word_unit },
	{ "in", offsetof(struct rule, in), .right = word_vif_of_one },
	{ "rate", .read = read_rate },
	{ "attach", .read = read_attach },
	{ "own", .read = read_own },
	{ "per", .read = read_per },
};

static void read_key(const struct spot *spot, struct rule *rule, char *value, size_t i)
{
	void *list = (char *)rule + keys[i].list;

	if (keys[i].read) {
		keys[i].read(spot, rule, value);
		return;
	}
	each_word(word, value, save)
		if (keys[i].right)
			add_word(spot, list, word, keys[i].right(word));
		else
			add_id(spot, list, word, keys[i].find);
}

static void read_rule_key(const struct spot *spot, struct rule *rule,
			  char *value)
{
	struct nearest nearest = { 0 };
	char hint[NEAREST_BYTES];

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(keys[i].name, spot->key)) {
			read_key(spot, rule, value, i);
			return;
		}
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		nearest_try(&nearest, spot->key, keys[i].name);
	complain(spot, "unknown key '%s' of a rule: want exe, user, group, cgroup, unit, in, rate, attach, own or per%s",
		 spot->key, nearest_hint(&nearest, hint));
}

/* A list may continue in further lines. */
static void read_program(struct vif_section *vif, const char *value)
{
	char *list;

	if (asprintf(&list, "%s%s%s", vif->program ?: "", vif->program ? "; " : "", value) < 0)
		abort();
	free(vif->program);
	vif->program = list;
}

static void read_account(const struct spot *spot, struct vif_section *vif, const char *value)
{
	vif->account = !strcmp(value, "yes");
	if (!vif->account && strcmp(value, "no"))
		complain(spot, "account = %s: want yes or no", value);
}

static void unknown_setting(const struct spot *spot)
{
	struct nearest nearest = { 0 };
	char hint[NEAREST_BYTES];

	for (size_t i = 0; i < PARAM_DIRECTED; i++)
		nearest_try(&nearest, spot->key, params[i].name);
	nearest_try(&nearest, spot->key, "account");
	nearest_try(&nearest, spot->key, "program");
	complain(spot, "unknown key '%s' of a VIF: want bandwidth, minimum, burst, weight, priority, local_weight, local_priority, limit, aqm, fair, link_layer, group, class, dscp, mark, skb_priority, quota, account or program%s",
		 spot->key, nearest_hint(&nearest, hint));
}

/* Whether the directions differ. */
static bool is_apart(const char *quota)
{
	struct vif_params wanted[VIF_DIRS];

	return quota && !param_parse(PARAM_QUOTA, quota, wanted) &&
	       memcmp(&wanted[VIF_EGRESS].quota, &wanted[VIF_INGRESS].quota, sizeof(wanted->quota));
}

static void read_vif_key(const struct spot *spot, struct vif_section *vif,
			 char *value)
{
	const struct param *param = word_setting(spot->key);
	const char *right;

	if (!strcmp(spot->key, "account")) {
		read_account(spot, vif, value);
		return;
	}
	if (!strcmp(spot->key, "program")) {
		if (pattern_is(vif->path))
			complain(spot, "program of [vif %s]: want a device by its name", vif->path);
		else
			read_program(vif, value);
		return;
	}
	if (!param) {
		unknown_setting(spot);
		return;
	}
	if (param_id(param) == PARAM_QUOTA) {
		right = period_take(value, &vif->period);
		if (right) {
			complain(spot, "quota: want %s", right);
			return;
		}
	}
	set(spot, &vif->settings, param, value);
	if (param_id(param) == PARAM_QUOTA && vif->period.both && is_apart(vif->settings.value[PARAM_QUOTA]))
		complain(spot, "quota: want one size and one rate with both, which is for both directions together");
}

static void begin_vif(const struct spot *spot, struct section *section,
		      const char *path)
{
	struct rules *rules = spot->rules;
	const bool of_devices = pattern_is(path);
	const struct vif_section *same = of_devices ? rules_find_pattern(rules, path) :
						      rules_find_vif(rules, path);
	const char *right = word_vif(path);

	if (right || same) {
		if (right)
			complain(spot, "[vif %s]: want %s", path, right);
		else
			complain(spot, "[vif %s] is there already, at %s:%u: want one",
				 path, same->place.file, same->place.line);
		section->skip = true;
		return;
	}
	section->vif = of_devices ?
		array_add(&rules->pattern, &rules->patterns, sizeof(*section->vif)) :
		array_add(&rules->vif, &rules->vifs, sizeof(*section->vif));
	if (!section->vif)
		abort();
	section->vif->place = *spot->place;
	section->vif->path = rules_copy(path);
}

#define NAME_BYTES	"abcdefghijklmnopqrstuvwxyz" \
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

static void begin_rule(const struct spot *spot, struct section *section,
		       const char *name)
{
	struct rules *rules = spot->rules;
	const struct rule *same = rules_find(rules, name);

	section->skip = true;
	if (name[strspn(name, NAME_BYTES)] || strlen(name) > RULE_NAME_MAX) {
		complain(spot, "[rule %s]: want a name of up to %d letters, digits, - and _",
			 name, RULE_NAME_MAX);
		return;
	}
	if (same) {
		complain(spot, "[rule %s] is there already, at %s:%u: want another name",
			 name, same->place.file, same->place.line);
		return;
	}
	section->skip = false;
	section->rule = array_add(&rules->rule, &rules->rules, sizeof(*section->rule));
	if (!section->rule)
		abort();
	section->rule->place = *spot->place;
	strcpy(section->rule->name, name);
}

static void read_head(const struct spot *spot, struct section *section,
		      char *line)
{
	char *end = line + strlen(line) - 1, *kind, *name, *more, *save;

	*section = (struct section){ .skip = true };
	if (*end != ']') {
		complain(spot, "%s: want a ] at the end", line);
		return;
	}
	*end = '\0';
	kind = strtok_r(line + 1, BLANK, &save);
	name = strtok_r(NULL, BLANK, &save);
	more = strtok_r(NULL, BLANK, &save);
	if (!kind || !name || more ||
	    (strcmp(kind, "vif") && strcmp(kind, "rule"))) {
		complain(spot, "unknown section: want [vif DEVICE/NAME] or [rule NAME]");
		return;
	}
	section->skip = false;
	if (!strcmp(kind, "vif"))
		begin_vif(spot, section, name);
	else
		begin_rule(spot, section, name);
}

static void read_setting(struct spot *spot, struct section *section, char *line)
{
	char *equals = strchr(line, '='), *value;
	unsigned int errors = spot->rules->errors;

	if (!equals) {
		complain(spot, "%s: want KEY = VALUE, or [SECTION]", line);
		return;
	}
	*equals = '\0';
	spot->key = text_trim(line);
	value = text_trim(equals + 1);
	if (section->skip)
		return;
	if (!section->vif && !section->rule)
		complain(spot, "%s before any section: want [vif DEVICE/NAME] or [rule NAME] first",
			 spot->key);
	else if (!*value)
		complain(spot, "%s has no value: want %s = VALUE, or no such line",
			 spot->key, spot->key);
	else if (section->vif)
		read_vif_key(spot, section->vif, value);
	else
		read_rule_key(spot, section->rule, value);
	if (section->rule && spot->rules->errors > errors)
		section->rule->broken = true;
}

/* A comment begins with # at the beginning of a line, or after a blank. */
static void cut_comment(char *line)
{
	for (char *c = line; *c; c++)
		if (*c == '#' && (c == line || strchr(BLANK, c[-1]))) {
			*c = '\0';
			return;
		}
}

void section_line(struct rules *rules, struct section *section,
		  const struct place *place, char *line)
{
	struct spot spot = { .rules = rules, .place = place, .key = "" };

	cut_comment(line);
	line = text_trim(line);
	if (*line == '[')
		read_head(&spot, section, line);
	else if (*line)
		read_setting(&spot, section, line);
}

/*
 * A rule without one of its conditions would attach more than is meant, and a VIF without its
 * bandwidth or quota would have no limit. If the line may have been a head, the lines after it
 * are not of the section before.
 */
void section_lost_line(struct section *section, char first)
{
	if (first == '#')
		return;
	if (section->rule && first != '[')
		section->rule->broken = true;
	if (section->vif && (!first || first == 'b' || first == 'q'))
		section->vif->broken = true;
	if (!first || first == '[')
		*section = (struct section){ .skip = true };
}
