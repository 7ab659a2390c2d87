/* SPDX-License-Identifier: GPL-2.0 */
/* Following what changes: units that are loaded again, devices and default routes. */
#ifndef NETNICE_UNITS_WATCH_H
#define NETNICE_UNITS_WATCH_H

/* Applies what there is, says that it is ready, and goes on. Return: after a message. */
void watch(void);

#endif
