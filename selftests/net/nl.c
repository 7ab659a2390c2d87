// SPDX-License-Identifier: GPL-2.0
/*
 * A plain reader of the netlink family: a line for each message, of words KEY=VALUE.
 *
 * usage: nl [-q] [-u UID] vifs|vif|attachments|attachment [KEY=VALUE...]
 *        nl [-u UID] events
 *        nl [-u UID] listeners N: that many sockets get events, which nothing reads
 *	-q: only how many there were, and how long that took
 *	-u: open the socket as this user, and use it as root
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/netnice_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

enum type { NONE, U32, S32, U64, TEXT, FLAG, NEST, ARRAY };

struct attr {
	const char *name;
	enum type type;
	const struct set *in;
};

struct set {
	const struct attr *attr;
	unsigned int max;
};

#define SET(name, attrs) \
	static const struct set name = { attrs, sizeof(attrs) / sizeof(*attrs) - 1 }

static const struct attr stat_attrs[NETNICE_A_STAT_MAX + 1] = {
	[NETNICE_A_STAT_PACKETS] = { "packets", U64, 0 },
	[NETNICE_A_STAT_BYTES] = { "bytes", U64, 0 },
	[NETNICE_A_STAT_DROPS] = { "drops", U64, 0 },
	[NETNICE_A_STAT_MARKS] = { "marks", U64, 0 },
	[NETNICE_A_STAT_OVERLIMITS] = { "overlimits", U64, 0 },
	[NETNICE_A_STAT_P_QUEUE_PACKETS] = { "p_queue_packets", U64, 0 },
	[NETNICE_A_STAT_P_QUEUE_BYTES] = { "p_queue_bytes", U64, 0 },
	[NETNICE_A_STAT_D_QUEUE_PACKETS] = { "d_queue_packets", U64, 0 },
	[NETNICE_A_STAT_D_QUEUE_BYTES] = { "d_queue_bytes", U64, 0 },
	[NETNICE_A_STAT_SOJOURN_MIN] = { "sojourn_min", U64, 0 },
	[NETNICE_A_STAT_SOJOURN_MEAN] = { "sojourn_mean", U64, 0 },
	[NETNICE_A_STAT_SOJOURN_P99] = { "sojourn_p99", U64, 0 },
	[NETNICE_A_STAT_SOJOURN_MAX] = { "sojourn_max", U64, 0 },
	[NETNICE_A_STAT_SOJOURN_HISTOGRAM] = { "histogram", ARRAY, 0 },
	[NETNICE_A_STAT_ACK_DROPS] = { "ack_drops", U64, 0 },
};

SET(stat_set, stat_attrs);

static const struct attr side_attrs[NETNICE_A_DIR_MAX + 1] = {
	[NETNICE_A_DIR_BANDWIDTH] = { "bandwidth", U64, 0 },
	[NETNICE_A_DIR_BURST_BYTES] = { "burst_bytes", U64, 0 },
	[NETNICE_A_DIR_BURST_NS] = { "burst_ns", U64, 0 },
	[NETNICE_A_DIR_WEIGHT] = { "weight", U32, 0 },
	[NETNICE_A_DIR_PRIORITY] = { "priority", U32, 0 },
	[NETNICE_A_DIR_LOCAL_WEIGHT] = { "local_weight", U32, 0 },
	[NETNICE_A_DIR_LOCAL_PRIORITY] = { "local_priority", U32, 0 },
	[NETNICE_A_DIR_LIMIT_BYTES] = { "limit_bytes", U32, 0 },
	[NETNICE_A_DIR_LIMIT_PACKETS] = { "limit_packets", U32, 0 },
	[NETNICE_A_DIR_LIMIT_MAX] = { "limit_max", FLAG, 0 },
	[NETNICE_A_DIR_AQM] = { "aqm", U32, 0 },
	[NETNICE_A_DIR_AQM_TARGET_US] = { "target_us", U32, 0 },
	[NETNICE_A_DIR_AQM_INTERVAL_US] = { "interval_us", U32, 0 },
	[NETNICE_A_DIR_AQM_NO_ACK_FILTER] = { "no_ack_filter", FLAG, 0 },
	[NETNICE_A_DIR_FAIR] = { "fair", U32, 0 },
	[NETNICE_A_DIR_STAT] = { "stat", NEST, &stat_set },
	[NETNICE_A_DIR_MINIMUM] = { "minimum", U64, 0 },
	[NETNICE_A_DIR_OVERHEAD] = { "overhead", S32, 0 },
	[NETNICE_A_DIR_MPU] = { "mpu", U32, 0 },
	[NETNICE_A_DIR_FRAMING] = { "framing", U32, 0 },
	[NETNICE_A_DIR_CLASS] = { "class", U32, 0 },
	[NETNICE_A_DIR_GROUP] = { "group", U32, 0 },
	[NETNICE_A_DIR_PROGRAM] = { "program", U32, 0 },
	[NETNICE_A_DIR_PROGRAM_UID] = { "program_uid", U32, 0 },
	[NETNICE_A_DIR_DSCP] = { "dscp", U32, 0 },
	[NETNICE_A_DIR_DSCP_FORCE] = { "dscp_force", FLAG, 0 },
	[NETNICE_A_DIR_MARK] = { "mark", U32, 0 },
	[NETNICE_A_DIR_MARK_MASK] = { "mark_mask", U32, 0 },
	[NETNICE_A_DIR_MARK_FORCE] = { "mark_force", FLAG, 0 },
	[NETNICE_A_DIR_SKB_PRIORITY] = { "skb_priority", U32, 0 },
	[NETNICE_A_DIR_SKB_PRIORITY_FORCE] = { "skb_priority_force", FLAG, 0 },
	[NETNICE_A_DIR_QUOTA_BYTES] = { "quota_bytes", U64, 0 },
	[NETNICE_A_DIR_QUOTA_LEFT] = { "quota_left", U64, 0 },
	[NETNICE_A_DIR_QUOTA_THEN] = { "quota_then", U64, 0 },
};

SET(side_set, side_attrs);

static const struct attr vif_attrs[NETNICE_A_VIF_MAX + 1] = {
	[NETNICE_A_VIF_IFINDEX] = { "ifindex", U32, 0 },
	[NETNICE_A_VIF_DEVICE] = { "device", TEXT, 0 },
	[NETNICE_A_VIF_PATH] = { "path", TEXT, 0 },
	[NETNICE_A_VIF_ID] = { "id", U64, 0 },
	[NETNICE_A_VIF_PARENT_ID] = { "parent_id", U64, 0 },
	[NETNICE_A_VIF_UID] = { "uid", U32, 0 },
	[NETNICE_A_VIF_GID] = { "gid", U32, 0 },
	[NETNICE_A_VIF_MODE] = { "mode", U32, 0 },
	[NETNICE_A_VIF_AUTOREMOVE] = { "autoremove", U32, 0 },
	[NETNICE_A_VIF_EGRESS] = { "egress", NEST, &side_set },
	[NETNICE_A_VIF_INGRESS] = { "ingress", NEST, &side_set },
	[NETNICE_A_VIF_STAT] = { "stat", FLAG, 0 },
	[NETNICE_A_VIF_OLD_PATH] = { "old_path", TEXT, 0 },
	[NETNICE_A_VIF_STACK] = { "stack", TEXT, 0 },
};

SET(vif_set, vif_attrs);

static const struct attr attachment_attrs[NETNICE_A_ATTACHMENT_MAX + 1] = {
	[NETNICE_A_ATTACHMENT_VIF_ID] = { "id", U64, 0 },
	[NETNICE_A_ATTACHMENT_IFINDEX] = { "ifindex", U32, 0 },
	[NETNICE_A_ATTACHMENT_DEVICE] = { "device", TEXT, 0 },
	[NETNICE_A_ATTACHMENT_PATH] = { "path", TEXT, 0 },
	[NETNICE_A_ATTACHMENT_KIND] = { "kind", U32, 0 },
	[NETNICE_A_ATTACHMENT_ORIGIN] = { "origin", U32, 0 },
	[NETNICE_A_ATTACHMENT_PID] = { "pid", U32, 0 },
	[NETNICE_A_ATTACHMENT_TID] = { "tid", U32, 0 },
	[NETNICE_A_ATTACHMENT_COMM] = { "comm", TEXT, 0 },
	[NETNICE_A_ATTACHMENT_COOKIE] = { "cookie", U64, 0 },
	[NETNICE_A_ATTACHMENT_FAMILY] = { "family", U32, 0 },
	[NETNICE_A_ATTACHMENT_TYPE] = { "type", U32, 0 },
	[NETNICE_A_ATTACHMENT_PROTOCOL] = { "protocol", U32, 0 },
	[NETNICE_A_ATTACHMENT_CGROUP_ID] = { "cgroup_id", U64, 0 },
	[NETNICE_A_ATTACHMENT_CGROUP] = { "cgroup", TEXT, 0 },
	[NETNICE_A_ATTACHMENT_FROM_IFINDEX] = { "from_ifindex", U32, 0 },
	[NETNICE_A_ATTACHMENT_FROM_DEVICE] = { "from_device", TEXT, 0 },
	[NETNICE_A_ATTACHMENT_PORT] = { "port", U32, 0 },
	[NETNICE_A_ATTACHMENT_GIVEN] = { "given", TEXT, 0 },
	[NETNICE_A_ATTACHMENT_CHOSEN] = { "chosen", TEXT, 0 },
	[NETNICE_A_ATTACHMENT_BASE] = { "base", TEXT, 0 },
};

SET(attachment_set, attachment_attrs);

static const struct command {
	const char *name;
	const struct set *set;
} commands[NETNICE_CMD_MAX + 1] = {
	[NETNICE_CMD_VIF_GET] = { "vif", &vif_set },
	[NETNICE_CMD_ATTACHMENT_GET] = { "attachment", &attachment_set },
	[NETNICE_CMD_VIF_NEW] = { "vif-new", &vif_set },
	[NETNICE_CMD_VIF_DEL] = { "vif-del", &vif_set },
	[NETNICE_CMD_VIF_SET] = { "vif-set", &vif_set },
	[NETNICE_CMD_VIF_MOVE] = { "vif-move", &vif_set },
	[NETNICE_CMD_ATTACH] = { "attach", &attachment_set },
	[NETNICE_CMD_DETACH] = { "detach", &attachment_set },
};

static char buf[64 * 1024];
static struct mnl_socket *nl;
static unsigned int family, group, seq, messages;
static bool quiet, interrupted;

static void print_array(const struct nlattr *at)
{
	unsigned int i, n = mnl_attr_get_payload_len(at) / 8;
	uint64_t value;

	for (i = 0; i < n; i++) {
		memcpy(&value, (char *)mnl_attr_get_payload(at) + i * 8, 8);
		if (value)
			printf("%u:%llu,", i, (unsigned long long)value);
	}
}

static void print_set(const struct nlattr *begin, size_t len,
		      const struct set *set, const char *prefix)
{
	char below[64];
	const struct nlattr *at;

	for (at = begin; mnl_attr_ok(at, (char *)begin + len - (char *)at);
	     at = mnl_attr_next(at)) {
		unsigned int type = mnl_attr_get_type(at);
		const struct attr *attr;

		if (type > set->max || !set->attr[type].name)
			continue;
		attr = &set->attr[type];
		if (attr->type == NEST) {
			snprintf(below, sizeof(below), "%s%s.", prefix,
				 attr->name);
			print_set(mnl_attr_get_payload(at),
				  mnl_attr_get_payload_len(at), attr->in, below);
			continue;
		}
		printf(" %s%s=", prefix, attr->name);
		if (attr->type == U32)
			printf("%u", mnl_attr_get_u32(at));
		else if (attr->type == S32)
			printf("%d", (int)mnl_attr_get_u32(at));
		else if (attr->type == U64)
			printf("%llu", (unsigned long long)mnl_attr_get_u64(at));
		else if (attr->type == TEXT)
			printf("%s", mnl_attr_get_str(at));
		else if (attr->type == ARRAY)
			print_array(at);
		else
			printf("1");
	}
}

static int print_message(const struct nlmsghdr *nlh, void *arg)
{
	const struct genlmsghdr *head = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *first =
		mnl_nlmsg_get_payload_offset(nlh, sizeof(*head));

	(void)arg;
	messages++;
	if (quiet || head->cmd > NETNICE_CMD_MAX || !commands[head->cmd].name)
		return MNL_CB_OK;
	printf("%s", commands[head->cmd].name);
	print_set(first, (char *)nlh + nlh->nlmsg_len - (char *)first,
		  commands[head->cmd].set, "");
	printf("\n");
	fflush(stdout);
	return MNL_CB_OK;
}

static int find_group(const struct nlattr *groups)
{
	const struct nlattr *one, *at;

	mnl_attr_for_each_nested(one, groups) {
		unsigned int id = 0;
		const char *name = "";

		mnl_attr_for_each_nested(at, one) {
			if (mnl_attr_get_type(at) == CTRL_ATTR_MCAST_GRP_ID)
				id = mnl_attr_get_u32(at);
			if (mnl_attr_get_type(at) == CTRL_ATTR_MCAST_GRP_NAME)
				name = mnl_attr_get_str(at);
		}
		if (!strcmp(name, NETNICE_MCGRP_EVENTS))
			group = id;
	}
	return MNL_CB_OK;
}

static int read_family(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *at;

	(void)arg;
	mnl_attr_for_each(at, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(at) == CTRL_ATTR_FAMILY_ID)
			family = mnl_attr_get_u16(at);
		if (mnl_attr_get_type(at) == CTRL_ATTR_MCAST_GROUPS)
			find_group(at);
	}
	return MNL_CB_OK;
}

/* ends the program, with the sentence of an extended ack */
static void refuse(const struct nlmsghdr *nlh, int err)
{
	const struct nlmsgerr *report = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *at;

	fprintf(stderr, "nl: %s", strerror(err));
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		mnl_attr_for_each(at, nlh, sizeof(*report))
			if (mnl_attr_get_type(at) == NLMSGERR_ATTR_MSG)
				fprintf(stderr, ": %s", mnl_attr_get_str(at));
	fprintf(stderr, "\n");
	exit(1);
}

