/* SPDX-License-Identifier: GPL-2.0 */
/* Telling the service manager how we are: sd_notify(3)'s protocol. */
#ifndef NOTIFY_H
#define NOTIFY_H

void notify_ready(void);

/* The same, with what systemctl status is to show. */
void notify_ready_with(const char *status);
void notify_reloading(void);
void notify_stopping(void);

#endif
