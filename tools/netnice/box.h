/* SPDX-License-Identifier: GPL-2.0 */
/* A network namespace that has the addresses of the host's. */
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
 * struct box_host - what a device of the host has
 * @mtu: its MTU
 * @address: addresses that others can reach it by
 * @count: how many
 * @words: the same as text, with spaces between them
 */
struct box_host {
	unsigned int mtu;
	struct box_address *address;
	size_t count;
	char *words;
};

/* To be freed in any case. Return: 0, or -1 after a message; so do those below. */
int box_read_host(struct box_host *host, const char *dev);
void box_free_host(struct box_host *host);

/**
 * box_make - in our network namespace, a pair of devices
 * @host: what they are to be like
 * @dev: name of the one that the command will have
 * @plug: of the other end; both are up then
 */
int box_make(const struct box_host *host, const char *dev, const char *plug);

/**
 * box_open - give the command's device the host's addresses, and routes to everybody
 * @host: whose
 * @dev: the device; lo is up then, too
 * @first: of the ports that are for what the command begins
 * @count: how many these are
 */
int box_open(const struct box_host *host, const char *dev, unsigned int first,
	     unsigned int count);

/* Up, with an MTU. */
int box_set_up(const char *dev, unsigned int mtu);

/* Writes /proc/PID/NAME, a name ending in "_map" left out. */
int box_write_proc(pid_t pid, const char *name, const char *text);

#endif
