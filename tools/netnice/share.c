// SPDX-License-Identifier: GPL-2.0
/* Packets wait for their VIF's turn where one above it has a limit, or the device drains them. */
#include "share.h"

#include <net/if.h>
#include <string.h>

#include "qdisc.h"
#include "rate.h"

static void look_at_qdisc(uint32_t parent, const char *kind, void *arg)
{
	bool *drains = arg;

	(void)parent;
	*drains |= !strcmp(kind, QDISC_NETNICE);
}

/* The device drains its VIFs itself; also said where that is unknown. */
static bool is_drained_by_device(const char *dev)
{
	bool drains = false;

	return qdisc_each(if_nametoindex(dev), look_at_qdisc, &drains) || drains;
}

/* What may not be read is taken for a limit: nothing wrong is said then. */
bool share_counts(const struct nnfs *fs, const char *path, const char *dev,
		  const char *direction)
{
	for (enum vif_dir dir = 0; dir < VIF_DIRS; dir++)
		if ((!direction || !strcmp(vif_dir_name[dir], direction)) &&
		    rate_above(fs, path, dir) != VIF_RATE_MAX)
			return true;
	return (!direction || strcmp(direction, "ingress")) &&
	       is_drained_by_device(dev);
}