/* Return: whether more is to come. mnl_cb_run() would stop where a dump was interrupted. */
static bool take(const struct nlmsghdr *nlh,
		 int (*message)(const struct nlmsghdr *nlh, void *arg))
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);

	interrupted |= nlh->nlmsg_flags & NLM_F_DUMP_INTR;
	if (nlh->nlmsg_type == NLMSG_ERROR && err->error)
		refuse(nlh, -err->error);
	if (nlh->nlmsg_type >= NLMSG_MIN_TYPE)
		message(nlh, NULL);
	return nlh->nlmsg_type >= NLMSG_MIN_TYPE;
}

static struct nlmsghdr *request(unsigned int type, unsigned int flags,
				unsigned int cmd)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *head;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = ++seq;
	head = mnl_nlmsg_put_extra_header(nlh, sizeof(*head));
	head->cmd = cmd;
	head->version = 1;
	return nlh;
}

static void receive(int (*message)(const struct nlmsghdr *nlh, void *arg))
{
	const struct nlmsghdr *nlh;
	bool more = true;
	int n;

	while (more) {
		n = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		if (n < 0 && errno == ENOBUFS) {
			puts("lost");
			continue;
		}
		if (n < 0)
			die("recv");
		for (nlh = (void *)buf; more && mnl_nlmsg_ok(nlh, n);
		     nlh = mnl_nlmsg_next(nlh, &n))
			more = take(nlh, message);
	}
}

