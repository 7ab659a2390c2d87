/* SPDX-License-Identifier: GPL-2.0 */
/* Wait for changes: units that are reloaded, devices, default routes. */
#ifndef NETNICE_UNITS_WATCH_H
#define NETNICE_UNITS_WATCH_H

/* Applies what there is, says that it is ready, and goes on. Return: after a message. */
void watch(void);

#endif
