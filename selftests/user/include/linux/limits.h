/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_LINUX_LIMITS_H
#define LAB_LINUX_LIMITS_H

#include_next <linux/limits.h>

#define U32_MAX		(~0U)
#define U64_MAX		(~0ULL)

#endif
