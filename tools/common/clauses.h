/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of expressions, each with where it sends packets that it is true of: "EXPRESSION = WHERE;
 * ...". They become one program, which answers for the first one that is true.
 */
#ifndef NETNICE_CLAUSES_H
#define NETNICE_CLAUSES_H

#include <stdbool.h>

#include "expression.h"

/* What a program says of a packet that is to be dropped; 0: it stays. */
#define CLAUSE_DROP	0xffffffffU

/**
 * struct clause - one of a list
 * @text: the expression
 * @where: the name behind it
 * @insns: the same, translated
 */
struct clause {
	char *text;
	char *where;
	struct insns insns;
};

struct clauses {
	struct clause *clause;
	size_t count;
};

enum {
	CLAUSES_FORM	= -1,	/* it is no list of that form */
	CLAUSES_TEXT	= -2,	/* an expression is none, or cannot be translated */
};

/**
 * clauses_read - read a list
 * @clauses: empty; to be given to clauses_free() in any case
 * @text: is taken apart, and has to stay
 * @names: as for expression_compile()
 * @why: what is wrong
 *
 * Return: 0, or one of the above and @why.
 */
int clauses_read(struct clauses *clauses, char *text, struct words *names,
		 char why[EXPRESSION_WHY]);
void clauses_free(struct clauses *clauses);

/* "stay" and "drop" are no VIFs. */
bool clause_is_verdict(const struct clause *clause);

/**
 * clauses_join - one program of all
 * @clauses: the list
 * @answer: what it returns for one of them
 * @arg: for @answer
 * @insns: result
 *
 * Return: 0, or -1 without memory.
 */
int clauses_join(const struct clauses *clauses,
		 unsigned int (*answer)(const struct clause *clause, const void *arg),
		 const void *arg, struct insns *insns);

#endif
