/* SPDX-License-Identifier: GPL-2.0 */
/* The control groups of systemd units. */
#ifndef UNIT_H
#define UNIT_H

/**
 * unit_group - find the control group of an active unit
 * @name: for example "nginx.service" or "user-1000.slice"; "nginx" means nginx.service
 *
 * Calls systemctl(1). Return: its path, for example "/system.slice/nginx.service", which the caller
 * frees; NULL after a message.
 */
char *unit_group(const char *name);

#endif
