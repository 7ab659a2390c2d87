// SPDX-License-Identifier: GPL-2.0
#include "vif_counters.h"

#include <stdlib.h>

void vif_counters_free(struct vif_counters *counters)
{
	free(counters->waits);
	counters->waits = NULL;
	counters->n_waits = 0;
}