static void ask(struct nlmsghdr *nlh,
		int (*message)(const struct nlmsghdr *nlh, void *arg))
{
	if (mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0)
		die("send");
	receive(message);
}

static void put(struct nlmsghdr *nlh, const struct set *set, char *word)
{
	char *value = strchr(word, '=');
	unsigned int type;

	if (value)
		*value++ = '\0';
	for (type = 1; type <= set->max; type++)
		if (set->attr[type].name && !strcmp(set->attr[type].name, word))
			break;
	if (type > set->max)
		mnl_attr_put_u32(nlh, 200, 0);
	else if (set->attr[type].type == U32)
		mnl_attr_put_u32(nlh, type, strtoul(value, NULL, 0));
	else if (set->attr[type].type == U64)
		mnl_attr_put_u64(nlh, type, strtoull(value, NULL, 0));
	else if (set->attr[type].type == TEXT)
		mnl_attr_put_strz(nlh, type, value);
	else
		mnl_attr_put(nlh, type, 0, NULL);
}

static void open_socket(uid_t uid)
{
	int one = 1;

	if (uid && syscall(SYS_setresuid, -1, uid, -1))
		die("setresuid");
	nl = mnl_socket_open(NETLINK_GENERIC);
	if (uid && syscall(SYS_setresuid, -1, 0, -1))
		die("setresuid");
	if (!nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0)
		die("netlink");
	mnl_socket_setsockopt(nl, NETLINK_EXT_ACK, &one, sizeof(one));
	mnl_socket_setsockopt(nl, NETLINK_CAP_ACK, &one, sizeof(one));
}

