// SPDX-License-Identifier: GPL-2.0
#include "qdisc.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "netlink.h"

struct looking {
	int ifindex;
	void (*take)(uint32_t parent, const char *kind, void *arg);
	void *arg;
};

static int look_at(const struct nlmsghdr *answer, void *arg)
{
	const struct tcmsg *tc = mnl_nlmsg_get_payload(answer);
	const struct looking *looking = arg;
	const struct nlattr *attr;

	/* older kernels return the qdiscs of all devices */
	if (tc->tcm_ifindex != looking->ifindex)
		return MNL_CB_OK;
	mnl_attr_for_each(attr, answer, sizeof(*tc))
		if (mnl_attr_get_type(attr) == TCA_KIND &&
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
			looking->take(tc->tcm_parent, mnl_attr_get_str(attr),
				      looking->arg);
	return MNL_CB_OK;
}

int qdisc_each(int ifindex,
	       void (*take)(uint32_t parent, const char *kind, void *arg),
	       void *arg)
{
	struct mnl_socket *sock = netlink_open(NETLINK_ROUTE, 0, 0);
	struct looking looking = { ifindex, take, arg };
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request;
	struct tcmsg *tc;
	int ret, err;

	if (!sock)
		return -1;
	request = mnl_nlmsg_put_header(buf);
	request->nlmsg_type = RTM_GETQDISC;
	tc = mnl_nlmsg_put_extra_header(request, sizeof(*tc));
	tc->tcm_family = AF_UNSPEC;
	tc->tcm_ifindex = ifindex;
	ret = netlink_ask(sock, request, NLM_F_DUMP, look_at, &looking);
	err = errno;
	mnl_socket_close(sock);
	errno = err;
	return ret;
}
