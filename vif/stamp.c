// SPDX-License-Identifier: GPL-2.0
#include "stamp.h"

atomic64_t vif_stamp_all = ATOMIC64_INIT(1);
atomic64_t vif_stamp_sock[VIF_STAMP_SOCKS];
