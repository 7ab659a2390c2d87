/* SPDX-License-Identifier: GPL-2.0 */
/* The inside of a handle (netnice.h), for the library and for tools that also use its parts. */
#ifndef NETNICE_HANDLE_H
#define NETNICE_HANDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "event.h"
#include "genl.h"
#include "netnice.h"
#include "nnfs.h"
#include "undo.h"

/**
 * struct netnice - a handle
 * @fs: the file system
 * @genl: the netlink family, open since its first use
 * @events: the same, for events
 * @event: the event that was read last
 * @shown: the event in the form of the interface
 * @attachment: the same for what it attached or detached
 * @message: event messages that were received
 * @next: the first message that was not read yet
 * @unread: bytes of messages that were not read yet
 * @undo: how to undo the changes of the transaction, in their order, and a change that is being made
 * @n_undo: their number
 * @created: inode numbers of VIFs that the transaction has created, and that may be gone by now; ascending
 * @n_created: their number
 * @in_transaction: there is one
 * @is_begun: the last @undo is of a change that is being made
 * @process: the process whose handle it is
 * @is_explained: @why is about the call that is being made
 * @why: why the last function failed
 */
struct netnice {
	struct nnfs fs;
	struct genl genl, events;
	struct event event;
	struct netnice_event shown;
	struct netnice_attachment attachment;
	char *message;
	void *next;
	int unread;
	struct undo *undo;
	size_t n_undo;
	ino_t *created;
	size_t n_created;
	bool in_transaction;
	bool is_begun;
	pid_t process;
	bool is_explained;
	char why[NNFS_SENTENCE_MAX];
};

/* Do what netnice_open() and netnice_close() do with a handle in the caller's memory. */
int handle_begin(struct netnice *nn);
void handle_end(struct netnice *nn);

/* From now on, the handle is the calling process's. The two share their memory, and use it in turn. */
void handle_take(struct netnice *nn);

/*
 * Prepare a call. The handle of another process is refused: a child has a copy of its parent's transaction,
 * and shares its sockets. Return: 0, or -1 and EINVAL.
 */
int handle_check(struct netnice *nn);

/* Return the netlink family, or NULL, errno and a sentence. */
struct genl *handle_genl(struct netnice *nn);

/* Set errno and the sentence. Return: -1. */
int handle_fail(struct netnice *nn, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Set the sentence to the reason of an operation that has just failed. Return: -1, and keep errno. */
int handle_fail_errno(struct netnice *nn);

/* Return @path if it can be that of a VIF, and does not lead out of the file system; or NULL and errno. */
const char *handle_path(struct netnice *nn, const char *path);

#endif
