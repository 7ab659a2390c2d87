/* SPDX-License-Identifier: GPL-2.0 */
/* The sockets that belong to VIFs. */
#ifndef VIFCTL_TOP_SOCKETS_H
#define VIFCTL_TOP_SOCKETS_H

#include <net/if.h>

#include "owners.h"
#include "process.h"
#include "sockets.h"

struct top_socket {
	const struct socket_info *info;
	const char *vif;		/* path */
	pid_t pid;			/* that has it open; 0: unknown */
	char comm[PROCESS_COMM_BYTES];
};

struct top_sockets {
	struct socket_list all;
	struct owners owners;
	char dev[IF_NAMESIZE];
	struct top_socket *socket;	/* points into these; busiest first */
	size_t count;
};

/* Sent and acknowledged, and received, by TCP */
unsigned long long top_socket_bytes(const struct socket_info *socket);

/**
 * top_sockets_read - find the sockets of a VIF and of those below it
 * @sockets: what was found before, or empty
 * @genl: the family
 * @path: the VIF
 *
 * Return: 0, or -1 and errno, and there are none.
 */
int top_sockets_read(struct top_sockets *sockets, const struct genl *genl,
		     const char *path);
void top_sockets_free(struct top_sockets *sockets);

#endif
