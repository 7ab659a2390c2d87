/* SPDX-License-Identifier: GPL-2.0 */
/* Dumps of netlink. */
#ifndef NETNICE_DUMP_H
#define NETNICE_DUMP_H

#include <libmnl/libmnl.h>

/**
 * dump_run - ask for a dump and read it
 * @sock: the socket; nothing else is under way on it
 * @request: what to ask for; gets its number here
 * @take: called for each message
 * @arg: its argument
 *
 * A dump during which something was changed is taken as it is.
 *
 * Return: 0, or -1 and errno.
 */
int dump_run(struct mnl_socket *sock, struct nlmsghdr *request, mnl_cb_t take,
	     void *arg);

#endif
