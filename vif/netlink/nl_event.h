/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NETNICE_VIF_NL_EVENT_H
#define NETNICE_VIF_NL_EVENT_H

#include "../tree/event.h"

/* Sends what it is told to those who may know, if there are any. */
extern const struct vif_event_ops nn_nl_event_ops;

#endif
