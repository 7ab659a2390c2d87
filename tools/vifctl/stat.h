/* SPDX-License-Identifier: GPL-2.0 */
/* The ways in which "vifctl stat" prints counters. */
#ifndef VIFCTL_STAT_H
#define VIFCTL_STAT_H

#include "figure.h"
#include "json.h"
#include "vif_list.h"

void stat_text(const struct vif_list *list, bool is_human);
void stat_json(const struct vif_list *list, bool pretty);

/* An object of all counters of one direction, null where they may not be read */
void stat_json_side(struct json *json, const struct vif_info *vif, int direction);

/* A counter as text, for people with units */
void stat_figure(char text[FIGURE_BYTES], enum counter counter, unsigned long long value,
		 bool is_human);

#endif
