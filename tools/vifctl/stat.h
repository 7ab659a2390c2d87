/* SPDX-License-Identifier: GPL-2.0 */
/* The ways in which "vifctl stat" prints counters. */
#ifndef VIFCTL_STAT_H
#define VIFCTL_STAT_H

#include "json.h"
#include "vif_list.h"

void stat_text(const struct vif_list *list);
void stat_json(const struct vif_list *list, bool pretty);
void stat_prometheus(const struct vif_list *list);

/* An object of all counters of one direction, null where they may not be read */
void stat_json_side(struct json *json, const struct vif_info *vif, int direction);

#endif
