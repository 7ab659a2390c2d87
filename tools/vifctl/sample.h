/* SPDX-License-Identifier: GPL-2.0 */
/* The counters of VIFs at one time, by netlink: for who looks at many, and often. */
#ifndef VIFCTL_SAMPLE_H
#define VIFCTL_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "genl.h"
#include "vif_counters.h"

struct vif_sample {
	uint64_t id;
	uint64_t parent_id;		/* 0: none */
	char *path;			/* "eth0/web" */
	bool is_readable;		/* has counters */
	struct vif_counters side[DIRECTIONS];
};

struct sample {
	struct vif_sample *vif;		/* by id, each once */
	size_t count;
	size_t room;
	uint64_t time_ns;		/* CLOCK_MONOTONIC */
};

/**
 * sample_read - read the counters of VIFs and all below them
 * @sample: empty, or the VIFs are put to those that it has
 * @genl: the family
 * @path: the VIF to start with; NULL for all devices
 *
 * Return: 0, or -1 and errno; ENOENT, ENODEV where @path is not there.
 */
int sample_read(struct sample *sample, const struct genl *genl,
		const char *path);

/* When all is read. */
void sample_sort(struct sample *sample);
void sample_free(struct sample *sample);

#endif
