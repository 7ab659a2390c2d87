// SPDX-License-Identifier: GPL-2.0
/* Requests of the library, and of the tools to other families. */
#include "netlink.h"

#include <errno.h>
#include <sys/socket.h>

#include "clock.h"

/* The kernel fills as much as the reader has room for. */
#define BUFFER_BYTES	(32 * 1024)

struct mnl_socket *netlink_open(int bus, unsigned int groups, int flags)
{
	struct mnl_socket *sock = mnl_socket_open2(bus, SOCK_CLOEXEC | flags);
	int err;

	if (!sock || !mnl_socket_bind(sock, groups, MNL_SOCKET_AUTOPID))
		return sock;
	err = errno;
	mnl_socket_close(sock);
	errno = err;
	return NULL;
}

/* To libmnl it is an error, behind which it reads nothing more. */
static void take_interrupted(void *buf, int len)
{
	struct nlmsghdr *message = buf;

	for (; netlink_is_whole(message, len); message = mnl_nlmsg_next(message, &len))
		message->nlmsg_flags &= ~NLM_F_DUMP_INTR;
}

/* Discard the rest of an answer: it would be taken for an answer to the next request. */
static void discard(struct mnl_socket *sock, void *buf, size_t size)
{
	const int err = errno;

	while (recv(mnl_socket_get_fd(sock), buf, size, MSG_DONTWAIT) > 0)
		;
	errno = err;
}

/* The time tells an answer from one to an earlier request, which was given up. */
int netlink_ask(struct mnl_socket *sock, struct nlmsghdr *request,
		unsigned int flags, mnl_cb_t take, void *arg)
{
	char buf[BUFFER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
	const unsigned int seq = clock_ns(CLOCK_MONOTONIC);
	ssize_t len;
	int ret;

	request->nlmsg_flags |= NLM_F_REQUEST | flags;
	request->nlmsg_seq = seq;
	if (mnl_socket_sendto(sock, request, request->nlmsg_len) < 0)
		return -1;
	do {
		len = mnl_socket_recvfrom(sock, buf, sizeof(buf));
		if (len < 0)
			return -1;
		take_interrupted(buf, len);
		ret = mnl_cb_run(buf, len, seq, mnl_socket_get_portid(sock),
				 take, arg);
	} while (ret > 0);
	if (ret < 0)
		discard(sock, buf, sizeof(buf));
	return ret;
}
