// SPDX-License-Identifier: GPL-2.0
/*
 * vifctl enable, disable: the qdisc by which a device drains its VIFs itself, as
 * "tc qdisc replace dev DEV root netnice" installs it.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "complain.h"
#include "netdev.h"
#include "netlink.h"
#include "qdisc.h"
#include "vifctl.h"

#define KIND_BYTES	16	/* of a qdisc, IFNAMSIZ in the kernel */

const char enable_help[] =
	"Usage: vifctl enable --link DEV\n"
	"\n"
	"Makes the network device DEV drain its VIFs at the rate of its link, so that minima,\n"
	"weights and priorities need no bandwidth. This replaces its root qdisc.";

const char disable_help[] =
	"Usage: vifctl disable DEV\n"
	"\n"
	"Restores the default qdisc of the network device DEV.";

static const char *sentence_of(const struct nlmsghdr *answer)
{
	struct nlattr *attr;

	if (!(answer->nlmsg_flags & NLM_F_ACK_TLVS) ||
	    !(answer->nlmsg_flags & NLM_F_CAPPED))
		return NULL;
	mnl_attr_for_each(attr, answer, sizeof(struct nlmsgerr))
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
			return mnl_attr_get_str(attr);
	return NULL;
}

/* An error is reported here, and a remark that comes with success. */
static int judge(const struct nlmsghdr *answer, const char *verb,
		 const char *dev)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(answer);
	const char *sentence = sentence_of(answer);

	if (sentence)
		complain("%s: %s: %s", verb, dev, sentence);
	else if (err->error)
		complain("%s: %s: %s%s", verb, dev, strerror(-err->error),
			 err->error != -EPERM ? "" :
			 ": only root may replace a qdisc (CAP_NET_ADMIN); limits hold without it");
	return err->error ? EXIT_KERNEL : EXIT_OK;
}

static int talk(struct mnl_socket *sock, struct nlmsghdr *request,
		const char *verb, const char *dev)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	const struct nlmsghdr *answer = (const void *)buf;
	ssize_t len;

	request->nlmsg_seq = time(NULL);
	if (mnl_socket_sendto(sock, request, request->nlmsg_len) < 0)
		goto fail;
	do {
		len = netlink_receive(mnl_socket_get_fd(sock), buf, sizeof(buf));
		if (len < 0)
			goto fail;
	} while (!mnl_nlmsg_ok(answer, len) ||
		 answer->nlmsg_seq != request->nlmsg_seq ||
		 answer->nlmsg_type != NLMSG_ERROR);
	return judge(answer, verb, dev);
fail:
	complain_errno("%s: %s: netlink", verb, dev);
	return EXIT_KERNEL;
}

static int change_qdisc(const char *verb, const char *dev, uint16_t type,
			uint16_t flags)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buf);
	struct mnl_socket *sock = netlink_open(NETLINK_ROUTE, 0, 0);
	struct tcmsg *tc;
	int status, on = 1;

	if (!sock) {
		complain_errno("%s: netlink", verb);
		return EXIT_KERNEL;
	}
	/* sentences with errors; older kernels have none */
	mnl_socket_setsockopt(sock, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(sock, NETLINK_CAP_ACK, &on, sizeof(on));
	request->nlmsg_type = type;
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	tc = mnl_nlmsg_put_extra_header(request, sizeof(*tc));
	tc->tcm_family = AF_UNSPEC;
	tc->tcm_ifindex = if_nametoindex(dev);
	tc->tcm_parent = TC_H_ROOT;
	mnl_attr_put_strz(request, TCA_KIND, QDISC_NETNICE);
	status = talk(sock, request, verb, dev);
	mnl_socket_close(sock);
	return status;
}

/* @word is the last one, and a device. */
static int find_device(const char *verb, char **words,
		       char dev[IF_NAMESIZE])
{
	if (!words[0] || words[1]) {
		complain("%s: name one device (\"vifctl %s help\" says how)",
			 verb, verb);
		return EXIT_USAGE;
	}
	if (netdev_find(words[0], dev))
		return EXIT_OK;
	complain("%s: no device '%s'%s", verb, words[0], netdev_hint(words[0]));
	return EXIT_KERNEL;
}

int enable_run(struct options *options, char **words)
{
	char dev[IF_NAMESIZE];

	(void)options;
	if (!*words || strcmp(*words, "--link")) {
		complain("enable: \"--link DEV\" is missing (\"vifctl enable help\" says more)");
		return EXIT_USAGE;
	}
	return find_device("enable", words + 1, dev) ?:
	       change_qdisc("enable", dev, RTM_NEWQDISC,
			    NLM_F_CREATE | NLM_F_REPLACE);
}

static void take_root(uint32_t parent, const char *kind, void *root)
{
	if (parent == TC_H_ROOT)
		snprintf(root, KIND_BYTES, "%s", kind);
}

/* The kernel would refuse it, too, but in words about the name. */
static int check_enabled(const char *dev)
{
	char root[KIND_BYTES] = "none";

	if (qdisc_each(if_nametoindex(dev), take_root, root) ||
	    !strcmp(root, QDISC_NETNICE))
		return EXIT_OK;
	complain("disable: %s: nothing to disable: its root qdisc is %s, not %s",
		 dev, root, QDISC_NETNICE);
	return EXIT_KERNEL;
}

int disable_run(struct options *options, char **words)
{
	char dev[IF_NAMESIZE];

	(void)options;
	return find_device("disable", words, dev) ?: check_enabled(dev) ?:
	       change_qdisc("disable", dev, RTM_DELQDISC, 0);
}
