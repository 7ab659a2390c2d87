/* SPDX-License-Identifier: GPL-2.0 */
/* The ways in which "vifctl stat" prints counters. */
#ifndef VIFCTL_STAT_H
#define VIFCTL_STAT_H

#include "listing.h"

void stat_text(const struct listing *listing);
void stat_json(const struct listing *listing, bool pretty);
void stat_prometheus(const struct listing *listing);

#endif
