/* SPDX-License-Identifier: GPL-2.0 */
/* What is changed from within "vifctl top". */
#ifndef VIFCTL_TOP_ACT_H
#define VIFCTL_TOP_ACT_H

#include "param.h"
#include "top_sockets.h"
#include "vifctl.h"

/**
 * top_act - set a parameter of a VIF, or of a process
 * @options: the file system is opened if need be
 * @param: which
 * @value: as "vifctl set" takes it
 * @path: the VIF
 * @process: instead the VIF that netnice(1) has made for it, or makes now; or NULL
 *
 * Return: what has come of it, for people; to be freed.
 */
char *top_act(struct options *options, enum param_id param, const char *value,
	      const char *path, const struct top_process *process);

#endif
