// SPDX-License-Identifier: GPL-2.0
/*
 * Network devices by name and flags. They come from the kernel, not from /sys: a mount of /sys may
 * show another network namespace than the caller's.
 */
#include "netdev.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "array.h"
#include "nearest.h"
#include "netlink.h"

#define ALTNAME_BYTES	128	/* as the kernel has it, with its end */

/* The kernel would leave out what stands behind a colon: an alias of an address. */
static bool is_alias(const char *word)
{
	return strchr(word, ':');
}

static int take_index(const struct nlmsghdr *message, void *index)
{
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(message);

	*(unsigned int *)index = info->ifi_index;
	return MNL_CB_OK;
}

/* Alternative names (ip-link(8)) may be longer than what ioctl(2) takes. Return: 0: none */
static unsigned int find_long(const char *name)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buf);
	struct mnl_socket *sock = netlink_open(NETLINK_ROUTE, 0, 0);
	unsigned int index = 0;

	if (!sock)
		return 0;
	request->nlmsg_type = RTM_GETLINK;
	mnl_nlmsg_put_extra_header(request, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(request, IFLA_ALT_IFNAME, name);
	if (netlink_ask(sock, request, NLM_F_ACK, take_index, &index))
		index = 0;
	mnl_socket_close(sock);
	return index;
}

static unsigned int find_index(const char *word, size_t length)
{
	char name[ALTNAME_BYTES];

	if (length >= sizeof(name) || is_alias(word))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)length, word);
	return length < IF_NAMESIZE ? if_nametoindex(name) : find_long(name);
}

bool netdev_find(const char *word, char name[IF_NAMESIZE])
{
	unsigned int index = find_index(word, strlen(word));
	const char *peer = strrchr(word, '@');

	/* as ip(8) prints one that has another end: eth0@if3 */
	if (!index && peer)
		index = find_index(word, peer - word);
	return index && if_indextoname(index, name);
}

const char *netdev_hint(const char *word)
{
	static char text[NEAREST_BYTES];
	struct nearest nearest = { 0 };
	struct if_nameindex *all;

	if (is_alias(word))
		return " (an alias of an address is none: give the name before the colon)";
	if (strchr(word, ','))
		return " (give one device, or the option once for each)";
	all = if_nameindex();
	for (size_t i = 0; all && all[i].if_name; i++)
		nearest_try(&nearest, word, all[i].if_name);
	nearest_hint(&nearest, text);
	if (all)
		if_freenameindex(all);
	return text;
}

int netdev_list_add(struct netdev_list *list, const char *name)
{
	char (*added)[IF_NAMESIZE];

	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->name[i], name))
			return 0;
	added = array_add(&list->name, &list->count, sizeof(*added));
	if (!added)
		return -1;
	snprintf(*added, sizeof(*added), "%s", name);
	return 0;
}

void netdev_list_free(struct netdev_list *list)
{
	free(list->name);
}

static bool is_up_and_no_loopback(int sock, const char *name)
{
	struct ifreq request = { 0 };

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	if (ioctl(sock, SIOCGIFFLAGS, &request))
		return false;
	return (request.ifr_flags & IFF_UP) &&
	       !(request.ifr_flags & IFF_LOOPBACK);
}

int netdev_list_add_up(struct netdev_list *list)
{
	/* A socket of AF_UNIX works for this on kernels without IPv4, too. */
	int sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct if_nameindex *all = if_nameindex();
	int ret = sock < 0 || !all ? -1 : 0;

	for (size_t i = 0; !ret && all[i].if_name; i++)
		if (is_up_and_no_loopback(sock, all[i].if_name))
			ret = netdev_list_add(list, all[i].if_name);
	if (all)
		if_freenameindex(all);
	if (sock >= 0)
		close(sock);
	return ret;
}

unsigned long long netdev_speed_bytes_per_s(const char *name)
{
	struct ethtool_cmd command = { .cmd = ETHTOOL_GSET };
	struct ifreq request = { .ifr_data = (char *)&command };
	int sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	unsigned int mbit_per_s = 0;

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	if (sock >= 0 && !ioctl(sock, SIOCETHTOOL, &request))
		mbit_per_s = ethtool_cmd_speed(&command);
	if (sock >= 0)
		close(sock);
	return mbit_per_s == (unsigned int)SPEED_UNKNOWN ? 0 : mbit_per_s * 125000ULL;
}
