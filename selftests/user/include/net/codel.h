/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAB_NET_CODEL_H
#define LAB_NET_CODEL_H

#include <linux/types.h>

#define CODEL_SHIFT	10

typedef u32 codel_time_t;

struct codel_params {
	codel_time_t target;
	codel_time_t interval;
};

#endif
