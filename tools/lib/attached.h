/* SPDX-License-Identifier: GPL-2.0 */
/* The attachments of VIFs, by netlink. */
#ifndef NETNICE_ATTACHED_H
#define NETNICE_ATTACHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "genl.h"
#include "netnice.h"
#include "target.h"

/**
 * struct attached - an attachment
 * @vif: the VIF's number, which is the inode number of its directory
 * @path: the VIF's path
 * @ifindex: the VIF's device
 * @kind: kind of the target: TARGET_*
 * @is_admins: an administrator attached it; otherwise a user
 * @number: PID, thread ID, cookie of the socket, ID of the control group, or ifindex
 * @process: the process of a thread
 * @port: port of a user-level stack to which the socket belongs; 0: none
 * @protocol: protocol of @port: "tcp" or "udp"
 * @name: command, path of the control group, or device; NULL: it has none, or has it no more
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

/* Parse a message. Return: 0, 1: it is no attachment, or -1 without memory. The caller frees @attached. */
int attached_take(struct attached *attached, const struct nlmsghdr *message);
void attached_free(struct attached *attached);

/* Convert to the library's form, which uses the strings of @attached. */
void attached_publish(const struct attached *attached, struct netnice_attachment *attachment);

/*
 * Return a text for a target without a name: "1234", "sk:1f", "tcp 80", "index:7". Control groups and
 * devices have names while they exist.
 */
#define ATTACHED_BYTES	32
const char *attached_label(const struct attached *attached, char text[ATTACHED_BYTES]);

/* Sorted by VIF, then by kind and name or number, without duplicates. */
struct attachments {
	struct attached *all;
	size_t count;
};

/**
 * attachments_read - read attachments
 * @attachments: set to the result
 * @genl: the family
 * @path: a VIF, for the attachments of it and all below it; NULL: all
 *
 * Return: 0, or -1 and errno; ENOENT or ENODEV: @path does not exist.
 */
int attachments_read(struct attachments *attachments, const struct genl *genl,
		     const char *path);
void attachments_free(struct attachments *attachments);

/* Return the first attachment of a VIF, and set @count to their number. */
const struct attached *attachments_of(const struct attachments *attachments,
				      uint64_t vif, size_t *count);

#endif
