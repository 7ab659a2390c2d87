/* SPDX-License-Identifier: GPL-2.0 */
/* One of us at a time: several units start at once, while all are followed. */
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
