/* SPDX-License-Identifier: GPL-2.0 */
#include <stdio.h>

#include <linux/types.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
