/* SPDX-License-Identifier: GPL-2.0 */
/* A network namespace with the addresses of the host. */
#ifndef NETNICE_TOOL_BOX_H
#define NETNICE_TOOL_BOX_H

#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/types.h>

struct box_address {
	int family;
	union {
		struct in_addr in;
		struct in6_addr in6;
	};
};

/**
 * struct box_host - properties of a device of the host
 * @mtu: its MTU, in bytes
 * @address: addresses by which other hosts can reach it
 * @count: number of addresses
 * @words: the addresses as text, separated by spaces
 */
struct box_host {
	unsigned int mtu;
	struct box_address *address;
	size_t count;
	char *words;
};

/*
 * Read the properties of a device. The caller frees @host even after an error. Return: 0, or -1 after a
 * message, as all functions below.
 */
int box_read_host(struct box_host *host, const char *dev);
void box_free_host(struct box_host *host);

/**
 * box_make - create a veth pair in the caller's network namespace, and set it up
 * @host: the properties that both ends get
 * @dev: name of the command's end
 * @plug: name of the other end
 */
int box_make(const struct box_host *host, const char *dev, const char *plug);

/**
 * box_open - give the command's device the host's addresses and default routes, and set lo up
 * @host: the device with the addresses
 * @dev: the command's device
 * @first: first local port for connections that the command opens
 * @count: number of these ports
 */
int box_open(const struct box_host *host, const char *dev, unsigned int first,
	     unsigned int count);

/* Set a device's MTU, and set it up. */
int box_set_up(const char *dev, unsigned int mtu);

/* Write /proc/PID/NAME. "uid" and "gid" mean "uid_map" and "gid_map". */
int box_write_proc(pid_t pid, const char *name, const char *text);

#endif
