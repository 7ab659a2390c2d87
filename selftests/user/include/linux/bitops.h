/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_LINUX_BITOPS_H
#define LAB_LINUX_BITOPS_H

#include <linux/types.h>

/* The highest bit that is set, counted from 1; 0 if none is. */
static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

/* The lowest bit that is set, counted from 0; there must be one. */
static inline unsigned long __ffs(unsigned long x)
{
	return __builtin_ctzl(x);
}

#endif
