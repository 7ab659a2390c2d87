/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIFCTL_NETNS_H
#define VIFCTL_NETNS_H

/**
 * netns_enter - go into another network namespace
 * @name: as ip-netns(8) has it, or a path, as /proc/1234/ns/net
 *
 * In a mount namespace of our own, so that mounts for this are private. Return: 0, or -1 after a
 * message.
 */
int netns_enter(const char *name);

/**
 * netns_enter_device - the same for who looks for a device only
 * @name: or the number of a process, whose user namespace we go into where that is needed
 */
int netns_enter_device(const char *name);

#endif
