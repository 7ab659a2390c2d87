/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NETNICE_CLOCK_H
#define NETNICE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define SECOND_NS	1000000000ULL

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * SECOND_NS + now.tv_nsec;
}

#endif
