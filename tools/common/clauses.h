/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of expressions with a destination each: "EXPRESSION = WHERE; ...". A list becomes one
 * program, which returns the destination of the first expression that matches.
 */
#ifndef NETNICE_CLAUSES_H
#define NETNICE_CLAUSES_H

#include <stdbool.h>

#include "expression.h"

/* The result of a program that drops the packet; 0 leaves it in its VIF. */
#define CLAUSE_DROP	0xffffffffU

/**
 * struct clause - an expression of a list
 * @text: the expression
 * @where: its destination
 * @insns: the expression as a program
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
	CLAUSES_FORM	= -1,	/* the text does not have the form of a list */
	CLAUSES_TEXT	= -2,	/* an expression is invalid, or cannot be translated */
};

/**
 * clauses_read - read a list
 * @clauses: empty; the caller calls clauses_free() even after an error
 * @text: is modified, and must stay valid as long as @clauses
 * @names: as for expression_compile()
 * @why: result: the reason for an error
 *
 * Return: 0, or one of the above and @why.
 */
int clauses_read(struct clauses *clauses, char *text, struct words *names,
		 char why[EXPRESSION_WHY]);
void clauses_free(struct clauses *clauses);

/* Is the destination "stay" or "drop", and so not a VIF? */
bool clause_is_verdict(const struct clause *clause);

/**
 * clauses_join - make one program of a list
 * @clauses: the list
 * @answer: returns the value that the program returns for a clause
 * @arg: for @answer
 * @insns: result
 *
 * Return: 0, or -1 without memory.
 */
int clauses_join(const struct clauses *clauses,
		 unsigned int (*answer)(const struct clause *clause, const void *arg),
		 const void *arg, struct insns *insns);

#endif
