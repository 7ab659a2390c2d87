/* SPDX-License-Identifier: GPL-2.0 */
/* The ways in which "vifctl stat" prints counters. */
#ifndef VIFCTL_STAT_H
#define VIFCTL_STAT_H

#include "tree.h"

void stat_text(const struct tree *tree);
void stat_json(const struct tree *tree, bool pretty);
void stat_prometheus(const struct tree *tree);

#endif
