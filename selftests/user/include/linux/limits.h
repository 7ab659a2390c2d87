/* SPDX-License-Identifier: GPL-2.0 */
/* <limits.h> includes this one. */
#include_next <linux/limits.h>

#ifndef LAB_LINUX_LIMITS_H
#define LAB_LINUX_LIMITS_H

#ifndef INT_MAX
#define INT_MAX __INT_MAX__
#endif
#define U64_MAX (~0ULL)

#endif
