/* SPDX-License-Identifier: GPL-2.0 */
/* Asking the kernel by netlink. */
#ifndef NETNICE_NETLINK_H
#define NETNICE_NETLINK_H

#include <libmnl/libmnl.h>

/**
 * netlink_open - open a socket
 * @bus: NETLINK_*
 * @groups: that it listens to
 * @flags: SOCK_NONBLOCK, or 0
 *
 * Return: the socket, or NULL and errno.
 */
struct mnl_socket *netlink_open(int bus, unsigned int groups, int flags);

/**
 * netlink_ask - ask something and read the answers
 * @sock: the socket; nothing else is under way on it
 * @request: what to ask for; gets its number here
 * @flags: NLM_F_DUMP, or NLM_F_ACK: how the end is told
 * @take: called for each message
 * @arg: its argument
 *
 * A dump during which something was changed is taken as it is.
 *
 * Return: 0, or -1 and errno.
 */
int netlink_ask(struct mnl_socket *sock, struct nlmsghdr *request,
		unsigned int flags, mnl_cb_t take, void *arg);

#endif
