/* SPDX-License-Identifier: GPL-2.0 */
/* Prometheus' text format: of one measurement a head, and then all its samples. */
#ifndef VIFCTL_PROMETHEUS_H
#define VIFCTL_PROMETHEUS_H

#include <stdio.h>

#include "vif_list.h"

/* @name: behind "netnice_vif_"; @type: of Prometheus; @help: for people */
void prometheus_head(FILE *out, const char *name, const char *type, const char *help);

/* The beginning of a sample of a VIF, with its first labels; "} VALUE\n" ends it. */
void prometheus_sample(FILE *out, const char *name, const char *path);

/* One more label; of @value what is not plain ASCII is escaped. */
void prometheus_label(FILE *out, const char *name, const char *value);

/* How long that makes it. */
size_t prometheus_label_bytes(const char *value);

/* All counters of all VIFs of which they may be read. */
void prometheus_counters(FILE *out, const struct vif_list *list);

#endif
