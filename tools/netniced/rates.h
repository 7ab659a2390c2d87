/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules by rate. What is measured are VIFs of their own, by their file stat: in five
 * intervals one after the other, a fifth of the rule's time each (at least a second),
 * it has to be above or below. There is a timer as long as there is such a VIF.
 */
#ifndef NETNICED_RATES_H
#define NETNICED_RATES_H

#include "rules.h"

/* Return: a descriptor to be polled, or -1 after a message. */
int rates_open(void);

/* Starts the timer if it stands, and there is anything to be measured. */
void rates_start(const struct rules *rules);

/* To be called before rules are freed. */
void rates_forget(void);

/* Measures; moves what has become another rule's. */
void rates_read(const struct rules *rules);

#endif
