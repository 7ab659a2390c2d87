// SPDX-License-Identifier: GPL-2.0
/*
 * The netlink family of the module: found by its name; its requests. Answers are read by
 * belonging.c, and by vif_list.c, attached.c and monitor.c of vifctl.
 */
#include "genl.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netnice.h>
#include <linux/netnice_netlink.h>
#include <string.h>

#include "netlink.h"
#include "path.h"

/* Socket buffer for events that have not been read; root's may be as large. */
#define BUFFER_BYTES	(4 << 20)

/* The attribute of that type, if it is of that kind. */
static const struct nlattr *find(const struct nlattr *nest, uint16_t type,
				 enum mnl_attr_data_type kind)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest)
		if (mnl_attr_get_type(attr) == type &&
		    mnl_attr_validate(attr, kind) >= 0)
			return attr;
	return NULL;
}

/**
 * struct family - a family, as the kernel describes it
 * @name: its name, in the message; NULL: none
 * @group_name: the multicast group that is looked for
 * @id: number of the family
 * @group: number of the group; 0: there is none
 */
struct family {
	const char *name;
	const char *group_name;
	uint16_t id;
	uint32_t group;
};

static void take_group(struct family *family, const struct nlattr *group)
{
	const struct nlattr *name, *id;

	name = find(group, CTRL_ATTR_MCAST_GRP_NAME, MNL_TYPE_NUL_STRING);
	id = find(group, CTRL_ATTR_MCAST_GRP_ID, MNL_TYPE_U32);
	if (name && id && !strcmp(mnl_attr_get_str(name), family->group_name))
		family->group = mnl_attr_get_u32(id);
}

static int take_family(const struct nlmsghdr *answer, void *arg)
{
	const struct nlattr *attr, *group;
	struct family *family = arg;

	mnl_attr_for_each(attr, answer, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
		    mnl_attr_validate(attr, MNL_TYPE_U16) >= 0)
			family->id = mnl_attr_get_u16(attr);
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_NAME &&
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
			family->name = mnl_attr_get_str(attr);
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GROUPS)
			mnl_attr_for_each_nested(group, attr)
				take_group(family, group);
	}
	return MNL_CB_OK;
}

struct nlmsghdr *genl_request(const struct genl *genl, void *buf, uint8_t cmd)
{
	struct nlmsghdr *request;
	struct genlmsghdr *genlmsg;

	memset(buf, 0, MNL_SOCKET_BUFFER_SIZE);	/* what fills up strings is sent, too */
	request = mnl_nlmsg_put_header(buf);
	request->nlmsg_type = genl->family;
	request->nlmsg_flags = NLM_F_REQUEST;
	genlmsg = mnl_nlmsg_put_extra_header(request, sizeof(*genlmsg));
	genlmsg->cmd = cmd;
	genlmsg->version = NETNICE_FAMILY_VERSION;
	return request;
}

/* With a slash before each name. A longer path is no VIF's. */
#define PATH_BYTES	(NETNICE_DEPTH_MAX * (NETNICE_NAME_MAX + 1))

int genl_put_vif(struct nlmsghdr *request, uint16_t device, uint16_t below,
		 const char *path)
{
	const size_t device_bytes = strcspn(path, "/");
	char dev[IF_NAMESIZE];

	if (device_bytes >= IF_NAMESIZE ||
	    strlen(path) - device_bytes > PATH_BYTES) {
		errno = ENOENT;
		return -1;
	}
	path_device(path, dev);
	mnl_attr_put_strz(request, device, dev);
	path = strchr(path, '/');
	if (path)
		mnl_attr_put_strz(request, below, path + 1);
	return 0;
}

struct nlmsghdr *genl_request_vifs(const struct genl *genl, void *buf,
				   const char *path, bool with_counters)
{
	struct nlmsghdr *request = genl_request(genl, buf, NETNICE_CMD_VIF_GET);

	if (with_counters)
		mnl_attr_put(request, NETNICE_A_VIF_STAT, 0, NULL);
	if (path && genl_put_vif(request, NETNICE_A_VIF_DEVICE,
				 NETNICE_A_VIF_PATH, path))
		return NULL;
	return request;
}

