/* SPDX-License-Identifier: GPL-2.0 */
/* Wait for changes: units that are reloaded, devices, default routes. */
#ifndef NETNICE_UNITS_WATCH_H
#define NETNICE_UNITS_WATCH_H

/* Apply all sections, report readiness, and then follow changes. It returns only after an error message. */
void watch(void);

#endif
