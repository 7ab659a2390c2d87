// SPDX-License-Identifier: GPL-2.0
/*
 * verdicts - accept all packets of a queue of netfilter's, as an application firewall does
 *
 *	verdicts QUEUE
 *
 * It says `ready` when the queue is its own, and ends with a signal.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

static struct mnl_socket *netlink;
static unsigned int queue;

static void put(int type, uint16_t attribute, size_t bytes, const void *data)
{
	char buf[MNL_NLMSG_HDRLEN + 256];
	struct nlmsghdr *head = mnl_nlmsg_put_header(buf);
	struct nfgenmsg *gen;

	head->nlmsg_type = NFNL_SUBSYS_QUEUE << 8 | type;
	head->nlmsg_flags = NLM_F_REQUEST;
	gen = mnl_nlmsg_put_extra_header(head, sizeof(*gen));
	gen->version = NFNETLINK_V0;
	gen->res_id = htons(queue);
	mnl_attr_put(head, attribute, bytes, data);
	if (mnl_socket_sendto(netlink, head, head->nlmsg_len) < 0)
		die("sendto");
}

static int accept_one(const struct nlattr *attr, void *data)
{
	const struct nfqnl_msg_packet_hdr *packet = mnl_attr_get_payload(attr);
	struct nfqnl_msg_verdict_hdr verdict = { .verdict = htonl(NF_ACCEPT) };

	(void)data;
	if (mnl_attr_get_type(attr) != NFQA_PACKET_HDR)
		return MNL_CB_OK;
	verdict.id = packet->packet_id;
	put(NFQNL_MSG_VERDICT, NFQA_VERDICT_HDR, sizeof(verdict), &verdict);
	return MNL_CB_STOP;
}

static int accept_packet(const struct nlmsghdr *head, void *data)
{
	return mnl_attr_parse(head, sizeof(struct nfgenmsg), accept_one, data) < 0 ?
	       MNL_CB_ERROR : MNL_CB_OK;
}

int main(int argc, char **argv)
{
	static const struct nfqnl_msg_config_cmd bind_it = { .command = NFQNL_CFG_CMD_BIND };
	static const struct nfqnl_msg_config_params params = { .copy_mode = NFQNL_COPY_META };
	static char buf[1 << 16];
	ssize_t n;

	if (argc != 2) {
		fputs("usage: verdicts QUEUE\n", stderr);
		return 2;
	}
	queue = strtoul(argv[1], NULL, 10);
	stop_on_signals(0);
	netlink = mnl_socket_open(NETLINK_NETFILTER);
	if (!netlink || mnl_socket_bind(netlink, 0, MNL_SOCKET_AUTOPID) < 0)
		die("netlink");
	put(NFQNL_MSG_CONFIG, NFQA_CFG_CMD, sizeof(bind_it), &bind_it);
	put(NFQNL_MSG_CONFIG, NFQA_CFG_PARAMS, sizeof(params), &params);
	puts("ready");
	fflush(stdout);
	while (!stopped) {
		n = mnl_socket_recvfrom(netlink, buf, sizeof(buf));
		if (n > 0 && mnl_cb_run(buf, n, 0, 0, accept_packet, NULL) < MNL_CB_STOP)
			die("a message");
	}
	return 0;
}
