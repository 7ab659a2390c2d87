/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's events that attachments follow, by tracepoint.
 */
#ifndef NETNICE_VIF_PROBES_H
#define NETNICE_VIF_PROBES_H

/* Return: 0, -ENOENT this kernel lacks a tracepoint, or an error. */
int vif_probes_init(void);

/* On return no probe runs. */
void vif_probes_exit(void);

#endif
