/* SPDX-License-Identifier: GPL-2.0 */
/* Notifications to the service manager, by the protocol of sd_notify(3). */
#ifndef NOTIFY_H
#define NOTIFY_H

void notify_ready(void);

/* Do the same, with a text for systemctl status. */
void notify_ready_with(const char *status);
void notify_reloading(void);
void notify_stopping(void);

#endif
