// SPDX-License-Identifier: GPL-2.0
/* the words of kinds that open and use sockets */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/rxrpc.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kinds.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))

/* of the numbers that are left for experiments */
#define RAW_PROTOCOL 253
#define FRAME_PROTOCOL 0x88b5

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

#define BUFFER_BYTES (1 << 16)

static char payload[MAX_BYTES];

int current(const struct actor *a)
{
	if (!a->n)
		die("no socket");
	return a->fd[a->current];
}

void opened(struct actor *a, int fd, const char *what)
{
	if (fd < 0 || a->n == MAX_SOCKETS)
		die(what);
	a->current = a->n;
	a->fd[a->n++] = fd;
}

int option(int fd, int name)
{
	socklen_t len = sizeof(int);
	int value = 0;

	if (getsockopt(fd, SOL_SOCKET, name, &value, &len))
		die("getsockopt");
	return value;
}

static size_t bytes(const char *text)
{
	size_t n = strtoul(text, NULL, 10);

	if (n > MAX_BYTES)
		die(text);
	return n;
}

/* --- opening, closing --------------------------------------------------------- */

/* The kind's last character is the version of IP. */
static void word_socket(struct actor *a)
{
	static const struct {
		const char *name;
		int type;
		int protocol[2];
	} kinds[] = {
		{ "tcp", SOCK_STREAM, { IPPROTO_TCP, IPPROTO_TCP } },
		{ "mptcp", SOCK_STREAM, { IPPROTO_MPTCP, IPPROTO_MPTCP } },
		{ "sctp", SOCK_STREAM, { IPPROTO_SCTP, IPPROTO_SCTP } },
		{ "udp", SOCK_DGRAM, { IPPROTO_UDP, IPPROTO_UDP } },
		{ "udplite", SOCK_DGRAM, { IPPROTO_UDPLITE, IPPROTO_UDPLITE } },
		{ "ping", SOCK_DGRAM, { IPPROTO_ICMP, IPPROTO_ICMPV6 } },
		{ "icmp", SOCK_RAW, { IPPROTO_ICMP, IPPROTO_ICMPV6 } },
		{ "raw", SOCK_RAW, { RAW_PROTOCOL, RAW_PROTOCOL } },
	};
	const char *name = a->arg[0];
	size_t len = strlen(name) - 1;
	bool six = name[len] == '6';

	if (!strcmp(name, "packet")) {
		opened(a, socket(AF_PACKET, SOCK_DGRAM, htons(FRAME_PROTOCOL)), name);
		return;
	}
	errno = EINVAL;
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i].name) == len && !strncmp(name, kinds[i].name, len)) {
			opened(a, socket(six ? AF_INET6 : AF_INET, kinds[i].type,
					 kinds[i].protocol[six]), name);
			return;
		}
	die(name);
}

static void word_accept(struct actor *a)
{
	opened(a, accept(current(a), NULL, NULL), "accept");
}

static void word_use(struct actor *a)
{
	a->current = atoi(a->arg[0]);
	if (a->current >= a->n)
		die("use");
}

static void word_shutdown(struct actor *a)
{
	if (shutdown(current(a), SHUT_WR))
		die("shutdown");
}

static void word_close(struct actor *a)
{
	close(current(a));
}

/* It stays open; words do not have it any more, and there may be as many as descriptors. */
static void word_leave(struct actor *a)
{
	current(a);
	if (a->current != --a->n)
		die("leave");
	a->current = 0;
}

static void word_reset(struct actor *a)
{
	struct linger linger = { .l_onoff = 1 };

	if (setsockopt(current(a), SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)))
		die("reset");
	close(current(a));
}

/* --- addresses, options ------------------------------------------------------- */

/*
 * Of the family of the socket: an IPv4 address is mapped if that is IPv6. Packet
 * sockets have an Ethernet address and a device.
 */
static socklen_t address(int fd, char **arg, struct sockaddr_storage *to)
{
	struct sockaddr_ll *link = (void *)to;
	struct addrinfo *found;
	struct addrinfo hints = {
		.ai_family = option(fd, SO_DOMAIN),
		.ai_socktype = SOCK_DGRAM,
		.ai_flags = AI_NUMERICHOST | AI_V4MAPPED,
	};
	socklen_t len;

	memset(to, 0, sizeof(*to));
	if (hints.ai_family == AF_PACKET) {
		link->sll_family = AF_PACKET;
		link->sll_protocol = htons(FRAME_PROTOCOL);
		link->sll_ifindex = if_nametoindex(arg[1]);
		link->sll_halen = ETH_ALEN;
		if (!ether_aton_r(arg[0], (void *)link->sll_addr))
			die(arg[0]);
		return sizeof(*link);
	}
	errno = EINVAL;
	if (getaddrinfo(arg[0], arg[1], &hints, &found))
		die(arg[0]);
	len = found->ai_addrlen;
	memcpy(to, found->ai_addr, len);
	freeaddrinfo(found);
	return len;
}

