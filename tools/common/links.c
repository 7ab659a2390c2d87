// SPDX-License-Identifier: GPL-2.0
#include "links.h"

#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "netlink.h"

static void take_kind(const struct nlattr *info, struct link_info *link)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, info)
		if (mnl_attr_get_type(attr) == IFLA_INFO_KIND &&
		    mnl_attr_validate(attr, MNL_TYPE_STRING) >= 0)
			snprintf(link->kind, sizeof(link->kind), "%.*s",
				 mnl_attr_get_payload_len(attr), mnl_attr_get_str(attr));
}

static void take_names(const struct nlattr *list, struct link_info *link)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, list)
		if (mnl_attr_get_type(attr) == IFLA_ALT_IFNAME &&
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
			words_append(&link->altnames, mnl_attr_get_str(attr));
}

static void take_attr(const struct nlattr *attr, struct link_info *link, bool *is_elsewhere)
{
	switch (mnl_attr_get_type(attr)) {
	case IFLA_IFNAME:
		if (mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
			snprintf(link->name, sizeof(link->name), "%.15s", mnl_attr_get_str(attr));
		break;
	case IFLA_MASTER:
		if (mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
			link->master = mnl_attr_get_u32(attr);
		break;
	case IFLA_LINK:
		if (mnl_attr_validate(attr, MNL_TYPE_U32) >= 0)
			link->lower = mnl_attr_get_u32(attr);
		break;
	case IFLA_LINK_NETNSID:
		*is_elsewhere = true;
		break;
	case IFLA_PROP_LIST:
		take_names(attr, link);
		break;
	case IFLA_LINKINFO:
		take_kind(attr, link);
		break;
	}
}

static int take(const struct nlmsghdr *message, void *arg)
{
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(message);
	struct links *links = arg;
	struct link_info *link = array_add(&links->link, &links->count, sizeof(*link));
	bool is_elsewhere = false;
	const struct nlattr *attr;

	if (!link)
		return MNL_CB_ERROR;
	*link = (struct link_info) { .index = info->ifi_index };
	mnl_attr_for_each(attr, message, sizeof(*info))
		take_attr(attr, link, &is_elsewhere);
	if (is_elsewhere)
		link->lower = 0;
	return MNL_CB_OK;
}

int links_read(struct links *links)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buf);
	struct mnl_socket *sock = netlink_open(NETLINK_ROUTE, 0, 0);
	int ret;

	*links = (struct links) { 0 };
	if (!sock)
		return -1;
	request->nlmsg_type = RTM_GETLINK;
	mnl_nlmsg_put_extra_header(request, sizeof(struct ifinfomsg));
	ret = netlink_ask(sock, request, NLM_F_DUMP, take, links);
	mnl_socket_close(sock);
	if (ret)
		links_free(links);
	return ret;
}

void links_free(struct links *links)
{
	for (size_t i = 0; i < links->count; i++)
		words_free(&links->link[i].altnames);
	free(links->link);
	*links = (struct links) { 0 };
}

const struct link_info *links_find(const struct links *links, const char *name)
{
	for (size_t i = 0; i < links->count; i++)
		if (!strcmp(links->link[i].name, name))
			return &links->link[i];
	return NULL;
}

const struct link_info *links_at(const struct links *links, unsigned int index)
{
	for (size_t i = 0; i < links->count; i++)
		if (links->link[i].index == index)
			return &links->link[i];
	return NULL;
}
