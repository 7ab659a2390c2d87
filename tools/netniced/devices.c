// SPDX-License-Identifier: GPL-2.0
/*
 * RTM_NEWLINK is also sent for changes; for a new device all bits of ifi_change are set. A device
 * that is renamed, for example by udev, is recognized by its number: so names are stored.
 */
#include "devices.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "array.h"
#include "log.h"
#include "netlink.h"

/* Messages that are read in one turn; then other sources have their turn. */
#define MOST		64

static struct mnl_socket *nl;

/* --- names ------------------------------------------------------------------------- */

/* @altnames: IFLA_PROP_LIST of the last message; NULL: unknown */
struct device {
	unsigned int index;
	char name[IF_NAMESIZE];
	struct nlattr *altnames;
};

static struct device *devices;
static size_t count;

static struct device *find(unsigned int index)
{
	for (size_t i = 0; i < count; i++)
		if (devices[i].index == index)
			return &devices[i];
	return NULL;
}

/* Return: whether it did not have that name before. */
static bool note(unsigned int index, const char *name)
{
	struct device *device = find(index) ?: array_add(&devices, &count, sizeof(*device));
	bool is_new;

	if (!device)
		abort();
	is_new = device->index != index || strcmp(device->name, name);
	device->index = index;
	snprintf(device->name, sizeof(device->name), "%s", name);
	return is_new;
}

/* Return: the names have changed, or were not known. */
static bool note_altnames(struct device *device, const struct nlattr *altnames)
{
	if (device->altnames && device->altnames->nla_len == altnames->nla_len &&
	    !memcmp(device->altnames, altnames, altnames->nla_len))
		return false;
	free(device->altnames);
	device->altnames = malloc(altnames->nla_len);
	if (!device->altnames)
		abort();
	memcpy(device->altnames, altnames, altnames->nla_len);
	return true;
}

static void forget_altnames(struct device *device)
{
	free(device->altnames);
	device->altnames = NULL;
}

static void forget(unsigned int index)
{
	struct device *device = find(index);

	if (device) {
		forget_altnames(device);
		*device = devices[--count];
	}
	if (count)
		return;
	free(devices);
	devices = NULL;
}

/* All there are. @f: called with those that have come, or are called otherwise; or NULL */
static void list(devices_told f, void *arg)
{
	struct if_nameindex *all = if_nameindex();
	char name[IF_NAMESIZE];

	for (size_t i = count; i-- > 0;) {
		forget_altnames(&devices[i]);
		if (!if_indextoname(devices[i].index, name))
			forget(devices[i].index);
	}
	for (struct if_nameindex *one = all; one && one->if_index; one++)
		if (note(one->if_index, one->if_name) && f)
			f(one->if_name, true, true, arg);
	if (all)
		if_freenameindex(all);
}

/* --- messages ---------------------------------------------------------------------- */

struct told {
	devices_told f;
	void *arg;
};

/* The device in a message; NULL: none */
struct message {
	const char *name;
	const struct nlattr *altnames;
	bool has_mtu;
};

int devices_open(void)
{
	nl = netlink_open(NETLINK_ROUTE, RTMGRP_LINK, SOCK_NONBLOCK);
	if (!nl) {
		log_say(LOG_ERROR, "rtnetlink: %s", strerror(errno));
		return -1;
	}
	list(NULL, NULL);
	return mnl_socket_get_fd(nl);
}

static int read_attribute(const struct nlattr *attribute, void *arg)
{
	struct message *message = arg;

	switch (mnl_attr_get_type(attribute)) {
	case IFLA_IFNAME:
		if (mnl_attr_validate(attribute, MNL_TYPE_NUL_STRING) >= 0)
			message->name = mnl_attr_get_str(attribute);
		break;
	case IFLA_PROP_LIST:
		message->altnames = attribute;
		break;
	case IFLA_MTU:
		message->has_mtu = true;
		break;
	}
	return MNL_CB_OK;
}

/*
 * A container that may change its end of a veth has the host told of the other end as often as it likes:
 * then nothing is new. Wireless events, without an MTU, and a bridge's say nothing of alternative names.
 */
static void read_device(const struct nlmsghdr *header, const struct ifinfomsg *device,
			const struct told *told)
{
	static const struct nlattr none = { .nla_len = sizeof(none), .nla_type = IFLA_PROP_LIST };
	struct message message = { 0 };
	bool is_new, is_called = false;

	mnl_attr_parse(header, sizeof(*device), read_attribute, &message);
	if (!message.name)
		return;
	is_new = note(device->ifi_index, message.name);
	if (device->ifi_family == AF_UNSPEC && message.has_mtu)
		is_called = note_altnames(find(device->ifi_index), message.altnames ?: &none);
	told->f(message.name, is_new || device->ifi_change == ~0U, is_called, told->arg);
}

static int read_message(const struct nlmsghdr *header, void *arg)
{
	const struct ifinfomsg *device = mnl_nlmsg_get_payload(header);

	if (mnl_nlmsg_get_payload_len(header) < sizeof(*device))
		return MNL_CB_OK;
	if (header->nlmsg_type == RTM_NEWLINK)
		read_device(header, device, arg);
	/* a bridge tells of its port's end so, too */
	else if (header->nlmsg_type == RTM_DELLINK && device->ifi_family == AF_UNSPEC)
		forget(device->ifi_index);
	return MNL_CB_OK;
}

void devices_read(devices_told f, void *arg)
{
	static char buffer[32768] __attribute__((aligned(MNL_ALIGNTO)));
	struct told told = { .f = f, .arg = arg };
	ssize_t bytes;

	for (int i = 0; i < MOST; i++) {
		bytes = netlink_receive(mnl_socket_get_fd(nl), buffer, sizeof(buffer));
		if (bytes > 0)
			mnl_cb_run(buffer, bytes, 0, 0, read_message, &told);
		else if (bytes < 0 && errno == ENOBUFS)
			list(f, arg);
		else if (bytes < 0)
			return;
	}
}
