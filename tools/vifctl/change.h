/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changes of the tree: collected, then made in their order, all or none. Each can be
 * taken back, and printed as the words of vifctl that do the same.
 */
#ifndef VIFCTL_CHANGE_H
#define VIFCTL_CHANGE_H

#include "vif_info.h"
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
 * struct change - one of them
 * @kind: what is done
 * @path: the VIF
 * @param: CHANGE_SET: what is set
 * @target: CHANGE_ATTACH, CHANGE_DETACH: what to
 * @to: CHANGE_SET: the value; CHANGE_MOVE: the new path; CHANGE_PORT: as the file takes it
 * @from: CHANGE_SET: the value before; CHANGE_ATTACH, CHANGE_DETACH, once it is made: the
 *	VIF that the caller may put the target back to; NULL where there is none
 * @chosen: CHANGE_ATTACH, CHANGE_DETACH, once it is made: the VIF that a user had attached
 *	it to, which an administrator's change has ended; or NULL
 * @lost: CHANGE_DEL: what the VIF is like; NULL: nothing is put back
 * @optional: if it fails, that is said, and the others are made
 * @may_be_gone: CHANGE_DEL, CHANGE_DETACH: it is made if the VIF or the target has gone meanwhile
 * @is_made: it has not failed
 */
struct change {
	enum change_kind kind;
	char *path;
	const struct param *param;
	struct target target;
	char *to;
	char *from;
	char *chosen;
	const struct vif_info *lost;
	bool optional;
	bool may_be_gone;
	bool is_made;
};

struct changes {
	struct change *change;
	size_t count;
	bool failed;		/* there was no memory for one */
};

/* Strings are copied; struct vif_info has to stay until they are made. */
void changes_add(struct changes *changes, const char *path);
void changes_del(struct changes *changes, const char *path,
		 const struct vif_info *lost);
void changes_set(struct changes *changes, const char *path,
		 const struct param *param, const char *to, const char *from);
/* The others do not depend on the last one. */
void changes_optional(struct changes *changes);
/* What the last one ends may end by itself. */
void changes_may_be_gone(struct changes *changes);
void changes_move(struct changes *changes, const char *path, const char *to);
void changes_attach(struct changes *changes, const char *path,
		    const struct target *target);
void changes_detach(struct changes *changes, const char *path,
		    const struct target *target);
/* @text: "tcp 80", "auto 16"; with "-" before it the port is to end */
void changes_port(struct changes *changes, const char *path, const char *text);

enum {
	CHANGES_DRY	= 1,	/* print them, make none */
	CHANGES_TELL	= 2,	/* print each that is made */
	CHANGES_MORE	= 4,	/* others may follow, by which shares get their effect */
};

/**
 * changes_free - make none
 * @changes: empty then
 */
void changes_free(struct changes *changes);

/**
 * changes_make - make all
 * @changes: freed in any case
 * @fs: the file system
 * @verb: for messages
 * @flags: CHANGES_*
 *
 * The first failure, or a signal that wants to end the program, takes back those made
 * so far. Return: the exit status, after a message; EXIT_PART without what was optional, or if what
 * was set or attached has no effect (effect.h).
 */
int changes_make(struct changes *changes, struct nnfs *fs, const char *verb,
		 unsigned int flags);

/* The same for a verb, unless @status is another one already: then none. Tells with -v. */
int changes_run(struct changes *changes, int status, struct options *options,
		const char *verb);

#endif
