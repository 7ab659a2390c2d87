/* SPDX-License-Identifier: GPL-2.0 */
/* The processes that a process has started before it is attached. */
#ifndef NETNICE_TOOL_FAMILY_H
#define NETNICE_TOOL_FAMILY_H

#include "vif.h"

/**
 * family_attach - attach a process's descendants, too
 * @set: the VIFs, to which the process itself is attached
 * @pid: the process
 *
 * Attaching a descendant never lifts a limit: it is taken from VIFs above @set's, and a VIF that netnice
 * made for it is moved below @set's. Others stay where they are, which is reported of the first one.
 * Return: whether all that run are attached.
 */
bool family_attach(const struct vif_set *set, pid_t pid);

#endif
