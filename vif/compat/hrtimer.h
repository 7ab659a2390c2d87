/* SPDX-License-Identifier: GPL-2.0 */
/* hrtimer_init() has become hrtimer_setup(). */
#ifndef NETNICE_COMPAT_HRTIMER_H
#define NETNICE_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>

static inline void
vif_hrtimer_setup_soft(struct hrtimer *timer,
		       enum hrtimer_restart (*function)(struct hrtimer *))
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	timer->function = function;
#endif
}

#endif
