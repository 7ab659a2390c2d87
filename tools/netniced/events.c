// SPDX-License-Identifier: GPL-2.0
/* Messages of the process connector. */
#include "events.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "log.h"
#include "netlink.h"

#define QUEUE_BYTES	(8 << 20)
#define BUFFER_BYTES	65536

/* Messages that are read in one turn; then other sources have their turn. */
#define MOST	64

static struct mnl_socket *nl;

static int listen_on(void)
{
	char buffer[MNL_NLMSG_HDRLEN + sizeof(struct cn_msg) + 64]
		__attribute__((aligned(MNL_ALIGNTO)));
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	enum proc_cn_mcast_op op = PROC_CN_MCAST_LISTEN;
	struct cn_msg *message;

	header->nlmsg_type = NLMSG_DONE;
	message = mnl_nlmsg_put_extra_header(header,
					     sizeof(*message) + sizeof(op));
	message->id.idx = CN_IDX_PROC;
	message->id.val = CN_VAL_PROC;
	message->len = sizeof(op);
	memcpy(message->data, &op, sizeof(op));
	return mnl_socket_sendto(nl, header, header->nlmsg_len) < 0 ? -1 : 0;
}

static int cannot_open(void)
{
	int err = errno;

	if (err == EPROTONOSUPPORT || err == ECONNREFUSED)
		log_say(LOG_ERROR, "no process connector: want a kernel with CONFIG_PROC_EVENTS, and the machine's first network namespace, not a container's");
	else if (err == EPERM || err == EACCES)
		log_say(LOG_ERROR, "process connector: want root, outside of containers (CAP_NET_ADMIN)");
	else
		log_say(LOG_ERROR, "process connector: %s", strerror(err));
	if (nl)
		mnl_socket_close(nl);
	return -1;
}

/* A test that has events lost makes the queue small. */
static int queue_bytes(void)
{
	const char *bytes = getenv("NETNICED_QUEUE");

	return bytes ? atoi(bytes) : QUEUE_BYTES;
}

int events_open(void)
{
	int bytes = queue_bytes();
	int fd;

	nl = netlink_open(NETLINK_CONNECTOR, CN_IDX_PROC, SOCK_NONBLOCK);
	if (!nl)
		return cannot_open();
	fd = mnl_socket_get_fd(nl);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	if (listen_on())
		return cannot_open();
	return fd;
}

/* Return: true if the daemon needs the event. */
static bool translate(const struct proc_event *from, struct event *event)
{
	event->time_ns = from->timestamp_ns;
	switch (from->what) {
	case PROC_EVENT_FORK:
		event->kind = EVENT_FORK;
		event->pid = from->event_data.fork.child_tgid;
		event->parent = from->event_data.fork.parent_tgid;
		return event->pid == from->event_data.fork.child_pid;
	case PROC_EVENT_EXEC:
		event->kind = EVENT_CHANGE;
		event->pid = from->event_data.exec.process_tgid;
		return true;
	case PROC_EVENT_UID:
	case PROC_EVENT_GID:
		event->kind = EVENT_CHANGE;
		event->pid = from->event_data.id.process_tgid;
		return true;
	case PROC_EVENT_EXIT:
		event->kind = EVENT_EXIT;
		event->pid = from->event_data.exit.process_tgid;
		return event->pid == from->event_data.exit.process_pid;
	default:
		return false;
	}
}

static void read_message(const struct nlmsghdr *header, events_told f)
{
	const struct cn_msg *message = mnl_nlmsg_get_payload(header);
	struct proc_event from;
	struct event event = { 0 };
	size_t bytes = mnl_nlmsg_get_payload_len(header);

	if (bytes < sizeof(*message) || message->id.idx != CN_IDX_PROC ||
	    bytes - sizeof(*message) < offsetof(struct proc_event, event_data))
		return;
	memset(&from, 0, sizeof(from));
	bytes -= sizeof(*message);
	memcpy(&from, message->data, bytes < sizeof(from) ? bytes : sizeof(from));
	if (translate(&from, &event))
		f(&event);
}

static void read_messages(const void *buffer, int bytes, events_told f)
{
	const struct nlmsghdr *header = buffer;

	for (; netlink_is_whole(header, bytes); header = mnl_nlmsg_next(header, &bytes))
		read_message(header, f);
}

int events_read(events_told f)
{
	static char buffer[BUFFER_BYTES] __attribute__((aligned(MNL_ALIGNTO)));
	static const struct event lost = { .kind = EVENT_LOST };
	ssize_t bytes;

	for (int i = 0; i < MOST; i++) {
		bytes = netlink_receive(mnl_socket_get_fd(nl), buffer, sizeof(buffer));
		if (bytes > 0) {
			read_messages(buffer, bytes, f);
		} else if (bytes < 0 && errno == ENOBUFS) {
			f(&lost);
		} else if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) {
			return 0;
		} else if (bytes < 0) {
			log_say(LOG_ERROR, "process connector: %s", strerror(errno));
			return -1;
		}
	}
	return 0;
}
