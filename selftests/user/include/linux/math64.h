/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_LINUX_MATH64_H
#define LAB_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div64_u64(u64 a, u64 b)
{
	return a / b;
}

static inline s64 div64_s64(s64 a, s64 b)
{
	return a / b;
}

static inline u64 div_u64(u64 a, u32 b)
{
	return a / b;
}

/*
 * a * b / c without losing what is beyond 64 bits on the way. Where the result has more than
 * that, the processor faults, as x86's does in the kernel.
 */
static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c)
{
	unsigned __int128 result = (unsigned __int128)a * b / c;

	if (result >> 64)
		__builtin_trap();
	return result;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 b, unsigned int shift)
{
	return ((unsigned __int128)a * b) >> shift;
}

#endif
