// SPDX-License-Identifier: GPL-2.0
#include "redirect.h"

#include <libmnl/libmnl.h>
#include <linux/bpf.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "netlink.h"

/* Since Linux 6.6, and 6.7: linux/bpf.h may be older. */
#define TCX_INGRESS	46
#define NETKIT_PEER	55

static bool has_program(unsigned int ifindex, unsigned int where)
{
	union bpf_attr attr = { .query.target_fd = ifindex, .query.attach_type = where };

	return !syscall(SYS_bpf, BPF_PROG_QUERY, &attr, sizeof(attr)) && attr.query.prog_cnt;
}

static int note_filter(const struct nlmsghdr *answer, void *arg)
{
	bool *has = arg;

	(void)answer;
	*has = true;
	return MNL_CB_OK;
}

static bool has_filter(unsigned int ifindex)
{
	struct mnl_socket *sock = netlink_open(NETLINK_ROUTE, 0, 0);
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request;
	struct tcmsg *tc;
	bool has = false;

	if (!sock)
		return false;
	request = mnl_nlmsg_put_header(buf);
	request->nlmsg_type = RTM_GETTFILTER;
	tc = mnl_nlmsg_put_extra_header(request, sizeof(*tc));
	tc->tcm_family = AF_UNSPEC;
	tc->tcm_ifindex = ifindex;
	tc->tcm_parent = TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS);
	netlink_ask(sock, request, NLM_F_DUMP, note_filter, &has);
	mnl_socket_close(sock);
	return has;
}

bool redirect_is_possible(unsigned int ifindex)
{
	return has_filter(ifindex) || has_program(ifindex, TCX_INGRESS) ||
	       has_program(ifindex, NETKIT_PEER);
}
