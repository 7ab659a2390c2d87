// SPDX-License-Identifier: GPL-2.0
#include "sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "attrs.h"
#include "netlink.h"

/* As the kernel numbers them (net/tcp_states.h) */
static const char *const states[] = {
	NULL, "established", "syn-sent", "syn-recv", "fin-wait-1", "fin-wait-2",
	"time-wait", "closed", "close-wait", "last-ack", "listening", "closing",
	"syn-recv",
};

#define STATES		(sizeof(states) / sizeof(*states))
#define TIME_WAIT	6
#define LISTEN		10

struct reader {
	struct socket_list *list;
	const char *protocol;
	bool is_tcp;
};

static void read_end(struct socket_end *end, int family, const __be32 *address,
		     uint16_t port)
{
	char text[INET6_ADDRSTRLEN];

	if (family == AF_INET) {
		end->address = (struct in6_addr) {
			.s6_addr[10] = 0xff, .s6_addr[11] = 0xff,
		};
		memcpy(&end->address.s6_addr[12], address, 4);
	} else {
		memcpy(&end->address, address, sizeof(end->address));
	}
	if (!inet_ntop(family, address, text, sizeof(text)))
		*text = '\0';
	snprintf(end->text, sizeof(end->text),
		 family == AF_INET ? "%s:%u" : "[%s]:%u", text, ntohs(port));
}

/* Behind the last that headers of Linux 6.1 have; that of 6.2 has it */
#define RCV_WND_AT	(offsetof(struct tcp_info, tcpi_snd_wnd) + sizeof(uint32_t))

/* Older kernels know less of it, newer ones more. */
static void read_tcp(struct socket_info *socket, const struct nlattr *attr)
{
	const size_t len = attr ? mnl_attr_get_payload_len(attr) : 0;
	uint32_t rcv_wnd;

	if (!len)
		return;
	memcpy(&socket->tcp, mnl_attr_get_payload(attr),
	       len < sizeof(socket->tcp) ? len : sizeof(socket->tcp));
	socket->is_tcp = true;
	if (len < RCV_WND_AT + sizeof(rcv_wnd))
		return;
	memcpy(&rcv_wnd, (const char *)mnl_attr_get_payload(attr) + RCV_WND_AT, sizeof(rcv_wnd));
	socket->rcv_wnd = rcv_wnd;
}

static void read_socket(struct socket_info *socket,
			const struct inet_diag_msg *diag,
			const struct attrs *attrs, const struct reader *reader)
{
	const struct inet_diag_sockid *id = &diag->id;
	unsigned long long cgroup = 0;

	*socket = (struct socket_info) {
		.protocol = reader->protocol,
		.state = diag->idiag_state < STATES ?
			 states[diag->idiag_state] : NULL,
		.ifindex = id->idiag_if,
		.inode = diag->idiag_inode,
		.cookie = id->idiag_cookie[0] |
			  (uint64_t)id->idiag_cookie[1] << 32,
		.rcv_wnd = -1,
	};
	if (!socket->state)
		socket->state = "?";
	read_end(&socket->local, diag->idiag_family, id->idiag_src,
		 id->idiag_sport);
	read_end(&socket->remote, diag->idiag_family, id->idiag_dst,
		 id->idiag_dport);
	if (attrs_number(attrs, INET_DIAG_CGROUP_ID, &cgroup))
		socket->cgroup = cgroup;
	if (reader->is_tcp)
		read_tcp(socket, attrs->of[INET_DIAG_INFO]);
}

static int take_socket(const struct nlmsghdr *message, void *arg)
{
	struct reader *reader = arg;
	struct socket_list *list = reader->list;
	const struct inet_diag_msg *diag = mnl_nlmsg_get_payload(message);
	struct socket_info *socket;
	struct attrs attrs;

	if (!attrs_read(&attrs, message, sizeof(*diag)) ||
	    (diag->idiag_family != AF_INET && diag->idiag_family != AF_INET6))
		return MNL_CB_OK;
	socket = array_add(&list->socket, &list->count, sizeof(*socket));
	if (!socket)
		return MNL_CB_ERROR;
	read_socket(socket, diag, &attrs, reader);
	return MNL_CB_OK;
}

/* A protocol that the kernel has no such answers for has no sockets here. */
static int read_all(struct mnl_socket *sock, struct socket_list *list,
		    int family, int protocol)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buf);
	struct inet_diag_req_v2 *diag;
	struct reader reader = {
		.list = list,
		.protocol = protocol == IPPROTO_TCP ? "tcp" : "udp",
		.is_tcp = protocol == IPPROTO_TCP,
	};

	request->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	diag = mnl_nlmsg_put_extra_header(request, sizeof(*diag));
	diag->sdiag_family = family;
	diag->sdiag_protocol = protocol;
	diag->idiag_ext = reader.is_tcp ? 1 << (INET_DIAG_INFO - 1) : 0;
	diag->idiag_states = ~(1U << TIME_WAIT | 1U << LISTEN);
	if (!netlink_ask(sock, request, NLM_F_DUMP, take_socket, &reader))
		return 0;
	return errno == ENOENT || errno == EOPNOTSUPP ? 0 : -1;
}

static int read_protocols(struct socket_list *list, const int *protocols, int count)
{
	static const int families[] = { AF_INET, AF_INET6 };
	struct mnl_socket *sock;
	int ret = 0;

	*list = (struct socket_list) { 0 };
	sock = netlink_open(NETLINK_SOCK_DIAG, 0, 0);
	if (!sock)
		return -1;
	for (int i = 0; !ret && i < 2 * count; i++)
		ret = read_all(sock, list, families[i % 2], protocols[i / 2]);
	mnl_socket_close(sock);
	return ret;
}

static const int protocols[] = { IPPROTO_TCP, IPPROTO_UDP };

int sockets_read(struct socket_list *list)
{
	return read_protocols(list, protocols, 2);
}

int sockets_read_tcp(struct socket_list *list)
{
	return read_protocols(list, protocols, 1);
}

void sockets_free(struct socket_list *list)
{
	free(list->socket);
	*list = (struct socket_list) { 0 };
}
