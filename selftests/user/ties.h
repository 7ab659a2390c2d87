/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_TIES_H
#define LAB_TIES_H

#include <linux/types.h>

/*
 * Trees of clocks whose rates are about the shares of their nodes, compared with the
 * tree as a fluid, as many as said.
 */
void ties(u64 trees);

#endif
