/* SPDX-License-Identifier: GPL-2.0 */
/* Telling the service manager how we are: sd_notify(3)'s protocol. */
#ifndef NOTIFY_H
#define NOTIFY_H

void notify_ready(void);
void notify_reloading(void);
void notify_stopping(void);

#endif
