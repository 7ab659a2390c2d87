/* SPDX-License-Identifier: GPL-2.0 */
/* The syntax of quotas (struct vif_quota). */
#ifndef NETNICE_GRAMMAR_QUOTA_H
#define NETNICE_GRAMMAR_QUOTA_H

#include "params.h"

extern const struct vif_param_kind vif_quota_kind;

#endif
