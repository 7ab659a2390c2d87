/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_CORNER_H
#define LAB_CORNER_H

/* Cases that are known to be difficult, one test each. */
void corner_cases(void);

#endif
