// SPDX-License-Identifier: GPL-2.0
#include "userns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The kernel does not show its owner to namespaces below. */
bool userns_is_below(void)
{
	int net = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int user = net < 0 ? -1 : ioctl(net, NS_GET_USERNS);
	bool is = net >= 0 && user < 0 && errno == EPERM;

	if (user >= 0)
		close(user);
	if (net >= 0)
		close(net);
	return is;
}

/* The map converts our numbers to numbers of the next user namespace above. */
static uid_t number_above(uid_t uid)
{
	FILE *map = fopen("/proc/self/uid_map", "re");
	unsigned int begin, above, count;
	uid_t number = uid;

	while (map && fscanf(map, "%u %u %u", &begin, &above, &count) == 3)
		if (uid >= begin && uid - begin < count)
			number = above + (uid - begin);
	if (map)
		fclose(map);
	return number;
}

uid_t userns_number(void)
{
	return userns_is_below() ? number_above(geteuid()) : geteuid();
}
