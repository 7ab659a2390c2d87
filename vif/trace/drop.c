// SPDX-License-Identifier: GPL-2.0
#include "drop.h"

#include "../compat/drop.h"

enum skb_drop_reason vif_drop_reason(enum vif_drop why)
{
	switch (why) {
	case VIF_DROP_CODEL:
	case VIF_DROP_EXPIRED:
	case VIF_DROP_ACK:
		return VIF_SKB_DROP_CONGESTED;
	case VIF_DROP_NOMEM:
		return SKB_DROP_REASON_NOMEM;
	case VIF_DROP_SEGMENT:
		return SKB_DROP_REASON_SKB_GSO_SEG;
	case VIF_DROP_CLOSED:
		return SKB_DROP_REASON_DEV_READY;
	case VIF_DROP_PROGRAM:
		return SKB_DROP_REASON_SOCKET_FILTER;
	default:
		return VIF_SKB_DROP_OVERLIMIT;
	}
}
