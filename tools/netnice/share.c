// SPDX-License-Identifier: GPL-2.0
/* Packets wait for their VIF's turn where one above it has a limit, or the device drains them. */
#include "share.h"

#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qdisc.h"

/* In one of the lines "egress RATE" and "ingress RATE" there is one. */
static bool has_limit(const char *text, const char *direction)
{
	char word[16], rate[32];
	int len;

	for (; sscanf(text, "%15s %31s%n", word, rate, &len) == 2; text += len)
		if ((!direction || !strcmp(word, direction)) && strcmp(rate, "max"))
			return true;
	return false;
}

/* What may not be read is taken for a limit: nothing wrong is said then. */
static bool is_limited(const struct nnfs *fs, const char *vif,
		       const char *direction)
{
	char *text = nnfs_read_vif(fs, vif, "bandwidth");
	bool is = !text || has_limit(text, direction);

	free(text);
	return is;
}

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

bool share_counts(const struct nnfs *fs, const char *path, const char *dev,
		  const char *direction)
{
	char *vif = strdup(path), *slash;
	bool limited = !vif;

	while (!limited && (slash = strrchr(vif, '/'))) {
		*slash = '\0';
		limited = is_limited(fs, vif, direction);
	}
	free(vif);
	if (limited)
		return true;
	return (!direction || strcmp(direction, "ingress")) &&
	       is_drained_by_device(dev);
}