static void find_family(void)
{
	struct nlmsghdr *nlh = request(GENL_ID_CTRL, NLM_F_ACK, CTRL_CMD_GETFAMILY);

	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, NETNICE_FAMILY_NAME);
	ask(nlh, read_family);
}

static void events(void)
{
	find_family();
	if (mnl_socket_setsockopt(nl, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0)
		die("events");
	puts("ready");
	fflush(stdout);
	receive(print_message);
}

static void get(unsigned int cmd, unsigned int flags, char **words)
{
	int64_t begin;
	struct nlmsghdr *nlh;

	find_family();
	begin = now_ns();
	nlh = request(family, flags, cmd);
	for (; *words; words++)
		put(nlh, commands[cmd].set, *words);
	ask(nlh, print_message);
	if (interrupted)
		puts("interrupted");
	if (quiet)
		printf("messages=%u us=%lld\n", messages,
		       (long long)(now_ns() - begin) / 1000);
}

static void listeners(uid_t uid, int n)
{
	find_family();
	while (n-- > 0) {
		if (mnl_socket_setsockopt(nl, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0)
			die("listeners");
		open_socket(uid);
	}
	puts("ready");
	fflush(stdout);
	pause();
}

int main(int argc, char **argv)
{
	uid_t uid = 0;
	int c;

	while ((c = getopt(argc, argv, "+qu:")) != -1) {
		if (c == 'q')
			quiet = true;
		else if (c == 'u')
			uid = atoi(optarg);
		else
			return 2;
	}
	argv += optind;
	if (!*argv)
		return 2;
	open_socket(uid);
	if (!strcmp(*argv, "events"))
		events();
	else if (!strcmp(*argv, "listeners") && argv[1])
		listeners(uid, atoi(argv[1]));
	else if (!strcmp(*argv, "vifs"))
		get(NETNICE_CMD_VIF_GET, NLM_F_DUMP, argv + 1);
	else if (!strcmp(*argv, "vif"))
		get(NETNICE_CMD_VIF_GET, NLM_F_ACK, argv + 1);
	else if (!strcmp(*argv, "attachment"))
		get(NETNICE_CMD_ATTACHMENT_GET, NLM_F_ACK, argv + 1);
	else if (!strcmp(*argv, "attachments"))
		get(NETNICE_CMD_ATTACHMENT_GET, NLM_F_DUMP, argv + 1);
	else
		return 2;
	return 0;
}
