/* SPDX-License-Identifier: GPL-2.0 */
/* The syntax of values that are written to packets (struct vif_mark). */
#ifndef NETNICE_GRAMMAR_MARKS_H
#define NETNICE_GRAMMAR_MARKS_H

#include "params.h"

extern const struct vif_param_kind vif_dscp_kind;
extern const struct vif_param_kind vif_mark_kind;
extern const struct vif_param_kind vif_skb_priority_kind;

#endif
