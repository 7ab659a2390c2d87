// SPDX-License-Identifier: GPL-2.0
/* Requests of the library, and of the tools to other families. */
#include "netlink.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

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

ssize_t netlink_receive(int fd, void *buf, size_t size)
{
	struct iovec iov = { .iov_base = buf, .iov_len = size };
	struct sockaddr_nl from = { 0 };
	struct msghdr message = {
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &iov, .msg_iovlen = 1,
	};
	const ssize_t len = recvmsg(fd, &message, 0);

	if (len < 0)
		return -1;
	if (message.msg_namelen != sizeof(from) || from.nl_pid)
		return 0;
	if (message.msg_flags & MSG_TRUNC) {
		errno = ENOSPC;
		return -1;
	}
	return len;
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

static bool is_answer(const void *buf, int len, unsigned int seq)
{
	const struct nlmsghdr *message = buf;

	return netlink_is_whole(message, len) && message->nlmsg_seq == seq;
}

/* The time tells an answer from one to an earlier request, which was given up. */
int netlink_ask(struct mnl_socket *sock, struct nlmsghdr *request,
		unsigned int flags, mnl_cb_t take, void *arg)
{
	char buf[BUFFER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
	const unsigned int seq = clock_ns(CLOCK_MONOTONIC);
	ssize_t len;
	int ret = 1;

	request->nlmsg_flags |= NLM_F_REQUEST | flags;
	request->nlmsg_seq = seq;
	if (mnl_socket_sendto(sock, request, request->nlmsg_len) < 0)
		return -1;
	while (ret > 0) {
		len = netlink_receive(mnl_socket_get_fd(sock), buf, sizeof(buf));
		if (len < 0) {
			ret = errno == EINTR ? 1 : -1;
		} else if (is_answer(buf, len, seq)) {
			take_interrupted(buf, len);
			ret = mnl_cb_run(buf, len, seq, mnl_socket_get_portid(sock), take, arg);
		}
	}
	if (ret < 0)
		discard(sock, buf, sizeof(buf));
	return ret;
}
