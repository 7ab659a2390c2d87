// SPDX-License-Identifier: GPL-2.0
/* RTM_NEWLINK: sent for changes, too; all bits of ifi_change are set for a new device. */
#include "devices.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "log.h"
#include "netlink.h"

static struct mnl_socket *nl;

struct told {
	devices_told f;
	void *arg;
	bool is_new;
};

int devices_open(void)
{
	nl = netlink_open(NETLINK_ROUTE, RTMGRP_LINK, SOCK_NONBLOCK);
	if (nl)
		return mnl_socket_get_fd(nl);
	log_say(LOG_ERROR, "rtnetlink: %s", strerror(errno));
	return -1;
}

static int read_attribute(const struct nlattr *attribute, void *arg)
{
	const struct told *told = arg;

	if (mnl_attr_get_type(attribute) == IFLA_IFNAME &&
	    !mnl_attr_validate(attribute, MNL_TYPE_NUL_STRING))
		told->f(mnl_attr_get_str(attribute), told->is_new, told->arg);
	return MNL_CB_OK;
}

static int read_message(const struct nlmsghdr *header, void *arg)
{
	const struct ifinfomsg *device = mnl_nlmsg_get_payload(header);
	struct told *told = arg;

	if (header->nlmsg_type != RTM_NEWLINK ||
	    mnl_nlmsg_get_payload_len(header) < sizeof(*device))
		return MNL_CB_OK;
	told->is_new = device->ifi_change == ~0U;
	mnl_attr_parse(header, sizeof(*device), read_attribute, told);
	return MNL_CB_OK;
}

/* What is lost is one of many devices: the next change of it tells again. */
void devices_read(devices_told f, void *arg)
{
	static char buffer[32768] __attribute__((aligned(MNL_ALIGNTO)));
	struct told told = { .f = f, .arg = arg };
	ssize_t bytes;

	while ((bytes = mnl_socket_recvfrom(nl, buffer, sizeof(buffer))) > 0 ||
	       (bytes < 0 && errno == ENOBUFS))
		if (bytes > 0)
			mnl_cb_run(buffer, bytes, 0, 0, read_message, &told);
}
