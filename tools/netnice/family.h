/* SPDX-License-Identifier: GPL-2.0 */
/* Attaching a running process without losing what it forks meanwhile. */
#ifndef NETNICE_TOOL_FAMILY_H
#define NETNICE_TOOL_FAMILY_H

#include "process.h"
#include "vif.h"

/*
 * The process and those of its descendants that were born while it was being
 * attached. All in @before are older: they are left alone.
 */
struct family {
	struct process_list before;
	pid_t *pid;
	size_t count;
};

/* Notes who exists. Return: 0, or -1 after a message. */
int family_init(struct family *family, pid_t pid);
void family_free(struct family *family);

/**
 * family_follow - attach the children born before that took effect
 * @family: the process itself is attached; or empty
 * @set: the VIFs
 *
 * A process that is attached passes it on to its children, so a pass that
 * finds none without it is the last one. Return: 0, or -1 after a message.
 */
int family_follow(struct family *family, const struct vif_set *set);

/* Puts all back to where the process was. */
void family_detach(const struct family *family, const struct vif_set *set);

#endif
