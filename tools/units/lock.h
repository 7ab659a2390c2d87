/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A lock, so that only one instance works at a time: units may start at once, while another
 * instance handles all units.
 */
#ifndef NETNICE_UNITS_LOCK_H
#define NETNICE_UNITS_LOCK_H

/**
 * lock_take - wait for the lock
 *
 * Not forever: a late start is better than none. Return: for lock_release().
 */
int lock_take(void);
void lock_release(int lock);

#endif
