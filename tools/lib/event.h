/* SPDX-License-Identifier: GPL-2.0 */
/* Events of VIFs and attachments, from netlink. */
#ifndef NETNICE_EVENT_H
#define NETNICE_EVENT_H

#include "attached.h"

/**
 * struct event - an event
 * @name: "vif-new", "vif-del", "vif-set", "vif-move", "attach", "detach"
 * @path: the VIF's path
 * @old_path: "vif-move": its path before; or NULL
 * @is_lost: it is an event, but there was no memory for it
 * @is_attachment: it is "attach" or "detach"
 * @attached: what was attached or detached; otherwise zeros
 */
struct event {
	const char *name;
	char *path, *old_path;
	bool is_lost;
	bool is_attachment;
	struct attached attached;
};

/* Parse a message. Return: whether it is an event, and is not lost. The caller frees @event in any case. */
bool event_take(struct event *event, const struct nlmsghdr *message);
void event_free(struct event *event);

#endif
