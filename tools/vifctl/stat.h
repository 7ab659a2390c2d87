/* SPDX-License-Identifier: GPL-2.0 */
/* The formats of "vifctl stat". */
#ifndef VIFCTL_STAT_H
#define VIFCTL_STAT_H

#include "figure.h"
#include "json.h"
#include "vif_list.h"

void stat_text(const struct vif_list *list, bool is_human);
void stat_json(const struct vif_list *list, bool pretty);

/* Print an object with all counters of a direction, or null if the caller may not read them. */
void stat_json_side(struct json *json, const struct vif_info *vif, int direction);

/* Print a counter; @is_human: with a unit. */
void stat_figure(char text[FIGURE_BYTES], enum counter counter, unsigned long long value,
		 bool is_human);

#endif