static void word_bind(struct actor *a)
{
	struct sockaddr_storage to;
	socklen_t len = address(current(a), a->arg, &to);

	if (bind(current(a), (struct sockaddr *)&to, len))
		die("bind");
}

static void word_connect(struct actor *a)
{
	struct sockaddr_storage to;
	socklen_t len = address(current(a), a->arg, &to);

	if (connect(current(a), (struct sockaddr *)&to, len))
		die("connect");
}

static void word_refused(struct actor *a)
{
	struct sockaddr_storage to;
	socklen_t len = address(current(a), a->arg, &to);

	errno = 0;
	if (connect(current(a), (struct sockaddr *)&to, len) == 0)
		die("refused");
}

static void word_listen(struct actor *a)
{
	if (listen(current(a), atoi(a->arg[0])))
		die("listen");
}

static void word_group(struct actor *a)
{
	struct group_req request = { .gr_interface = if_nametoindex(a->arg[1]) };
	char *group[] = { a->arg[0], "0" };

	address(current(a), group, &request.gr_group);
	if (setsockopt(current(a), request.gr_group.ss_family == AF_INET6 ? IPPROTO_IPV6 :
		       IPPROTO_IP, MCAST_JOIN_GROUP, &request, sizeof(request)))
		die("group");
}

static void word_device(struct actor *a)
{
	if (setsockopt(current(a), SOL_SOCKET, SO_BINDTODEVICE, a->arg[0], strlen(a->arg[0])))
		die("device");
}

static void word_set(struct actor *a)
{
	static const struct {
		const char *name;
		int level;
		int option;
	} options[] = {
		{ "reuseaddr", SOL_SOCKET, SO_REUSEADDR },
		{ "reuseport", SOL_SOCKET, SO_REUSEPORT },
		{ "broadcast", SOL_SOCKET, SO_BROADCAST },
		{ "zerocopy", SOL_SOCKET, SO_ZEROCOPY },
		{ "nodelay", IPPROTO_TCP, TCP_NODELAY },
		{ "maxseg", IPPROTO_TCP, TCP_MAXSEG },
		{ "segment", IPPROTO_UDP, UDP_SEGMENT },
		{ "gro", IPPROTO_UDP, UDP_GRO },
		{ "encap", IPPROTO_UDP, UDP_ENCAP },
		{ "bypass", SOL_PACKET, PACKET_QDISC_BYPASS },
		{ "tos", IPPROTO_IP, IP_TOS },
		{ "discover", IPPROTO_IP, IP_MTU_DISCOVER },
		{ "transparent", IPPROTO_IP, IP_TRANSPARENT },
		{ "freebind", IPPROTO_IP, IP_FREEBIND },
		{ "timestamping", SOL_SOCKET, SO_TIMESTAMPING },
	};
	int value = atoi(a->arg[1]);

	errno = EINVAL;
	for (unsigned int i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].name, a->arg[0]) &&
		    !setsockopt(current(a), options[i].level, options[i].option, &value,
				sizeof(value)))
			return;
	die(a->arg[0]);
}

/* What is sent by IPv6 goes by way of an address first (a segment routing header). */
static void word_via(struct actor *a)
{
	struct {
		uint8_t next, units, type, left, last, flags;
		uint16_t tag;
		struct in6_addr segment[2];
	} route = { .units = 4, .type = 4, .left = 1, .last = 1 };

	errno = EINVAL;
	if (inet_pton(AF_INET6, a->arg[0], &route.segment[1]) != 1 ||
	    setsockopt(current(a), IPPROTO_IPV6, IPV6_RTHDR, &route, sizeof(route)))
		die("via");
}

/* It has an extension header, of padding, which is in front of that of fragments. */
static void word_padded(struct actor *a)
{
	const uint8_t header[8] = { 0, 0, 1, 4 };

	if (setsockopt(current(a), IPPROTO_IPV6, IPV6_HOPOPTS, header, sizeof(header)))
		die("padded");
}

