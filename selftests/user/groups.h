/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_GROUPS_H
#define LAB_GROUPS_H

/* Clocks that share their time. */
void groups_check(void);

#endif
