/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The VIFs of sockets, as far as user space can find them: from attachments, the descriptors of attached
 * processes, and the control groups of sockets.
 */
#ifndef VIFCTL_OWNERS_H
#define VIFCTL_OWNERS_H

#include <ifaddrs.h>

#include "attached.h"
#include "genl.h"
#include "process.h"
#include "sockets.h"

/**
 * struct owner - a process, socket or control group that belongs to a VIF
 * @number: PID (also for a thread), cookie of the socket, or number of the group
 * @by: its own attachment, or the one of a group above it
 */
struct owner {
	uint64_t number;
	const struct attached *by;
};

/* A process that has a socket open. */
struct holder {
	uint64_t inode;
	pid_t pid;
};

struct owners {
	struct attachments attachments;
	struct owner *owner;		/* sorted by kind and number */
	size_t count;
	struct holder *holder;		/* sorted by inode */
	size_t n_holders;
	struct ifaddrs *addresses;	/* of this machine */
};

/**
 * owners_read - read attachments, and the descriptors of attached processes
 * @owners: set to the result
 * @genl: the family
 *
 * It has only objects that the caller may see. Return: 0, or -1 and errno.
 */
int owners_read(struct owners *owners, const struct genl *genl);
void owners_free(struct owners *owners);

/* Return one of the processes that have the socket open, or 0. */
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
 * owners_vif - find a socket's VIF on a device
 * @owners: from owners_read()
 * @socket: the socket
 * @device: the device
 *
 * A socket without an attachment on the device uses it if the device has the socket's address.
 *
 * Return: the VIF's path; NULL: the socket does not use the device.
 */
const char *owners_vif(const struct owners *owners,
		       const struct socket_info *socket,
		       const struct owners_device *device);

#endif
