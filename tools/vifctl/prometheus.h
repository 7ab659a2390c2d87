/* SPDX-License-Identifier: GPL-2.0 */
/* The text format of Prometheus: for each metric a header, and then all its samples. */
#ifndef VIFCTL_PROMETHEUS_H
#define VIFCTL_PROMETHEUS_H

#include <stdio.h>

#include "vif_list.h"

/* Print a metric's header. @name: without "netnice_vif_"; @type: a type of Prometheus */
void prometheus_head(FILE *out, const char *name, const char *type, const char *help);

/* Begin a VIF's sample, with its first labels. The caller ends it by "} VALUE\n". */
void prometheus_sample(FILE *out, const char *name, const char *path);

/* Add a label. Bytes of @value that are not plain ASCII are escaped. */
void prometheus_label(FILE *out, const char *name, const char *value);

/* Return the length of an escaped value, in bytes. */
size_t prometheus_label_bytes(const char *value);

/* Print all counters of all VIFs, if the caller may read them. */
void prometheus_counters(FILE *out, const struct vif_list *list);

#endif
