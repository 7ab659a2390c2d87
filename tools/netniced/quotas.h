/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Quotas that are refilled at the beginning of each period, and daily accounts. The kernel's
 * counters are read every minute, at the end of a day or period, and when the daemon ends. Each
 * time they are saved to a file (store.h). So if the machine crashes, traffic since the last time
 * is lost.
 */
#ifndef NETNICED_QUOTAS_H
#define NETNICED_QUOTAS_H

#include "rules.h"

/* Return: the timer, or -1 after a message. */
int quotas_open(void);

/* The timer has expired, or the clock was set: a turn of a round. */
void quotas_read(struct rules *rules);

/* Keep what has been counted: for half a second at most, quotas first. */
void quotas_keep(struct rules *rules);

/* Set the timer, after rules or their VIFs have changed. */
void quotas_start(struct rules *rules);

/**
 * quotas_apply - give a VIF the quota of the present period
 * @vif: its section, with a period
 *
 * The traffic used so far is the file's value or, if that is larger, the kernel's.
 */
void quotas_apply(struct vif_section *vif);

#endif