static void word_cookie(struct actor *a)
{
	uint64_t cookie;
	socklen_t len = sizeof(cookie);

	if (getsockopt(current(a), SOL_SOCKET, SO_COOKIE, &cookie, &len))
		die("cookie");
	printf("%llx\n", (unsigned long long)cookie);
	fflush(stdout);
}

/* --- data --------------------------------------------------------------------- */

/* A stream sends all of it, others one message. */
static void word_send(struct actor *a)
{
	size_t left = bytes(a->arg[0]);

	do {
		ssize_t n = send(current(a), payload, left, 0);

		if (n < 0)
			die("send");
		left -= n;
	} while (left);
}

/* A packet socket past the qdisc is told of what waits as if it were lost. */
static void word_sendto(struct actor *a)
{
	struct sockaddr_storage to;
	socklen_t len = address(current(a), a->arg, &to);

	if (sendto(current(a), payload, bytes(a->arg[2]), 0, (struct sockaddr *)&to, len) < 0 &&
	    !(to.ss_family == AF_PACKET && errno == ENOBUFS))
		die("sendto");
}

/* So many of a stream and no more; of messages at least so many. */
static void word_receive(struct actor *a)
{
	bool stream = option(current(a), SO_TYPE) == SOCK_STREAM;
	ssize_t left = bytes(a->arg[0]);
	char buffer[BUFFER_BYTES];

	errno = 0;
	while (left > 0) {
		size_t size = stream && left < BUFFER_BYTES ? left : BUFFER_BYTES;
		ssize_t n = recv(current(a), buffer, size, 0);

		if (n < 0 || (n == 0 && stream))
			die("receive");
		left -= n;
	}
}

/* the next message, to its sender */
static void word_answer(struct actor *a)
{
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	char buffer[BUFFER_BYTES];
	ssize_t n;

	n = recvfrom(current(a), buffer, sizeof(buffer), 0, (struct sockaddr *)&from, &len);
	if (n < 0 || sendto(current(a), buffer, n, 0, (struct sockaddr *)&from, len) < 0)
		die("answer");
}

static void word_end(struct actor *a)
{
	char byte;

	errno = 0;
	if (recv(current(a), &byte, 1, 0) != 0)
		die("end");
}

/* until there is an error: by ICMP, or a RST */
static void word_error(struct actor *a)
{
	struct pollfd pollfd = { .fd = current(a) };

	if (poll(&pollfd, 1, -1) < 0 || !option(current(a), SO_ERROR))
		die("error");
}

static uint16_t checksum(const void *data, size_t len)
{
	const uint16_t *word = data;
	uint32_t sum = 0;

	for (; len > 1; len -= 2)
		sum += *word++;
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

/*
 * Of both versions of IP the header is type, code, checksum, identifier and
 * sequence number. The kernel sets the checksum only of version 6.
 */
static void word_ping(struct actor *a)
{
	int fd = current(a);
	bool six = option(fd, SO_PROTOCOL) == IPPROTO_ICMPV6;
	bool with_ip = !six && option(fd, SO_TYPE) == SOCK_RAW;
	uint8_t wanted = six ? ICMP6_ECHO_REPLY : ICMP_ECHOREPLY;
	struct {
		struct icmphdr header;
		char filling[56];
	} request = { .header.type = six ? ICMP6_ECHO_REQUEST : ICMP_ECHO };
	uint8_t reply[1 << 10];

	request.header.un.echo.id = getpid();
	for (int i = atoi(a->arg[0]); i > 0; i--) {
		request.header.un.echo.sequence = htons(i);
		request.header.checksum = 0;
		if (!six)
			request.header.checksum = checksum(&request, sizeof(request));
		if (send(fd, &request, sizeof(request), 0) < 0)
			die("ping");
		do {
			if (recv(fd, reply, sizeof(reply), 0) < 0)
				die("ping");
		} while (reply[with_ip ? (reply[0] & 15) * 4 : 0] != wanted);
	}
}

/* The kernel tells them on the error queue. */
static void word_stamps(struct actor *a)
{
	struct msghdr msg;
	int n = 0;

	for (;; n++) {
		memset(&msg, 0, sizeof(msg));
		if (recvmsg(current(a), &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			break;
	}
	printf("%d\n", n);
	fflush(stdout);
}

/* A call of service 1, which the kernel sends until it is answered. */
static void word_rxrpc(struct actor *a)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(unsigned long))];
	} call = {
		.header = {
			.cmsg_level = SOL_RXRPC,
			.cmsg_type = RXRPC_USER_CALL_ID,
			.cmsg_len = CMSG_LEN(sizeof(unsigned long)),
		},
	};
	struct sockaddr_rxrpc to = {
		.srx_family = AF_RXRPC,
		.srx_service = 1,
		.transport_type = SOCK_DGRAM,
		.transport_len = sizeof(to.transport.sin),
		.transport.sin = {
			.sin_family = AF_INET,
			.sin_port = htons(atoi(a->arg[1])),
		},
	};
	struct iovec iov = { payload, bytes(a->arg[2]) };
	struct msghdr msg = {
		.msg_name = &to,
		.msg_namelen = sizeof(to),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &call,
		.msg_controllen = sizeof(call),
	};

	opened(a, socket(AF_RXRPC, SOCK_DGRAM, PF_INET), "rxrpc");
	*(unsigned long *)CMSG_DATA(&call.header) = 1;
	errno = EINVAL;
	if (inet_pton(AF_INET, a->arg[0], &to.transport.sin.sin_addr) != 1 ||
	    sendmsg(current(a), &msg, 0) < 0)
		die("rxrpc");
}

