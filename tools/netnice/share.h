/* SPDX-License-Identifier: GPL-2.0 */
/* Whether weights and priorities can have an effect: only where packets wait do they. */
#ifndef NETNICE_TOOL_SHARE_H
#define NETNICE_TOOL_SHARE_H

#include <stdbool.h>

#include "nnfs.h"

/**
 * share_counts - whether packets may ever wait for a VIF's turn
 * @fs: the file system
 * @path: the VIF
 * @dev: the device
 * @direction: "egress", "ingress", or NULL: one of them is enough
 */
bool share_counts(const struct nnfs *fs, const char *path, const char *dev,
		  const char *direction);

#endif
