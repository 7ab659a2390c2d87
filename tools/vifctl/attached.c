// SPDX-License-Identifier: GPL-2.0
#include "attached.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netnice_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "attrs.h"
#include "dump.h"
#include "words.h"

/* Which attributes say who it is; 0: none */
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

static uint64_t number(const struct attrs *attrs, int type)
{
	unsigned long long value = 0;

	if (type)
		attrs_number(attrs, type, &value);
	return value;
}

static int take(const struct nlmsghdr *message, void *arg)
{
	struct attachments *attachments = arg;
	unsigned long long kind, slot;
	struct attached *more;
	struct attrs attrs;
	const char *name;
	char *path;

	if (!attrs_read(&attrs, message, sizeof(struct genlmsghdr)) ||
	    !attrs_number(&attrs, NETNICE_A_ATTACHMENT_KIND, &kind) ||
	    !attrs_number(&attrs, NETNICE_A_ATTACHMENT_SLOT, &slot) ||
	    kind >= sizeof(kinds) / sizeof(*kinds))
		return MNL_CB_OK;
	path = path_join(attrs_string(&attrs, NETNICE_A_ATTACHMENT_DEVICE),
			 attrs_string(&attrs, NETNICE_A_ATTACHMENT_PATH));
	if (!path)
		return MNL_CB_OK;
	more = array_grow(attachments->all, attachments->count, sizeof(*more));
	if (!more) {
		free(path);
		return MNL_CB_ERROR;
	}
	attachments->all = more;
	more += attachments->count++;
	name = kinds[kind].name ? attrs_string(&attrs, kinds[kind].name) : NULL;
	*more = (struct attached) {
		.path = path,
		.kind = kinds[kind].kind,
		.is_given = slot == NETNICE_SLOT_GIVEN,
		.number = number(&attrs, kinds[kind].number),
		.process = number(&attrs, kinds[kind].process),
		.name = name ? strdup(name) : NULL,
	};
	return name && !more->name ? MNL_CB_ERROR : MNL_CB_OK;
}

static int order(const void *a, const void *b)
{
	const struct attached *x = a, *y = b;
	int ret = strcmp(x->path, y->path);

	if (ret)
		return ret;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->kind >= TARGET_CGROUP && x->name && y->name)
		ret = strcmp(x->name, y->name);
	if (ret)
		return ret;
	return x->number < y->number ? -1 : x->number > y->number;
}

int attachments_read(struct attachments *attachments, const struct genl *genl)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];

	*attachments = (struct attachments) { 0 };
	if (dump_run(genl->sock,
		     genl_request(genl, buf, NETNICE_CMD_ATTACHMENT_GET), take,
		     attachments)) {
		attachments_free(attachments);
		return -1;
	}
	if (attachments->count)
		qsort(attachments->all, attachments->count,
		      sizeof(*attachments->all), order);
	return 0;
}

void attachments_free(struct attachments *attachments)
{
	int err = errno;

	for (size_t i = 0; i < attachments->count; i++) {
		free(attachments->all[i].path);
		free(attachments->all[i].name);
	}
	free(attachments->all);
	*attachments = (struct attachments) { 0 };
	errno = err;
}

/* The first that is not before the path. */
static size_t find(const struct attachments *attachments, const char *path)
{
	size_t low = 0, high = attachments->count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (strcmp(attachments->all[mid].path, path) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct attached *attachments_of(const struct attachments *attachments,
				      const char *path, size_t *count)
{
	size_t first = find(attachments, path), end = first;

	while (end < attachments->count &&
	       !strcmp(attachments->all[end].path, path))
		end++;
	*count = end - first;
	return attachments->all + first;
}
