// SPDX-License-Identifier: GPL-2.0
#include "param_check.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define BLANKS		" \t\n\v\f\r"
#define SETTING_BYTES	256	/* with a line feed: what a file takes */

#define DIRECTIONS_RIGHT "VALUE for both directions, or " \
			 "egress VALUE and ingress VALUE, each once"

void param_list(FILE *out, const char *indent)
{
	for (size_t i = 0; i < PARAM_COUNT; i++)
		fprintf(out, "%s%-15s %s%s\n", indent, params[i].name,
			param_has_directions(&params[i]) ? "[egress|ingress] " : "",
			params[i].syntax);
}

static bool is_number(const struct vif_word *word)
{
	for (size_t i = 0; i < word->len; i++)
		if (!isdigit((unsigned char)word->text[i]) && word->text[i] != '.')
			return false;
	return word->len;
}

/* Whether it makes a rate, size, time or number of packets of a number before it */
static bool is_unit(const struct vif_word *word)
{
	char text[16];
	u64 value;

	if (!isalpha((unsigned char)*word->text) || word->len > sizeof(text) - 2)
		return false;
	snprintf(text, sizeof(text), "1%.*s", (int)word->len, word->text);
	return !vif_parse_bits(&(struct vif_word) { text, strlen(text) }, &value) ||
	       !vif_parse_size(&(struct vif_word) { text, strlen(text) }, &value) ||
	       !vif_parse_time(&(struct vif_word) { text, strlen(text) }, &value) ||
	       !vif_parse_packets(&(struct vif_word) { text, strlen(text) }, &value);
}

bool param_is_apart(const char *value, char joined[PARAM_JOINED_BYTES])
{
	struct vif_word text = { value, strlen(value) }, word, number = { 0 };

	for (; vif_word_next(&text, &word); number = word)
		if (number.len + word.len < PARAM_JOINED_BYTES && is_number(&number) &&
		    is_unit(&word)) {
			snprintf(joined, PARAM_JOINED_BYTES, "%.*s%.*s", (int)number.len,
				 number.text, (int)word.len, word.text);
			return true;
		}
	return false;
}

const char *param_check(const struct param *param, const char *value)
{
	static char in_one_word[PARAM_JOINED_BYTES + sizeof(", in one word")];
	char joined[PARAM_JOINED_BYTES];
	struct vif_params parsed[VIF_DIRS];
	int err;

	if (!value[strspn(value, BLANKS)] || strlen(value) >= SETTING_BYTES)
		return param->right;
	err = param_parse(param_id(param), value, parsed);
	if (err && param_is_apart(value, joined)) {
		snprintf(in_one_word, sizeof(in_one_word), "%s, in one word", joined);
		return in_one_word;
	}
	if (err == -ENODATA || err == -EEXIST)
		return DIRECTIONS_RIGHT;
	return err ? param->right : NULL;
}
