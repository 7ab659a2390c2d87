// SPDX-License-Identifier: GPL-2.0
#include "event.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netnice_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "attrs.h"
#include "handle.h"
#include "netlink.h"
#include "path.h"

#define MESSAGE_BYTES	(64 * 1024)

static bool take_vif(struct event *event, const struct nlmsghdr *message)
{
	const char *device;
	struct attrs attrs;

	attrs_read(&attrs, message, sizeof(struct genlmsghdr));
	device = attrs_string(&attrs, NETNICE_A_VIF_DEVICE);
	event->path = path_join(device, attrs_string(&attrs, NETNICE_A_VIF_PATH));
	event->old_path = path_join(device, attrs_string(&attrs, NETNICE_A_VIF_OLD_PATH));
	event->is_lost = device && !event->path && attrs_string(&attrs, NETNICE_A_VIF_PATH);
	return event->path;
}

static bool take_attachment(struct event *event, const struct nlmsghdr *message)
{
	int ret = attached_take(&event->attached, message);

	event->is_attachment = true;
	event->path = ret ? NULL : strdup(event->attached.path);
	event->is_lost = ret < 0 || (!ret && !event->path);
	return event->path;
}

bool event_take(struct event *event, const struct nlmsghdr *message)
{
	static const struct {
		const char *name;
		bool (*take)(struct event *event, const struct nlmsghdr *message);
	} commands[] = {
		[NETNICE_CMD_VIF_NEW] = { "vif-new", take_vif },
		[NETNICE_CMD_VIF_DEL] = { "vif-del", take_vif },
		[NETNICE_CMD_VIF_SET] = { "vif-set", take_vif },
		[NETNICE_CMD_VIF_MOVE] = { "vif-move", take_vif },
		[NETNICE_CMD_ATTACH] = { "attach", take_attachment },
		[NETNICE_CMD_DETACH] = { "detach", take_attachment },
	};
	const struct genlmsghdr *genlmsg = mnl_nlmsg_get_payload(message);

	*event = (struct event) { 0 };
	if (mnl_nlmsg_get_payload_len(message) < sizeof(*genlmsg) ||
	    genlmsg->cmd >= sizeof(commands) / sizeof(*commands) ||
	    !commands[genlmsg->cmd].name)
		return false;
	event->name = commands[genlmsg->cmd].name;
	return commands[genlmsg->cmd].take(event, message);
}

void event_free(struct event *event)
{
	free(event->path);
	free(event->old_path);
	attached_free(&event->attached);
	*event = (struct event) { 0 };
}

int netnice_watch(struct netnice *nn)
{
	if (handle_check(nn))
		return -1;
	if (!nn->message)
		nn->message = malloc(MESSAGE_BYTES);
	if (!nn->message)
		return handle_fail(nn, ENOMEM, "out of memory");
	if (!nn->events.sock && genl_find_events(&nn->events, nn->why))
		return -1;
	return mnl_socket_get_fd(nn->events.sock);
}

/* Return the next message that was received, or NULL. */
static const struct nlmsghdr *next_message(struct netnice *nn)
{
	const struct nlmsghdr *message = nn->next;

	if (!mnl_nlmsg_ok(message, nn->unread))
		return NULL;
	nn->next = mnl_nlmsg_next(message, &nn->unread);
	return message;
}

/* Wait for messages. Return: 1, 0: events were lost, or -1 and errno. */
static int receive(struct netnice *nn)
{
	const ssize_t len = netlink_receive(mnl_socket_get_fd(nn->events.sock), nn->message, MESSAGE_BYTES);

	if (len < 0)
		return errno == ENOBUFS ? 0 : handle_fail(nn, errno, "netlink: %s", strerror(errno));
	nn->next = nn->message;
	nn->unread = len;
	return 1;
}

const struct netnice_event *netnice_read_event(struct netnice *nn)
{
	static const struct netnice_event lost = { .name = "lost" };
	const struct nlmsghdr *message;
	int ret;

	if (handle_check(nn))
		return NULL;
	if (!nn->events.sock) {
		handle_fail(nn, EINVAL, "the handle does not watch events");
		return NULL;
	}
	event_free(&nn->event);
	message = next_message(nn);
	if (!message) {
		ret = receive(nn);
		if (ret <= 0)
			return ret ? NULL : &lost;
		message = next_message(nn);
	}
	if (!message || !event_take(&nn->event, message)) {
		if (message && nn->event.is_lost)
			return &lost;
		/* to wait for the next one would surprise a caller that has used poll(2) */
		handle_fail(nn, EAGAIN, "no event: a message of another kind was received");
		return NULL;
	}
	nn->shown = (struct netnice_event) {
		.name = nn->event.name, .vif = nn->event.path, .old_vif = nn->event.old_path,
	};
	if (nn->event.is_attachment) {
		attached_publish(&nn->event.attached, &nn->attachment);
		nn->shown.attachment = &nn->attachment;
	}
	return &nn->shown;
}
