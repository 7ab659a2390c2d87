/* SPDX-License-Identifier: GPL-2.0 */
/* What is attached to VIFs, by netlink. */
#ifndef VIFCTL_ATTACHED_H
#define VIFCTL_ATTACHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "genl.h"
#include "target.h"

/**
 * struct attached - something that is
 * @path: of the VIF
 * @kind: what it is: TARGET_*
 * @is_given: by an administrator; else chosen
 * @number: process, thread, the socket's cookie
 * @process: of a thread
 * @name: command, path of the control group, device; NULL if there is none to be seen
 */
struct attached {
	char *path;
	unsigned int kind;
	bool is_given;
	uint64_t number;
	uint64_t process;
	char *name;
};

/* By path, then by kind and number or name. */
struct attachments {
	struct attached *all;
	size_t count;
};

/**
 * attachments_read - find out what is attached to any VIF
 * @attachments: to be filled
 * @genl: the family
 *
 * Only what the caller may see. Return: 0, or -1 and errno.
 */
int attachments_read(struct attachments *attachments, const struct genl *genl);
void attachments_free(struct attachments *attachments);

/* Those of one VIF, as many as @count is set to. */
const struct attached *attachments_of(const struct attachments *attachments,
				      const char *path, size_t *count);

#endif