/* Return: whether the connection goes on. */
static bool mirror(int fd)
{
	char buffer[BUFFER_BYTES];
	ssize_t n = recv(fd, buffer, sizeof(buffer), 0);

	if (n > 0)
		return send(fd, buffer, n, 0) == n;
	close(fd);
	return false;
}

/* one process that sends back what it gets on so many connections, until they end */
static void word_mirror(struct actor *a)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = current(a) };
	int epoll = epoll_create1(0), left = atoi(a->arg[0]);

	epoll_ctl(epoll, EPOLL_CTL_ADD, current(a), &event);
	while (left) {
		if (epoll_wait(epoll, &event, 1, -1) < 1)
			die("mirror");
		if (event.data.fd == current(a)) {
			event.data.fd = accept(current(a), NULL, NULL);
			epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event);
		} else if (!mirror(event.data.fd)) {
			left--;
		}
	}
	close(epoll);
}

static void word_by(struct actor *a)
{
	way_do(a->arg[0], current(a), payload, bytes(a->arg[1]));
}

static void word_tls(struct actor *a)
{
	way_tls(current(a));
}

const struct word socket_words[] = {
	{ "socket", 1, false, "KIND\ttcp4, tcp6, mptcp., sctp., udp., udplite., ping., icmp., raw., packet",
	  word_socket },
	{ "accept", 0, false, "", word_accept },
	{ "use", 1, false, "INDEX\tof those opened", word_use },
	{ "shutdown", 0, false, "", word_shutdown },
	{ "close", 0, false, "", word_close },
	{ "leave", 0, false, "\topen, and to itself: the last one", word_leave },
	{ "reset", 0, false, "\tclose with a RST", word_reset },
	{ "bind", 2, false, "ADDRESS PORT", word_bind },
	{ "connect", 2, false, "ADDRESS PORT", word_connect },
	{ "refused", 2, false, "ADDRESS PORT\tthe connection", word_refused },
	{ "listen", 1, false, "BACKLOG", word_listen },
	{ "group", 2, false, "ADDRESS DEVICE", word_group },
	{ "device", 1, false, "DEVICE", word_device },
	{ "set", 2, false, "OPTION NUMBER", word_set },
	{ "via", 1, false, "ADDRESS\tgoes what is sent by IPv6", word_via },
	{ "padded", 0, false, "\tis what is sent by IPv6, by an extension header", word_padded },
	{ "cookie", 0, false, "\tprint it", word_cookie },
	{ "send", 1, false, "BYTES", word_send },
	{ "sendto", 3, false, "ADDRESS PORT BYTES", word_sendto },
	{ "receive", 1, false, "BYTES", word_receive },
	{ "answer", 0, false, "\ta message", word_answer },
	{ "end", 0, false, "\tof the stream", word_end },
	{ "error", 0, false, "\tof the socket", word_error },
	{ "ping", 1, false, "COUNT", word_ping },
	{ "stamps", 0, false, "\tprint how many have come", word_stamps },
	{ "rxrpc", 3, false, "ADDRESS PORT BYTES\ta call by AF_RXRPC", word_rxrpc },
	{ "mirror", 1, false, "CONNECTIONS", word_mirror },
	{ "by", 2, false, "WAY BYTES", word_by },
	{ "tls", 0, false, "", word_tls },
	{}
};
