/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NETNICE_VIF_NL_EVENT_H
#define NETNICE_VIF_NL_EVENT_H

/* Events are sent to those who may know, if there are any. Context: process. */
int nn_nl_event_init(void);
void nn_nl_event_exit(void);

#endif
