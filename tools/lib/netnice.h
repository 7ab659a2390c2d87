/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libnetnice: virtual network interfaces (VIFs), what is attached to them, and their events.
 *
 * A VIF is named by its path: "eth0" is the root VIF of a device, "eth0/web" a VIF below it.
 *
 * Functions that return int return 0 or more, or -1 and errno; functions that return a pointer return
 * NULL and errno. netnice_strerror() then returns a sentence. The library prints nothing and does not
 * exit. It changes no signal handlers, and has no state outside of its handles: threads may use
 * different handles at once, but not the same handle.
 *
 * The caller's permissions decide, as for a shell in /proc/network: see netnice(7).
 */
#ifndef NETNICE_H
#define NETNICE_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct netnice;

/**
 * netnice_open - open a handle for the caller's network namespace
 * @nn: set to the handle even after a failure, for netnice_strerror(); NULL without memory
 *
 * Mount /proc/network if it is missing and the caller is permitted. Refuse a module that is older than
 * the library. The caller closes the handle, after a failure too. After fork(2) a child opens a handle of
 * its own: with its parent's, netnice_close() only frees memory, netnice_commit() does nothing, and all
 * other functions fail with EINVAL.
 *
 * Return: 0, or -1 and errno; ENODEV: the module is not loaded.
 */
int netnice_open(struct netnice **nn);

/**
 * netnice_close - roll back an open transaction, and free a handle
 * @nn: the handle, or NULL
 *
 * Keeps errno.
 */
void netnice_close(struct netnice *nn);

/**
 * netnice_strerror - get the reason of the last failure
 * @nn: the handle, or NULL
 *
 * Return: one sentence without a full stop, for example "bandwidth: '5' is not valid: ...": the
 * kernel's, or the text of errno. Control characters are escaped. It belongs to the handle, until the next
 * function fails.
 */
const char *netnice_strerror(const struct netnice *nn);

/* --- VIFs --- */

/**
 * netnice_create - create a VIF
 * @nn: the handle
 * @vif: its path; the VIF above it exists
 * @mode: permission bits of its directory, less umask(2), for example 0755
 *
 * Return: 0, or -1 and errno: EEXIST, ENOENT: no device or VIF above, EACCES, EDQUOT.
 */
int netnice_create(struct netnice *nn, const char *vif, mode_t mode);

/**
 * netnice_hold - have the kernel remove a VIF when it is not used any more
 * @nn: the handle
 * @vif: its path
 *
 * The kernel removes the VIF when nothing is attached to it, nothing is below it, and the returned
 * descriptor is closed, by close(2), exec or the end of the process. Children that are forked meanwhile
 * inherit the descriptor: the VIF is held until they have closed it, too.
 *
 * Return: the descriptor, which the caller closes, or -1 and errno.
 */
int netnice_hold(struct netnice *nn, const char *vif);

/**
 * netnice_remove - remove a VIF without attachments and without VIFs below
 * @nn: the handle
 * @vif: its path
 *
 * Wait up to 200 ms for a task that has just exited.
 *
 * Return: 0, or -1 and errno: EBUSY, ENOTEMPTY: it is in use, ENOENT, EACCES. In a transaction also the
 * errors of netnice_get(): a VIF whose parameters cannot be read could not be created again.
 */
int netnice_remove(struct netnice *nn, const char *vif);

/**
 * netnice_move - rename a VIF, or move it within its device
 * @nn: the handle
 * @vif: its path
 * @to: the new path
 *
 * Return: 0, or -1 and errno: EEXIST: @to exists, ENOENT, EACCES.
 */
int netnice_move(struct netnice *nn, const char *vif, const char *to);

/**
 * netnice_set - set a parameter
 * @nn: the handle
 * @vif: the VIF's path
 * @param: "bandwidth", "weight", ...: a parameter of netnice(7); "owner" with a value "UID:GID"; "mode"
 *	with octal digits; or "ports", with "tcp 80" to open a port of a user-level stack and "-tcp 80" to
 *	close it
 * @value: "1mbit" for both directions, or "egress 1mbit ingress 8mbit", or one direction only
 *
 * Return: 0, or -1 and errno; EINVAL, EDOM: the value is invalid.
 */
int netnice_set(struct netnice *nn, const char *vif, const char *param, const char *value);

/**
 * netnice_get - get a parameter
 * @nn: the handle
 * @vif: the VIF's path
 * @param: a parameter, as for netnice_set(), or another file of the VIF, for example "stat"
 *
 * Return: the value, in a form that netnice_set() accepts if @param is a parameter; or NULL and errno.
 * The caller frees it.
 */
char *netnice_get(struct netnice *nn, const char *vif, const char *param);

/**
 * typedef netnice_vif_fn - called for each VIF of a list
 * @vif: the VIF's path, valid during the call
 * @arg: the argument of netnice_list()
 *
 * Return: 0 to continue; another value ends the list.
 */
typedef int netnice_vif_fn(const char *vif, void *arg);

/**
 * netnice_list - list VIFs
 * @nn: the handle
 * @above: a VIF, for the VIFs directly below it; NULL: the root VIFs of all devices
 * @fn: called for each
 * @arg: its argument
 *
 * Return: 0, the result of @fn that ended the list, or -1 and errno.
 */
int netnice_list(struct netnice *nn, const char *above, netnice_vif_fn *fn, void *arg);

/* --- attachments --- */

