/* SPDX-License-Identifier: GPL-2.0 */
/* The sockets of the network namespace, by sock_diag(7). */
#ifndef VIFCTL_SOCKETS_H
#define VIFCTL_SOCKETS_H

#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOCKET_ADDRESS_BYTES	(INET6_ADDRSTRLEN + sizeof("[]:65535"))

struct socket_end {
	struct in6_addr address;	/* IPv4 as v4-mapped */
	char text[SOCKET_ADDRESS_BYTES];
};

struct socket_info {
	const char *protocol;
	const char *state;
	struct socket_end local, remote;
	unsigned int ifindex;		/* device to which it is bound; 0: none */
	uint64_t inode;			/* 0: no process has it open */
	uint64_t cookie;
	uint64_t cgroup;		/* number; 0: unknown */
	bool is_tcp;			/* @tcp is valid */
	struct tcp_info tcp;		/* members that the kernel does not know are 0 */
	int64_t rcv_wnd;		/* -1: unknown */
};

struct socket_list {
	struct socket_info *socket;
	size_t count;
};

/* Read TCP sockets, except listening ones, and UDP sockets. Return: 0, or -1 and errno. */
int sockets_read(struct socket_list *list);
/* Read TCP sockets only. */
int sockets_read_tcp(struct socket_list *list);
void sockets_free(struct socket_list *list);

#endif
