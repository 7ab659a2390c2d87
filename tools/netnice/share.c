// SPDX-License-Identifier: GPL-2.0
#include "share.h"

#include <libmnl/libmnl.h>
#include <limits.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"

#define QDISC_KIND	"netnice"

/* In one of the lines "egress RATE" and "ingress RATE" there is one. */
static bool has_limit(const char *text, const char *direction)
{
	char word[16], rate[32];
	int len;

	for (; sscanf(text, "%15s %31s%n", word, rate, &len) == 2; text += len)
		if ((!direction || !strcmp(word, direction)) && strcmp(rate, "max"))
			return true;
	return false;
}

/* What may not be read is taken for a limit: nothing wrong is said then. */
static bool is_limited(const struct nnfs *fs, const char *vif,
		       const char *direction)
{
	char file[PATH_MAX], *text;
	bool is;

	snprintf(file, sizeof(file), "%s/bandwidth", vif);
	text = nnfs_read(fs->fd, file);
	is = !text || has_limit(text, direction);
	free(text);
	return is;
}

static int look_at_qdisc(const struct nlmsghdr *answer, void *drains)
{
	const struct tcmsg *tc = mnl_nlmsg_get_payload(answer);
	const struct nlattr *attr;

	if (tc->tcm_ifindex != *(int *)drains)
		return MNL_CB_OK;
	mnl_attr_for_each(attr, answer, sizeof(*tc))
		if (mnl_attr_get_type(attr) == TCA_KIND &&
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0 &&
		    !strcmp(mnl_attr_get_str(attr), QDISC_KIND))
			*(int *)drains = 0;
	return MNL_CB_OK;
}

/* @ifindex becomes 0 where there is such a qdisc. Return: whether all were seen. */
static bool look_at_qdiscs(struct mnl_socket *sock, int *ifindex)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buf);
	struct tcmsg *tc;

	request->nlmsg_type = RTM_GETQDISC;
	tc = mnl_nlmsg_put_extra_header(request, sizeof(*tc));
	tc->tcm_family = AF_UNSPEC;
	tc->tcm_ifindex = *ifindex;
	return !dump_run(sock, request, look_at_qdisc, ifindex);
}

/* The device drains its VIFs itself; also said where that is unknown. */
static bool is_drained_by_device(const char *dev)
{
	struct mnl_socket *sock = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	int ifindex = if_nametoindex(dev);
	bool seen;

	if (!sock)
		return true;
	seen = !mnl_socket_bind(sock, 0, MNL_SOCKET_AUTOPID) &&
	       look_at_qdiscs(sock, &ifindex);
	mnl_socket_close(sock);
	return !seen || !ifindex;
}

bool share_counts(const struct nnfs *fs, const char *path, const char *dev,
		  const char *direction)
{
	char *vif = strdup(path), *slash;
	bool limited = !vif;

	while (!limited && (slash = strrchr(vif, '/'))) {
		*slash = '\0';
		limited = is_limited(fs, vif, direction);
	}
	free(vif);
	if (limited)
		return true;
	return (!direction || strcmp(direction, "ingress")) &&
	       is_drained_by_device(dev);
}