/**
 * netnice_attach - attach something to a VIF
 * @nn: the handle
 * @vif: the VIF's path
 * @kind: "process", "thread", "socket", "cgroup" or "device"
 * @name: the PID; the thread's ID; "PID:FD"; a path below /sys/fs/cgroup, "/" for all groups; or a device
 *
 * It replaces the caller's earlier attachment on the VIF's device. Children inherit the attachments of
 * a process when they are created. Processes that exist already are not attached with their parent.
 *
 * Return: 0, or -1 and errno: ENOENT: no such VIF, or no such target over which the caller has power;
 * EINVAL: @kind or @name is invalid; EPERM, EACCES.
 */
int netnice_attach(struct netnice *nn, const char *vif, const char *kind, const char *name);

/**
 * netnice_detach - end an attachment
 * @nn: the handle
 * @vif: path of the VIF to which the target is attached
 * @kind: the kind of target, as for netnice_attach()
 * @name: its name
 *
 * If an administrator ends the attachment that a user has made, the administrator's own remains.
 *
 * Return: 0, or -1 and errno, as netnice_attach(); ESRCH: it is not attached to @vif.
 */
int netnice_detach(struct netnice *nn, const char *vif, const char *kind, const char *name);

/**
 * struct netnice_attachment - something that is attached
 * @vif: the VIF's path
 * @kind: "process", "thread", "socket", "cgroup" or "device"
 * @number: PID, thread ID, cookie of the socket (sock_diag(7)), ID of the control group, or ifindex
 * @process: "thread": the PID; otherwise 0
 * @name: the command's name, the control group's path, or the device; NULL: it is not known
 * @by_admin: whether an administrator has attached it
 *
 * Later versions may add members at the end.
 */
struct netnice_attachment {
	const char *vif;
	const char *kind;
	uint64_t number;
	uint64_t process;
	const char *name;
	int by_admin;
};

/**
 * typedef netnice_attachment_fn - called for each attachment of a list
 * @attachment: the attachment, valid during the call
 * @arg: the argument of netnice_attachments()
 *
 * Return: 0 to continue; another value ends the list.
 */
typedef int netnice_attachment_fn(const struct netnice_attachment *attachment, void *arg);

/**
 * netnice_attachments - list attachments
 * @nn: the handle
 * @vif: a VIF, for the attachments of it and of all VIFs below it; NULL: all attachments
 * @fn: called for each
 * @arg: its argument
 *
 * Return: 0, the result of @fn that ended the list, or -1 and errno.
 */
int netnice_attachments(struct netnice *nn, const char *vif, netnice_attachment_fn *fn, void *arg);

/* --- transactions --- */

/**
 * netnice_begin - begin a transaction
 * @nn: the handle
 *
 * Later changes by this handle take effect at once, and can be undone together: netnice_create(),
 * netnice_remove(), netnice_move(), netnice_set(), netnice_attach() and netnice_detach(). A change that
 * fails has changed nothing, and leaves the transaction open.
 *
 * Return: 0, or -1 and EBUSY: there is an open transaction.
 */
int netnice_begin(struct netnice *nn);

/**
 * netnice_commit - end the transaction, and keep its changes
 * @nn: the handle, or NULL
 */
void netnice_commit(struct netnice *nn);

/**
 * typedef netnice_undo_fn - called for each change that cannot be undone
 * @sentence: which change, and why; valid during the call
 * @arg: the argument of netnice_rollback()
 */
typedef void netnice_undo_fn(const char *sentence, void *arg);

/**
 * netnice_rollback - end the transaction, and undo its changes
 * @nn: the handle, or NULL
 * @fn: called for each change that cannot be undone; or NULL
 * @arg: its argument
 *
 * Changes are undone from the last to the first, also after one that cannot be. A VIF that the
 * transaction has created is removed; if it is in use, by a child of an attached process for example, it
 * stays as it is, with its limits. Statistics of a removed VIF are lost. A VIF of another user is created
 * again with that user's rights, by a child process that ends before the function returns.
 *
 * Return: 0, or -1 and errno: something could not be undone.
 */
int netnice_rollback(struct netnice *nn, netnice_undo_fn *fn, void *arg);

/* --- events --- */

/**
 * netnice_watch - subscribe to events
 * @nn: the handle
 *
 * Return: a descriptor for poll(2), which belongs to the handle, or -1 and errno.
 */
int netnice_watch(struct netnice *nn);

/**
 * struct netnice_event - something that has happened
 * @name: "vif-new", "vif-del", "vif-set", "vif-move", "attach", "detach"; or "lost": events were lost,
 *	because they were not read fast enough, or for want of memory
 * @vif: path of the VIF; NULL: "lost"
 * @old_vif: "vif-move": its path before; otherwise NULL
 * @attachment: "attach", "detach": what was attached or detached; otherwise NULL
 *
 * Later versions may add members at the end.
 */
struct netnice_event {
	const char *name;
	const char *vif;
	const char *old_vif;
	const struct netnice_attachment *attachment;
};

/**
 * netnice_read_event - read an event
 * @nn: a handle with netnice_watch()
 *
 * Wait for an event if there is none.
 *
 * Return: the event, which belongs to the handle until the next netnice_read_event(); or NULL and
 * errno; EINTR: a signal was handled; EAGAIN: what was received is no event: call again, after poll(2).
 */
const struct netnice_event *netnice_read_event(struct netnice *nn);

#ifdef __cplusplus
}
#endif

#endif
