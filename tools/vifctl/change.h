/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changes of the tree. They are collected, and then made in their order, all or none. Each can be undone,
 * and can be printed as a command of vifctl.
 */
#ifndef VIFCTL_CHANGE_H
#define VIFCTL_CHANGE_H

#include "param.h"
#include "vifctl.h"

enum change_kind {
	CHANGE_ADD,
	CHANGE_DEL,
	CHANGE_SET,
	CHANGE_MOVE,
	CHANGE_ATTACH,
	CHANGE_DETACH,
	CHANGE_PORT,
};

/**
 * struct change - a change
 * @kind: its kind
 * @path: the VIF
 * @param: CHANGE_SET: the setting
 * @target: CHANGE_ATTACH, CHANGE_DETACH: the target
 * @to: CHANGE_SET: the value; CHANGE_MOVE: the new path; CHANGE_PORT: a line of the file "ports"
 * @optional: if it fails, report that and continue
 * @may_be_gone: CHANGE_DEL, CHANGE_DETACH: it is no error if the VIF or the target has gone
 * @is_made: it was made
 */
struct change {
	enum change_kind kind;
	char *path;
	const struct param *param;
	struct target target;
	char *to;
	bool optional;
	bool may_be_gone;
	bool is_made;
};

struct changes {
	struct change *change;
	size_t count;
	bool failed;		/* there was no memory for a change */
};

/* Strings are copied. */
void changes_add(struct changes *changes, const char *path);
void changes_del(struct changes *changes, const char *path);
void changes_set(struct changes *changes, const char *path,
		 const struct param *param, const char *to);
/* Make the last change optional: no other change depends on it. */
void changes_optional(struct changes *changes);
/* Accept that the VIF or target of the last change is gone when it is made. */
void changes_may_be_gone(struct changes *changes);
void changes_move(struct changes *changes, const char *path, const char *to);
void changes_attach(struct changes *changes, const char *path,
		    const struct target *target);
void changes_detach(struct changes *changes, const char *path,
		    const struct target *target);
/* @text: "tcp 80", "auto 16"; "-" before it closes the port */
void changes_port(struct changes *changes, const char *path, const char *text);

enum {
	CHANGES_DRY	= 1,	/* print all changes, but make none */
	CHANGES_TELL	= 2,	/* print each change that is made */
	CHANGES_MORE	= 4,	/* more changes follow: the caller looks at shares behind them (effect.h) */
	CHANGES_PART	= 8,	/* they are a part of the caller's transaction */
};

/**
 * changes_free - discard all changes
 * @changes: the changes; empty afterwards
 */
void changes_free(struct changes *changes);

/**
 * changes_make - make all changes
 * @changes: the changes; freed even after an error
 * @nn: the handle, without a transaction, or with CHANGES_PART in one
 * @verb: the verb, for messages
 * @flags: CHANGES_*
 *
 * After the first failure, or a signal that would terminate the program, undo the changes made so far;
 * this ends the caller's transaction.
 * Return: the exit status, after a message; EXIT_PART: an optional change failed, or a setting or an
 * attachment has no effect (effect.h).
 */
int changes_make(struct changes *changes, struct netnice *nn, const char *verb,
		 unsigned int flags);

/* Make the changes of a verb, if @status is 0, and otherwise discard them. Print them with -v. */
int changes_run(struct changes *changes, int status, struct options *options,
		const char *verb);

/* The same as a part of the caller's transaction. */
int changes_run_part(struct changes *changes, int status, struct options *options, const char *verb);

#endif