static int ask_family(struct genl *genl, const char *name, struct family *family)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	const struct genl control = { .family = GENL_ID_CTRL };
	struct nlmsghdr *request = genl_request(&control, buf, CTRL_CMD_GETFAMILY);

	mnl_attr_put_strz(request, CTRL_ATTR_FAMILY_NAME, name);
	return netlink_ask(genl->sock, request, NLM_F_ACK, take_family, family);
}

static void set_family(struct genl *genl, const struct family *family)
{
	genl->family = family->id;
	genl->group = family->group;
}

static int find_family(struct genl *genl)
{
	struct family family = { .group_name = NETNICE_MCGRP_EVENTS };

	if (ask_family(genl, NETNICE_FAMILY_NAME, &family))
		return -1;
	set_family(genl, &family);
	return 0;
}

static int join_group(const struct genl *genl, uint32_t group)
{
	return mnl_socket_setsockopt(genl->sock, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group));
}

static int join(struct genl *genl)
{
	int size = BUFFER_BYTES, fd = mnl_socket_get_fd(genl->sock);

	/* as much as the caller may */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	return join_group(genl, genl->group);
}

static int refuse(struct genl *genl, char why[NNFS_SENTENCE_MAX], const char *what)
{
	const int err = errno;

	snprintf(why, NNFS_SENTENCE_MAX, "this kernel's netnice module has no %s%s", what,
		 err == ENOENT ? " (is it loaded?)" : "");
	genl_close(genl);
	errno = err;
	return -1;
}

static int fail(struct genl *genl, char why[NNFS_SENTENCE_MAX], const char *what)
{
	const int err = errno;

	snprintf(why, NNFS_SENTENCE_MAX, "%s: %s", what, strerror(err));
	genl_close(genl);
	errno = err;
	return -1;
}

int genl_find(struct genl *genl, char why[NNFS_SENTENCE_MAX])
{
	*genl = (struct genl) { 0 };
	genl->sock = netlink_open(NETLINK_GENERIC, 0, 0);
	if (!genl->sock)
		return fail(genl, why, "netlink");
	if (!find_family(genl))
		return 0;
	nnfs_load();
	return find_family(genl) ? refuse(genl, why, "netlink family") : 0;
}

int genl_find_events(struct genl *genl, char why[NNFS_SENTENCE_MAX])
{
	if (genl_find(genl, why))
		return -1;
	if (!genl->group)
		return refuse(genl, why, "events");
	return join(genl) ? fail(genl, why, "netlink: events") : 0;
}

int genl_watch_family(struct genl *genl, char why[NNFS_SENTENCE_MAX])
{
	struct family control = { .group_name = "notify" };
	/* an answer would be read behind events, which would be lost */
	struct genl other = { .sock = netlink_open(NETLINK_GENERIC, 0, 0) };
	int ret = other.sock ? ask_family(&other, "nlctrl", &control) : -1;

	if (ret || join_group(genl, control.group))
		ret = fail(genl, why, "netlink: families");
	genl_close(&other);
	return ret;
}

int genl_take_notice(struct genl *genl, const struct nlmsghdr *message)
{
	const struct genlmsghdr *genlmsg = mnl_nlmsg_get_payload(message);
	struct family family = { .group_name = NETNICE_MCGRP_EVENTS };

	if (message->nlmsg_type != GENL_ID_CTRL || mnl_nlmsg_get_payload_len(message) < sizeof(*genlmsg) ||
	    (genlmsg->cmd != CTRL_CMD_NEWFAMILY && genlmsg->cmd != CTRL_CMD_DELFAMILY))
		return 0;
	take_family(message, &family);
	if (!family.name || strcmp(family.name, NETNICE_FAMILY_NAME))
		return 0;
	if (genlmsg->cmd == CTRL_CMD_DELFAMILY)
		return 1;
	set_family(genl, &family);
	return join_group(genl, genl->group) ? -1 : 1;
}

void genl_close(struct genl *genl)
{
	if (genl->sock)
		mnl_socket_close(genl->sock);
	genl->sock = NULL;
}
