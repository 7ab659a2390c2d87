/* SPDX-License-Identifier: GPL-2.0 */
/* Probes of the kernel's tracepoints: events that end, pass on or change attachments. */
#ifndef NETNICE_VIF_PROBES_H
#define NETNICE_VIF_PROBES_H

/* Return: 0, -ENOENT this kernel lacks a tracepoint, or an error. */
int vif_probes_init(void);

/**
 * vif_probes_see_received() - check the marks of each received packet from now on
 *
 * This lasts until the module ends. It is called when the first ifb appears: an ifb marks packets
 * so that they skip hooks, and the mark can outlive its reason (see vif_incoming_check_marks()). A
 * machine without an ifb does not pay for this.
 * Context: process, RTNL is held.
 */
void vif_probes_see_received(void);

/* On return no probe runs. */
void vif_probes_exit(void);

#endif
