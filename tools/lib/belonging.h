/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The VIFs of an object on a device, and who has decided them.
 *
 * A link in the file system shows the last attachment. A user may attach its own processes to VIFs
 * that are not in force. So a tool that runs as an administrator must not restore the attachment
 * that a link shows, or create VIFs below it: this would make the user's choice an administrator's.
 * All tools call this to find the attachments that they may act on.
 */
#ifndef NETNICE_BELONGING_H
#define NETNICE_BELONGING_H

#include <stdbool.h>

#include "genl.h"
#include "target.h"

/**
 * struct belonging - where a target belongs on a device
 * @as_admin: whether the caller's own attachments are an administrator's
 * @given: the VIF that an administrator has attached it to, or NULL
 * @chosen: the VIF that a user has attached it to, or NULL; it need not count
 * @now: the VIF that its packets go by
 * @base: the VIF that they would go by if no user had attached anything
 *
 * For a socket, @now and @base hold while the socket's process uses it.
 */
struct belonging {
	bool as_admin;
	char *given, *chosen, *now, *base;
};

/**
 * belonging_read - find the VIFs of an object
 * @belonging: result; to be freed
 * @genl: the netlink family
 * @fs: the file system
 * @target: the object
 * @on: a device, or any VIF of it
 *
 * Return: 0, or -1 and errno: ESRCH the process is gone, or the caller has no power over it.
 */
int belonging_read(struct belonging *belonging, const struct genl *genl,
		   const struct nnfs *fs, const struct target *target, const char *on);

/* The same for a single call: open and close the netlink family here. */
int belonging_find(struct belonging *belonging, const struct nnfs *fs,
		   const struct target *target, const char *on);
void belonging_free(struct belonging *belonging);

/*
 * Return the VIF that an attachment by the caller replaces, to which the caller may restore it
 * later, or NULL: there is none.
 */
const char *belonging_own(const struct belonging *belonging);

/* Is the target attached to this VIF, with the caller's power? */
bool belonging_is_at(const struct nnfs *fs, const struct target *target, const char *vif);

/* Return the VIF below which the caller may create a VIF for the target. */
const char *belonging_above(const struct belonging *belonging);

#endif
