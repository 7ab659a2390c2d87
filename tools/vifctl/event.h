/* SPDX-License-Identifier: GPL-2.0 */
/* An event of the module, as it is printed. */
#ifndef VIFCTL_EVENT_H
#define VIFCTL_EVENT_H

#include <libmnl/libmnl.h>
#include <stdbool.h>

#include "param.h"

#define EVENT_NAME_MAX	64

/**
 * struct event - what has happened
 * @name: "vif-new", "vif-del", "vif-set", "vif-move", "attach", "detach", "lost"
 * @path: the VIF, to be freed
 * @old_path: "vif-move": where it was; to be freed, may be NULL
 * @param: "vif-new", "vif-set", "vif-move": its settings, normal; to be freed
 * @kind: "attach", "detach": the kind of what it is, as target.h has it; or NULL
 * @target: and its number or name
 */
struct event {
	const char *name;
	char *path;
	char *old_path;
	char *param[PARAM_COUNT];
	const char *kind;
	char target[EVENT_NAME_MAX];
};

/* Return: false if it is none, or incomplete; freed then. */
bool event_read(struct event *event, const struct nlmsghdr *message);
void event_free(struct event *event);

#endif
