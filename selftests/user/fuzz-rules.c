// SPDX-License-Identifier: GPL-2.0
/*
 * What stands in rule files of netniced(8), as a fuzzer's input: whatever it is, it is
 * read to the end, and what is accepted is in range.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/common/expression.h"
#include "../../tools/common/links.h"
#include "../../tools/common/netdev.h"
#include "../../tools/netniced/log.h"
#include "../../tools/netniced/rules.h"

#define LINE_BYTES	1024

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In place of log.c: nothing is said. */
void log_say(enum log_level level, const char *fmt, ...)
{
	(void)level;
	(void)fmt;
}

/* In place of expression.c: it is not libpcap that is looked at. */
int expression_compile(const char *text, struct insns *insns, struct words *names,
		       char why[EXPRESSION_WHY])
{
	(void)text;
	(void)names;
	(void)why;
	*insns = (struct insns) { 0 };
	return 0;
}

/* In place of netdev.c and links.c: there is no device. */
bool netdev_find(const char *word, char name[IF_NAMESIZE])
{
	(void)word;
	(void)name;
	return false;
}

int links_read(struct links *links)
{
	*links = (struct links) { 0 };
	return 0;
}

void links_free(struct links *links)
{
	(void)links;
}

const struct link_info *links_find(const struct links *links, const char *name)
{
	(void)links;
	(void)name;
	return NULL;
}

static void check_rule(const struct rule *rule)
{
	char path[2048];

	if (strlen(rule->name) > RULE_NAME_MAX || !rule->attach.count ||
	    rule->attach.count > WORDS_MAX || rule->user.count > WORDS_MAX)
		abort();
	for (size_t i = 0; i < rule->attach.count; i++) {
		strcpy(path, rule->attach.word[i]);
		if (word_vif(path) || strstr(path, "/..") || *path == '/')
			abort();
	}
}

/* Read as rules.c reads lines of a file. */
static void read_lines(struct rules *rules, const uint8_t *data, size_t size)
{
	struct place place = { .file = "input" };
	struct section section = { 0 };
	char line[LINE_BYTES];
	size_t len = 0;

	for (size_t i = 0; i <= size; i++) {
		if (i < size && data[i] != '\n' && data[i]) {
			if (len < LINE_BYTES - 1)
				line[len++] = data[i];
			continue;
		}
		line[len] = '\0';
		len = 0;
		place.line++;
		section_line(rules, &section, &place, line);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rules *rules = calloc(1, sizeof(*rules));

	read_lines(rules, data, size);
	rules_check(rules);
	if (!rules->errors)
		for (size_t i = 0; i < rules->rules; i++)
			check_rule(&rules->rule[i]);
	rules_free(rules);
	return 0;
}
