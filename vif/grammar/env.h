/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The grammar is part of the module and of programs: include the kernel's headers, or the C
 * library's.
 */
#ifndef NETNICE_GRAMMAR_ENV_H
#define NETNICE_GRAMMAR_ENV_H

#ifdef __KERNEL__

#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/string.h>

#else

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "units.h"

#ifndef U64_MAX
#define U64_MAX		(~0ULL)
#endif

static inline u64 div_u64_rem(u64 a, u32 b, u32 *rest)
{
	*rest = a % b;
	return a / b;
}

static inline u64 div64_u64(u64 a, u64 b)
{
	return a / b;
}

#endif

#endif
