// SPDX-License-Identifier: GPL-2.0
#include "genid.h"

#include <linux/cache.h>

/* read for each packet, and seldom written: kept apart from written data */
atomic64_t vif_genid_sock[VIF_GENID_SOCKS] ____cacheline_aligned_in_smp;
