/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family of the module. */
#ifndef NETNICE_GENL_H
#define NETNICE_GENL_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct genl {
	struct mnl_socket *sock;
	uint16_t family;
	uint32_t group;		/* of events */
	FILE *copy;		/* gets the messages of VIFs; or NULL */
};

/* Finds the family. Return: 0, or -1 after a message. */
int genl_open(struct genl *genl);

/* And joins its events. */
int genl_open_events(struct genl *genl);
void genl_close(struct genl *genl);

/* Begins a request in @buf, of MNL_SOCKET_BUFFER_SIZE. */
struct nlmsghdr *genl_request(const struct genl *genl, void *buf, uint8_t cmd);

/**
 * genl_put_vif - ask for a VIF and those below it
 * @request: it has nothing else of any length
 * @device: the attribute of the device's name
 * @below: that of the path below it
 * @path: as "eth0/web"
 *
 * Return: 0, or -1 and ENOENT: it is too long for any VIF's.
 */
int genl_put_vif(struct nlmsghdr *request, uint16_t device, uint16_t below,
		 const char *path);

/**
 * genl_request_vifs - begin a request for VIFs
 * @genl: the family
 * @buf: of MNL_SOCKET_BUFFER_SIZE
 * @path: the VIF to start with, and those below it; NULL for all devices
 * @with_counters: and what they have counted
 *
 * Return: the request, or NULL and ENOENT: @path is too long for any VIF's.
 */
struct nlmsghdr *genl_request_vifs(const struct genl *genl, void *buf,
				   const char *path, bool with_counters);

#endif
