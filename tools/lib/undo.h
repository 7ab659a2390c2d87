/* SPDX-License-Identifier: GPL-2.0 */
/* Changes of the tree that can be undone. */
#ifndef NETNICE_UNDO_H
#define NETNICE_UNDO_H

#include "netnice.h"
#include "param.h"
#include "target.h"

enum undo_kind {
	UNDO_CREATE,
	UNDO_REMOVE,
	UNDO_MOVE,
	UNDO_SET,
	UNDO_PORT,
	UNDO_ATTACH,
	UNDO_DETACH,
};

/**
 * struct undo - how to undo a change
 * @kind: the change
 * @vif: its VIF
 * @to: UNDO_MOVE: the new path; UNDO_PORT: what was written to the file "ports"
 * @param: UNDO_SET: the setting
 * @value: UNDO_SET: the value before; UNDO_REMOVE: all settings of the VIF, NULL at the end
 * @is_autoremoved: UNDO_REMOVE: the kernel removes the VIF when it is not used any more
 * @target: UNDO_ATTACH, UNDO_DETACH: the target; its kind is constant
 * @identity: UNDO_ATTACH, UNDO_DETACH: undo_identity() of the target
 * @is_there: UNDO_DETACH: the target is attached to @vif
 * @from: UNDO_ATTACH, UNDO_DETACH: the VIF to which the caller may attach the target again; or NULL
 * @chosen: the same: the VIF to which a user had attached the target, if the administrator's change
 *	detached it; or NULL
 * @ino: inode number of the VIF that is needed to undo it: @vif of UNDO_SET, UNDO_PORT and UNDO_MOVE, @from of
 *	UNDO_ATTACH and UNDO_DETACH; 0: none, or not known. The module gives each VIF a higher number than all
 *	before.
 */
struct undo {
	enum undo_kind kind;
	char *vif;
	char *to;
	const struct param *param;
	char *value[PARAM_AUTOREMOVE];
	bool is_autoremoved;
	struct target target;
	unsigned long long identity;
	bool is_there;
	char *from;
	char *chosen;
	ino_t ino;
};

/**
 * undo_begin - prepare a change
 * @nn: the handle
 * @kind: the change
 * @vif: its VIF
 *
 * Return: the way to undo it, to be completed before the change is made, or NULL after handle_fail().
 * In any case, undo_end() is next.
 */
struct undo *undo_begin(struct netnice *nn, enum undo_kind kind, const char *vif);

/* Keep the last undo if the change was made (@ret is 0) in a transaction; set the sentence otherwise. Return: @ret. */
int undo_end(struct netnice *nn, int ret);

/* Return the inode number of a VIF in a transaction; 0: there is none, or it is not needed. Keeps errno. */
ino_t undo_ino(const struct netnice *nn, const char *vif);

/*
 * Return what no other target of the same name has: when the process or thread began, the cookie of the socket; 0:
 * it has gone, or the target has none.
 */
unsigned long long undo_identity(const struct nnfs *fs, const struct target *target);

/* Remove a VIF, also if a task that has just exited uses it for a moment longer. */
int undo_remove(const struct nnfs *fs, const char *vif);

#endif
