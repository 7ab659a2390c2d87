/* SPDX-License-Identifier: GPL-2.0 */
/* Units of systemd, for who wants to attach what they run in. */
#ifndef UNIT_H
#define UNIT_H

/**
 * unit_group - the control group of a unit that runs
 * @name: "nginx.service", "user-1000.slice"; "nginx" is the service
 *
 * Asks systemctl(1). Return: its path, as "/system.slice/nginx.service", to be freed; NULL after a
 * message.
 */
char *unit_group(const char *name);

#endif
