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
 * @vif: the VIF's number, as its directory's inode has it
 * @path: and where it is
 * @ifindex: on which device
 * @kind: what it is: TARGET_*
 * @is_admins: by an administrator; otherwise by a user
 * @number: of the process or thread, the socket's cookie, the control group's id, the
 *	device's index
 * @process: of a thread
 * @port: of a socket that is a port of a user-level stack; 0: none
 * @protocol: of that: "tcp" or "udp"
 * @name: command, path of the control group, device; NULL where it has none (any more)
 */
struct attached {
	uint64_t vif;
	char *path;
	unsigned int ifindex;
	unsigned int kind;
	bool is_admins;
	uint64_t number;
	uint64_t process;
	unsigned int port;
	const char *protocol;
	char *name;
};

/* As a message tells of it. Return: 0, 1 if it is none, -1 without memory; to be freed. */
int attached_take(struct attached *attached, const struct nlmsghdr *message);
void attached_free(struct attached *attached);

/*
 * As people call it, where it has a number only: "1234", "sk:1f", "tcp 80", "index:7"; control
 * groups and devices have names as long as they are there.
 */
#define ATTACHED_BYTES	32
const char *attached_label(const struct attached *attached, char text[ATTACHED_BYTES]);

/* By VIF, then by kind and name or number; each once. */
struct attachments {
	struct attached *all;
	size_t count;
};

/**
 * attachments_read - find out what is attached
 * @attachments: to be filled
 * @genl: the family
 * @path: to this VIF and those below it; NULL: to any
 *
 * Return: 0, or -1 and errno; ENOENT, ENODEV where @path is not there.
 */
int attachments_read(struct attachments *attachments, const struct genl *genl,
		     const char *path);
void attachments_free(struct attachments *attachments);

/* Those of one VIF, as many as @count is set to. */
const struct attached *attachments_of(const struct attachments *attachments,
				      uint64_t vif, size_t *count);

#endif
