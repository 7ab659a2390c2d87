/* SPDX-License-Identifier: GPL-2.0 */
/* Requests to the kernel by netlink. */
#ifndef NETNICE_NETLINK_H
#define NETNICE_NETLINK_H

#include <libmnl/libmnl.h>
#include <stdbool.h>

/**
 * netlink_open - open a socket
 * @bus: NETLINK_*
 * @groups: multicast groups to join
 * @flags: SOCK_NONBLOCK, or 0
 *
 * Return: the socket, or NULL and errno.
 */
struct mnl_socket *netlink_open(int bus, unsigned int groups, int flags);

/**
 * netlink_receive - receive messages, of the kernel only
 * @fd: a netlink socket
 * @buf: the buffer
 * @size: its size; what does not fit is an error, ENOSPC
 *
 * Any process that has CAP_NET_ADMIN over the network namespace can send to the socket, too.
 *
 * Return: number of bytes; 0: another process had sent the message, which is dropped; or -1 and errno.
 */
ssize_t netlink_receive(int fd, void *buf, size_t size);

/**
 * netlink_ask - send a request and read the answers
 * @sock: the socket; it has no other request pending
 * @request: the request; its sequence number is set here
 * @flags: NLM_F_DUMP, or NLM_F_ACK
 * @take: called for each message
 * @arg: argument for @take
 *
 * A dump that was interrupted by a change is not repeated.
 *
 * Return: 0, or -1 and errno.
 */
int netlink_ask(struct mnl_socket *sock, struct nlmsghdr *request,
		unsigned int flags, mnl_cb_t take, void *arg);

/*
 * Is the message at @message whole, with @bytes left? mnl_nlmsg_ok() takes a length of 2^31 and more for a
 * negative one.
 */
static inline bool netlink_is_whole(const struct nlmsghdr *message, int bytes)
{
	return bytes >= (int)sizeof(*message) && message->nlmsg_len <= (unsigned int)bytes &&
	       mnl_nlmsg_ok(message, bytes);
}

#endif
