/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules by rate. They measure own VIFs, by their files stat: in five consecutive intervals the rate
 * must be above, or below, the rule's rate. An interval is a fifth of the rule's time, at least a
 * second. A timer runs while such VIFs exist.
 */
#ifndef NETNICED_RATES_H
#define NETNICED_RATES_H

#include "rules.h"

/* Return: a descriptor to be polled, or -1 after a message. */
int rates_open(void);

/* Start the timer, if it is stopped and there are VIFs to measure. */
void rates_start(const struct rules *rules);

/* Drop references to rules, before these are freed. */
void rates_forget(void);

/* Measure, and move VIFs for which another rule now matches. */
void rates_read(const struct rules *rules);

#endif
