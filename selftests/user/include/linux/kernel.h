/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_LINUX_KERNEL_H
#define LAB_LINUX_KERNEL_H

#include <linux/types.h>

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))

/* @unit: a power of two */
#define round_down(x, unit)	((x) & ~((unit) - 1))
#define ALIGN(x, unit)		(((x) + (unit) - 1) & ~((unit) - 1))

/* A number below @end, as @x is below 2^32. */
static inline u32 reciprocal_scale(u32 x, u32 end)
{
	return ((u64)x * end) >> 32;
}

#endif
