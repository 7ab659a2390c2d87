/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's events that attachments follow, by tracepoint.
 */
#ifndef NETNICE_VIF_TRACE_H
#define NETNICE_VIF_TRACE_H

/* Return: 0, -ENOENT this kernel lacks a tracepoint, or an error. */
int vif_trace_init(void);

/* On return no probe runs. */
void vif_trace_exit(void);

#endif
