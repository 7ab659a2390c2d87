// SPDX-License-Identifier: GPL-2.0
/*
 * Network devices by name and flags. The kernel is asked, not /sys: a mount
 * of /sys may show another network namespace than the caller's.
 */
#include "netdev.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "array.h"

/* The kernel would leave out what stands behind a colon: an alias of an address. */
static bool is_alias(const char *word)
{
	return strchr(word, ':');
}

bool netdev_find(const char *word, char name[IF_NAMESIZE])
{
	unsigned int index = is_alias(word) ? 0 : if_nametoindex(word);

	return index && if_indextoname(index, name);
}

const char *netdev_hint(const char *word)
{
	return is_alias(word) ? " (an alias of an address is none: give the name before the colon)" :
				"";
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
	/* AF_UNIX: devices are there without IPv4, too. */
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
