// SPDX-License-Identifier: GPL-2.0
#include "clauses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "text.h"

void clauses_free(struct clauses *clauses)
{
	for (size_t i = 0; i < clauses->count; i++)
		free(clauses->clause[i].insns.insn);
	free(clauses->clause);
	*clauses = (struct clauses) { 0 };
}

bool clause_is_verdict(const struct clause *clause)
{
	return !strcmp(clause->where, "stay") || !strcmp(clause->where, "drop");
}

/* --- reading --- */

/* An expression may have "=" in it, too. */
static int take_clause(struct clauses *clauses, char *text, struct words *names, char *why)
{
	char *equals = strrchr(text, '=');
	struct clause *clause;

	text = text_trim(text);
	if (!*text)
		return 0;
	if (!equals || !*text_trim(equals + 1)) {
		snprintf(why, EXPRESSION_WHY, "'%s': \"= VIF\" is missing behind it", text);
		return CLAUSES_FORM;
	}
	clause = array_add(&clauses->clause, &clauses->count, sizeof(*clause));
	if (!clause) {
		snprintf(why, EXPRESSION_WHY, "out of memory");
		return CLAUSES_TEXT;
	}
	*equals = '\0';
	*clause = (struct clause) { .text = text_trim(text), .where = text_trim(equals + 1) };
	if (!*clause->text) {
		snprintf(why, EXPRESSION_WHY, "= %s: an expression is missing before it",
			 clause->where);
		return CLAUSES_FORM;
	}
	return expression_compile(clause->text, &clause->insns, names, why) ? CLAUSES_TEXT : 0;
}

int clauses_read(struct clauses *clauses, char *text, struct words *names,
		 char why[EXPRESSION_WHY])
{
	char *save, *part;
	int ret = 0;

	for (part = strtok_r(text, ";", &save); !ret && part; part = strtok_r(NULL, ";", &save))
		ret = take_clause(clauses, part, names, why);
	if (ret || clauses->count)
		return ret;
	snprintf(why, EXPRESSION_WHY, "an expression is missing");
	return CLAUSES_FORM;
}

/* --- one program --- */

/* If an expression is false, the program continues with the next one. */
static void put(struct insns *to, const struct insns *from, unsigned int answer, bool is_last)
{
	for (size_t i = 0; i < from->count; i++) {
		struct sock_filter insn = from->insn[i];

		if (insn.code == (BPF_RET | BPF_K) && insn.k)
			insn.k = answer;
		else if (insn.code == (BPF_RET | BPF_K) && !is_last)
			insn = (struct sock_filter) {
				.code = BPF_JMP | BPF_JA, .k = from->count - i - 1
			};
		to->insn[to->count++] = insn;
	}
}

int clauses_join(const struct clauses *clauses,
		 unsigned int (*answer)(const struct clause *clause, const void *arg),
		 const void *arg, struct insns *insns)
{
	size_t length = 0;

	for (size_t i = 0; i < clauses->count; i++)
		length += clauses->clause[i].insns.count;
	*insns = (struct insns) { .insn = calloc(length + 1, sizeof(*insns->insn)) };
	if (!insns->insn)
		return -1;
	for (size_t i = 0; i < clauses->count; i++)
		put(insns, &clauses->clause[i].insns, answer(&clauses->clause[i], arg),
		    i + 1 == clauses->count);
	return 0;
}
