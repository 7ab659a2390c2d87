/* SPDX-License-Identifier: GPL-2.0 */
/* Descendants of a process that started before it is attached. */
#ifndef NETNICE_TOOL_FAMILY_H
#define NETNICE_TOOL_FAMILY_H

#include "vif.h"

/**
 * family_attach - attach a process's descendants, too
 * @set: the VIFs, to which the process itself is attached
 * @pid: the process
 *
 * This never lifts a limit: a descendant is moved only if it belongs to a VIF above those of @set. A VIF
 * that netnice created for it is moved below those of @set. All other descendants stay where they are;
 * the first one is reported. Return: true if all running descendants are attached.
 */
bool family_attach(const struct vif_set *set, pid_t pid);

/**
 * family_attach_members - attach processes in the same way
 * @set: the VIFs
 * @vif: the VIF, on another device, that the processes are in, or below
 * @pid: the processes; one that is not there any more is left out
 * @count: number of processes, at least 1
 *
 * Return: how many were not in the VIFs of @set, and are now.
 */
size_t family_attach_members(const struct vif_set *set, const char *vif, const pid_t *pid, size_t count);

#endif
