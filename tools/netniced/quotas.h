/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Quotas that are filled again with each period, and accounts by days. What the kernel has
 * counted is read every minute, when a day or a period ends, and at a clean end; each time it
 * is kept in the file (store.h). So a crash costs what came after the last time, where the
 * kernel's counters are gone, too.
 */
#ifndef NETNICED_QUOTAS_H
#define NETNICED_QUOTAS_H

#include "rules.h"

/* Return: the timer, or -1 after a message. */
int quotas_open(void);

/* The timer has expired, or the clock was set. */
void quotas_read(struct rules *rules);

/* Keep what has been counted. */
void quotas_keep(struct rules *rules);

/* Rules are new, or their VIFs: have the timer expire in time. */
void quotas_start(struct rules *rules);

/**
 * quotas_apply - give a VIF the quota of the present period
 * @vif: its section, with a period
 *
 * What has been used is what the file says, or the kernel, if that is more.
 */
void quotas_apply(struct vif_section *vif);

#endif
