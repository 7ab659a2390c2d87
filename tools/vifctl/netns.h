/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIFCTL_NETNS_H
#define VIFCTL_NETNS_H

/**
 * netns_enter - enter another network namespace
 * @name: a name of ip-netns(8), or a path, for example /proc/1234/ns/net
 *
 * The caller also enters a new mount namespace, so that its mounts are private. Return: 0, or -1 after a
 * message.
 */
int netns_enter(const char *name);

/**
 * netns_enter_device - enter another network namespace, only to look for a device
 * @name: as above, or the PID of a process, whose user namespace is entered if necessary
 */
int netns_enter_device(const char *name);

#endif
