/* SPDX-License-Identifier: GPL-2.0 */
/* Restrictions for probes of tracepoints on a real-time kernel. */
#ifndef NETNICE_VIF_RAW_H
#define NETNICE_VIF_RAW_H

#include <linux/kconfig.h>
#include <linux/preempt.h>

/*
 * Is this one of a real-time kernel's contexts that cannot be preempted? There no memory can
 * be had, and no lock taken but a raw one. Probes of tracepoints are, where the kernel calls
 * them with preemption off. On other kernels there is no such difference.
 */
static inline bool vif_context_is_raw(void)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) && !preemptible();
}

#endif
