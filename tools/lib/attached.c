// SPDX-License-Identifier: GPL-2.0
/* Read attachments from netlink: a list, or the attachment of an event. */
#include "attached.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/genetlink.h>
#include <linux/netnice_netlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "attrs.h"
#include "netlink.h"
#include "path.h"
#include "pid.h"

/* The attributes that identify an object, by its kind; 0: none */
static const struct {
	unsigned int kind;
	int number, process, name;
} kinds[] = {
	[NETNICE_KIND_PROCESS] = { TARGET_PROCESS, NETNICE_A_ATTACHMENT_PID, 0,
				   NETNICE_A_ATTACHMENT_COMM },
	[NETNICE_KIND_THREAD] = { TARGET_THREAD, NETNICE_A_ATTACHMENT_TID,
				  NETNICE_A_ATTACHMENT_PID,
				  NETNICE_A_ATTACHMENT_COMM },
	[NETNICE_KIND_SOCKET] = { TARGET_SOCKET, NETNICE_A_ATTACHMENT_COOKIE, 0, 0 },
	[NETNICE_KIND_CGROUP] = { TARGET_CGROUP, NETNICE_A_ATTACHMENT_CGROUP_ID, 0,
				  NETNICE_A_ATTACHMENT_CGROUP },
	[NETNICE_KIND_DEVICE] = { TARGET_DEVICE, NETNICE_A_ATTACHMENT_FROM_IFINDEX, 0,
				  NETNICE_A_ATTACHMENT_FROM_DEVICE },
};

int attached_take(struct attached *attached, const struct nlmsghdr *message)
{
	unsigned long long kind, origin;
	const char *name;
	struct attrs attrs;

	*attached = (struct attached) { 0 };
	if (!attrs_read(&attrs, message, sizeof(struct genlmsghdr)) ||
	    !attrs_number(&attrs, NETNICE_A_ATTACHMENT_KIND, &kind) ||
	    !attrs_number(&attrs, NETNICE_A_ATTACHMENT_ORIGIN, &origin) ||
	    kind >= sizeof(kinds) / sizeof(*kinds))
		return 1;
	name = attrs_string(&attrs, kinds[kind].name);
	*attached = (struct attached) {
		.vif = attrs_value(&attrs, NETNICE_A_ATTACHMENT_VIF_ID),
		.path = path_join(attrs_string(&attrs, NETNICE_A_ATTACHMENT_DEVICE),
				  attrs_string(&attrs, NETNICE_A_ATTACHMENT_PATH)),
		.ifindex = attrs_value(&attrs, NETNICE_A_ATTACHMENT_IFINDEX),
		.kind = kinds[kind].kind,
		.is_admins = origin == NETNICE_ORIGIN_ADMIN,
		.number = attrs_value(&attrs, kinds[kind].number),
		.process = attrs_value(&attrs, kinds[kind].process),
		.port = attrs_value(&attrs, NETNICE_A_ATTACHMENT_PORT),
		.protocol = attrs_value(&attrs, NETNICE_A_ATTACHMENT_PROTOCOL) == IPPROTO_TCP ?
			    "tcp" : "udp",
		.name = name ? strdup(name) : NULL,
	};
	return attached->path && !name == !attached->name ? 0 : -1;
}

void attached_free(struct attached *attached)
{
	free(attached->path);
	free(attached->name);
}

void attached_publish(const struct attached *attached, struct netnice_attachment *attachment)
{
	*attachment = (struct netnice_attachment) {
		.vif = attached->path,
		.kind = target_kinds[attached->kind].word,
		.number = attached->number,
		.process = attached->process,
		.name = attached->name && *attached->name ? attached->name : NULL,
		.by_admin = attached->is_admins,
	};
}

const char *attached_label(const struct attached *attached, char text[ATTACHED_BYTES])
{
	static const char *const format[] = {
		[TARGET_PROCESS] = "%" PRIu64, [TARGET_THREAD] = "%" PRIu64,
		[TARGET_SOCKET] = "sk:%" PRIx64, [TARGET_CGROUP] = "id:%" PRIu64,
		[TARGET_DEVICE] = "index:%" PRIu64,
	};

	if (attached->port)
		snprintf(text, ATTACHED_BYTES, "%s %u", attached->protocol, attached->port);
	else
		snprintf(text, ATTACHED_BYTES, format[attached->kind], attached->number);
	return text;
}

/*
 * The kernel reports the command of a process to callers who may trace it; its file in /proc shows
 * it to all.
 */
static void find_command(struct attached *attached)
{
	char comm[PROCESS_COMM_BYTES];

	if (attached->name || attached->kind > TARGET_THREAD)
		return;
	process_comm(attached->number, comm);
	attached->name = strdup(comm);
}

static int take(const struct nlmsghdr *message, void *arg)
{
	struct attachments *attachments = arg;
	struct attached *attached = array_add(&attachments->all, &attachments->count,
					      sizeof(*attached));
	int ret;

	if (!attached)
		return MNL_CB_ERROR;
	ret = attached_take(attached, message);
	if (ret) {
		attached_free(attached);
		attachments->count--;
	} else {
		find_command(attached);
	}
	return ret < 0 ? MNL_CB_ERROR : MNL_CB_OK;
}

static int order(const void *a, const void *b)
{
	const struct attached *x = a, *y = b;
	int ret = 0;

	if (x->vif != y->vif)
		return x->vif < y->vif ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->kind == TARGET_CGROUP)
		ret = strcmp(x->name ? x->name : "", y->name ? y->name : "");
	if (!ret && x->number != y->number)
		ret = x->number < y->number ? -1 : 1;
	return ret;
}

/* An object that was attached again during the dump may be listed twice. */
static void sort(struct attachments *attachments)
{
	struct attached *all = attachments->all;
	size_t kept = 0;

	if (attachments->count)
		qsort(all, attachments->count, sizeof(*all), order);
	for (size_t i = 0; i < attachments->count; i++)
		if (kept && !order(&all[kept - 1], &all[i]))
			attached_free(&all[i]);
		else
			all[kept++] = all[i];
	attachments->count = kept;
}

int attachments_read(struct attachments *attachments, const struct genl *genl,
		     const char *path)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request;

	*attachments = (struct attachments) { 0 };
	request = genl_request(genl, buf, NETNICE_CMD_ATTACHMENT_GET);
	if ((path && genl_put_vif(request, NETNICE_A_ATTACHMENT_DEVICE,
				  NETNICE_A_ATTACHMENT_PATH, path)) ||
	    netlink_ask(genl->sock, request, NLM_F_DUMP, take, attachments)) {
		attachments_free(attachments);
		return -1;
	}
	sort(attachments);
	return 0;
}

void attachments_free(struct attachments *attachments)
{
	int err = errno;

	for (size_t i = 0; i < attachments->count; i++)
		attached_free(&attachments->all[i]);
	free(attachments->all);
	*attachments = (struct attachments) { 0 };
	errno = err;
}

/* The first that is not before that VIF's. */
static size_t find(const struct attachments *attachments, uint64_t vif)
{
	size_t low = 0, high = attachments->count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (attachments->all[mid].vif < vif)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct attached *attachments_of(const struct attachments *attachments,
				      uint64_t vif, size_t *count)
{
	size_t first = find(attachments, vif), end = first;

	while (end < attachments->count && attachments->all[end].vif == vif)
		end++;
	*count = end - first;
	return attachments->all + first;
}
