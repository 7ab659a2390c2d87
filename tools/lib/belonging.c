// SPDX-License-Identifier: GPL-2.0
#include "belonging.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netnice_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "attrs.h"
#include "netlink.h"
#include "path.h"

static bool is_of(const struct target *target, int kind)
{
	return target->kind == &target_kinds[kind];
}

/* Only an administrator attaches these: the link says all. */
static bool is_admins(const struct target *target)
{
	return is_of(target, TARGET_CGROUP) || is_of(target, TARGET_DEVICE);
}

/* Of a path that is missing nothing is set. Return: whether there was memory. */
static bool take_path(const struct attrs *attrs, int type, char **path)
{
	const char *below = attrs_string(attrs, type);

	if (!below)
		return true;
	*path = path_join(attrs_string(attrs, NETNICE_A_ATTACHMENT_DEVICE), below);
	return *path;
}

static int take(const struct nlmsghdr *message, void *arg)
{
	struct belonging *belonging = arg;
	struct attrs attrs;

	if (!attrs_read(&attrs, message, sizeof(struct genlmsghdr)))
		return MNL_CB_OK;
	belonging->as_admin = attrs_value(&attrs, NETNICE_A_ATTACHMENT_ORIGIN) ==
			      NETNICE_ORIGIN_ADMIN;
	return take_path(&attrs, NETNICE_A_ATTACHMENT_GIVEN, &belonging->given) &&
	       take_path(&attrs, NETNICE_A_ATTACHMENT_CHOSEN, &belonging->chosen) &&
	       take_path(&attrs, NETNICE_A_ATTACHMENT_PATH, &belonging->now) &&
	       take_path(&attrs, NETNICE_A_ATTACHMENT_BASE, &belonging->base) ?
	       MNL_CB_OK : MNL_CB_ERROR;
}

static struct nlmsghdr *begin(const struct genl *genl, void *buf, const char *on)
{
	struct nlmsghdr *request = genl_request(genl, buf, NETNICE_CMD_ATTACHMENT_GET);
	char device[IF_NAMESIZE];

	path_device(on, device);
	mnl_attr_put_strz(request, NETNICE_A_ATTACHMENT_DEVICE, device);
	return request;
}

/* By the number of a process, or of a thread. */
static int read_task(struct belonging *belonging, const struct genl *genl,
		     int number_attr, pid_t number, const char *on)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *request = begin(genl, buf, on);

	mnl_attr_put_u32(request, number_attr, number);
	return netlink_ask(genl->sock, request, NLM_F_ACK, take, belonging);
}

static bool read_cookie(const struct nnfs *fs, const struct target *socket,
			unsigned long long *cookie)
{
	char *path = target_file(socket, "socket"), *text = path ? nnfs_read(fs->fd, path) : NULL;
	const char *line = text ? strstr(text, "cookie ") : NULL;
	bool found = line && sscanf(line, "cookie %llx", cookie) == 1;

	free(text);
	free(path);
	return found;
}

/* A thread's own attachment takes precedence over its process's. */
static void use_own(struct belonging *belonging, const struct belonging *own)
{
	const char *shown = own->chosen ?: own->given;

	if (own->given) {
		free(belonging->base);
		belonging->base = strdup(own->given);
	}
	if (shown) {
		free(belonging->now);
		belonging->now = strdup(shown);
	}
}

/* One that is not attached itself is not known by its cookie. */
static int read_socket(struct belonging *belonging, const struct genl *genl,
		       const struct nnfs *fs, const struct target *target, const char *on)
{
	struct belonging own = { 0 };
	char buf[MNL_SOCKET_BUFFER_SIZE];
	unsigned long long cookie;
	struct nlmsghdr *request;
	int ret = 0;

	if (!read_cookie(fs, target, &cookie) ||
	    read_task(belonging, genl, NETNICE_A_ATTACHMENT_PID, atoi(target->name), on))
		return -1;
	free(belonging->given);
	free(belonging->chosen);
	belonging->given = belonging->chosen = NULL;
	request = begin(genl, buf, on);
	mnl_attr_put_u64(request, NETNICE_A_ATTACHMENT_COOKIE, cookie);
	if (netlink_ask(genl->sock, request, NLM_F_ACK, take, &own) && errno != ENOENT)
		ret = -1;
	use_own(belonging, &own);
	belonging->given = own.given;
	belonging->chosen = own.chosen;
	own.given = own.chosen = NULL;
	belonging_free(&own);
	return ret;
}

static int read_admins(struct belonging *belonging, const struct nnfs *fs,
		       const struct target *target, const char *on)
{
	char device[IF_NAMESIZE], *path;

	path_device(on, device);
	belonging->as_admin = true;
	belonging->given = target_vif(fs, target, on);
	if (!belonging->given && errno != ENOENT)
		return -1;
	if (belonging->given) {
		belonging->base = strdup(belonging->given);
	} else if (is_of(target, TARGET_CGROUP) &&
		   asprintf(&path, "%s%s", *target->name == '/' ? "" : "/", target->name) >= 0) {
		belonging->base = nnfs_nearest_group(fs, path, device);
		free(path);
	}
	if (!belonging->base)
		belonging->base = strdup(device);
	belonging->now = belonging->base ? strdup(belonging->base) : NULL;
	return belonging->now ? 0 : -1;
}

static int read_any(struct belonging *belonging, const struct genl *genl,
		    const struct nnfs *fs, const struct target *target, const char *on)
{
	if (is_admins(target))
		return read_admins(belonging, fs, target, on);
	if (is_of(target, TARGET_SOCKET))
		return read_socket(belonging, genl, fs, target, on);
	return read_task(belonging, genl, is_of(target, TARGET_PROCESS) ?
			 NETNICE_A_ATTACHMENT_PID : NETNICE_A_ATTACHMENT_TID,
			 atoi(target->name), on);
}

int belonging_read(struct belonging *belonging, const struct genl *genl,
		   const struct nnfs *fs, const struct target *target, const char *on)
{
	int ret, err;

	*belonging = (struct belonging) { 0 };
	ret = read_any(belonging, genl, fs, target, on);
	err = errno;
	if (ret)
		belonging_free(belonging);
	errno = err;
	return ret;
}

int belonging_find(struct belonging *belonging, const struct nnfs *fs,
		   const struct target *target, const char *on)
{
	char why[NNFS_SENTENCE_MAX];
	struct genl genl = { 0 };
	int ret, err;

	*belonging = (struct belonging) { 0 };
	if (!is_admins(target) && genl_find(&genl, why))
		return -1;
	ret = belonging_read(belonging, &genl, fs, target, on);
	err = errno;
	genl_close(&genl);
	errno = err;
	return ret;
}

void belonging_free(struct belonging *belonging)
{
	free(belonging->given);
	free(belonging->chosen);
	free(belonging->now);
	free(belonging->base);
	*belonging = (struct belonging) { .as_admin = belonging->as_admin };
}

const char *belonging_own(const struct belonging *belonging)
{
	return belonging->as_admin ? belonging->given : belonging->chosen;
}

const char *belonging_above(const struct belonging *belonging)
{
	return belonging->as_admin ? belonging->base : belonging->now;
}

bool belonging_is_at(const struct nnfs *fs, const struct target *target, const char *vif)
{
	struct belonging belonging;
	const char *own;
	bool is;

	if (belonging_find(&belonging, fs, target, vif))
		return false;
	own = belonging_own(&belonging);
	is = own && !strcmp(own, vif);
	belonging_free(&belonging);
	return is;
}
