// SPDX-License-Identifier: GPL-2.0
/*
 * netkit - make a pair of netkit devices of layer 2, which older versions of ip cannot
 *
 *	netkit NAME PEER
 */
#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

/* of if_link.h, which may be older */
#define NETKIT_PEER_INFO 1
#define NETKIT_MODE 5
#define NETKIT_LAYER_2 0

int main(int argc, char **argv)
{
	char buf[1024];
	struct nlmsghdr *head = mnl_nlmsg_put_header(buf);
	struct mnl_socket *netlink = mnl_socket_open(NETLINK_ROUTE);
	struct nlattr *info, *data, *peer;
	ssize_t n;

	if (argc != 3) {
		fputs("usage: netkit NAME PEER\n", stderr);
		return 2;
	}
	head->nlmsg_type = RTM_NEWLINK;
	head->nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK;
	mnl_nlmsg_put_extra_header(head, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(head, IFLA_IFNAME, argv[1]);
	info = mnl_attr_nest_start(head, IFLA_LINKINFO);
	mnl_attr_put_strz(head, IFLA_INFO_KIND, "netkit");
	data = mnl_attr_nest_start(head, IFLA_INFO_DATA);
	mnl_attr_put_u32(head, NETKIT_MODE, NETKIT_LAYER_2);
	peer = mnl_attr_nest_start(head, NETKIT_PEER_INFO);
	mnl_nlmsg_put_extra_header(head, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(head, IFLA_IFNAME, argv[2]);
	mnl_attr_nest_end(head, peer);
	mnl_attr_nest_end(head, data);
	mnl_attr_nest_end(head, info);
	if (!netlink || mnl_socket_bind(netlink, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    mnl_socket_sendto(netlink, head, head->nlmsg_len) < 0)
		die("netlink");
	n = mnl_socket_recvfrom(netlink, buf, sizeof(buf));
	if (n < 0 || mnl_cb_run(buf, n, 0, mnl_socket_get_portid(netlink), NULL, NULL) < 0)
		die("netkit");
	return 0;
}
