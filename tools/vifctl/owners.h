/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose VIF a socket's packets go by, as far as it can be told from outside: by what is
 * attached, the descriptors of the processes that are, and the sockets' groups.
 */
#ifndef VIFCTL_OWNERS_H
#define VIFCTL_OWNERS_H

#include <ifaddrs.h>

#include "attached.h"
#include "genl.h"
#include "process.h"
#include "sockets.h"

/**
 * struct owner - something that is attached to a VIF
 * @number: of the process, of a thread too; the socket's cookie; the group's
 * @by: what was attached: that itself, or a group above it
 */
struct owner {
	uint64_t number;
	const struct attached *by;
};

/* A socket that a process has open. */
struct holder {
	uint64_t inode;
	pid_t pid;
};

struct owners {
	struct attachments attachments;
	struct owner *owner;		/* by kind and number */
	size_t count;
	struct holder *holder;		/* by inode */
	size_t n_holders;
	struct ifaddrs *addresses;	/* of this machine */
};

/**
 * owners_read - find out what is attached, and what it has open
 * @owners: to be filled
 * @genl: the family
 *
 * Only what the caller may see counts. Return: 0, or -1 and errno.
 */
int owners_read(struct owners *owners, const struct genl *genl);
void owners_free(struct owners *owners);

/* The process that has it open, one of them, or 0. */
pid_t owners_process(const struct owners *owners,
		     const struct socket_info *socket);

struct owners_device {
	const char *name;
	unsigned int ifindex;
	bool is_loopback;
};

void owners_find_device(const struct owners *owners, const char *name,
			struct owners_device *device);

/**
 * owners_vif - the VIF of a device by which a socket's packets go
 * @owners: who has what
 * @socket: the socket
 * @device: the device
 *
 * Return: its path; NULL if they do not go by that device. What is attached to no VIF
 * of the device goes by it if the device has the socket's address.
 */
const char *owners_vif(const struct owners *owners,
		       const struct socket_info *socket,
		       const struct owners_device *device);

#endif
