/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family of the module. */
#ifndef NETNICE_GENL_H
#define NETNICE_GENL_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nnfs.h"

struct genl {
	struct mnl_socket *sock;
	uint16_t family;
	uint32_t group;		/* multicast group of events */
	FILE *copy;		/* messages of VIFs are copied to it; or NULL */
};

/* Open a socket and find the family. Return: 0, or -1, errno and a sentence. */
int genl_find(struct genl *genl, char why[NNFS_SENTENCE_MAX]);

/* Do the same, and subscribe to events. */
int genl_find_events(struct genl *genl, char why[NNFS_SENTENCE_MAX]);

/* Also subscribe to notices of families that come and go. Return: 0, or -1, errno and a sentence. */
int genl_watch_family(struct genl *genl, char why[NNFS_SENTENCE_MAX]);

/**
 * genl_take_notice - handle such a notice
 * @genl: the family
 * @message: a message of the subscription
 *
 * When the module was loaded again, the family has another number, and its events are subscribed to again.
 *
 * Return: 1: the family has gone or has come, so that events were lost; 0: the message is no such notice; or
 * -1 and errno: the events cannot be subscribed to.
 */
int genl_take_notice(struct genl *genl, const struct nlmsghdr *message);

void genl_close(struct genl *genl);

/* Begin a request in @buf, of MNL_SOCKET_BUFFER_SIZE bytes. */
struct nlmsghdr *genl_request(const struct genl *genl, void *buf, uint8_t cmd);

/**
 * genl_put_vif - ask for a VIF and those below it
 * @request: a request without other attributes of variable length
 * @device: the attribute for the device's name
 * @below: the attribute for the path below the device
 * @path: the VIF, for example "eth0/web"
 *
 * Return: 0, or -1 and ENOENT: @path is longer than the path of any VIF.
 */
int genl_put_vif(struct nlmsghdr *request, uint16_t device, uint16_t below,
		 const char *path);

/**
 * genl_request_vifs - begin a request for VIFs
 * @genl: the family
 * @buf: MNL_SOCKET_BUFFER_SIZE bytes
 * @path: a VIF, for it and all below it; NULL: all VIFs of all devices
 * @with_counters: also ask for the counters
 *
 * Return: the request, or NULL and ENOENT: @path is longer than the path of any VIF.
 */
struct nlmsghdr *genl_request_vifs(const struct genl *genl, void *buf,
				   const char *path, bool with_counters);

#endif
