// SPDX-License-Identifier: GPL-2.0
#include "stamp.h"

#include <linux/cache.h>

/* read for each packet, and seldom written: not beside what is */
atomic64_t vif_stamp_sock[VIF_STAMP_SOCKS] ____cacheline_aligned_in_smp;
