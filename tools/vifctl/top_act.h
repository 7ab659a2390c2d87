/* SPDX-License-Identifier: GPL-2.0 */
/* Changes of settings by "vifctl top". */
#ifndef VIFCTL_TOP_ACT_H
#define VIFCTL_TOP_ACT_H

#include "param.h"
#include "top_sockets.h"
#include "vifctl.h"

/**
 * top_act - set a parameter of a VIF, or of a process
 * @options: options of vifctl; its file system is opened if necessary
 * @param: the parameter
 * @value: its value, in the syntax of "vifctl set"
 * @path: the VIF
 * @process: set the VIF of this process instead, which netnice(1) has created or creates now; or NULL
 *
 * Return: a message with the result, which the caller frees.
 */
char *top_act(struct options *options, enum param_id param, const char *value,
	      const char *path, const struct top_process *process);

#endif
