// SPDX-License-Identifier: GPL-2.0
#include "show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "belonging.h"
#include "complain.h"
#include "effect.h"
#include "escape.h"
#include "failure.h"
#include "param.h"

/* VIFs and settings that cannot be read are left out. */
static void put_param(const struct nnfs *fs, const char *vif,
		      const struct param *param)
{
	char *text = nnfs_read_vif(fs, vif, param->name);
	char *value = text ? param_normal(param, text) : NULL;

	if (value && strcmp(value, param->initial))
		printf(" %s %s", param->name, value);
	free(value);
	free(text);
}

static void put_vif(const struct nnfs *fs, const char *vif)
{
	escape_put(stdout, vif);
	for (size_t i = 0; i < PARAM_DIRECTED; i++)
		put_param(fs, vif, &params[i]);
	putchar('\n');
}

static int show_on(const struct nnfs *fs, const char *dev,
		   const struct subject *subject)
{
	struct belonging belonging;
	char *vif, *slash;

	if (belonging_find(&belonging, fs, &subject->target, dev) || !belonging.now) {
		nnfs_warn(fs, "%s", dev);
		return -1;
	}
	vif = belonging.now;
	put_vif(fs, vif);
	while ((slash = strrchr(vif, '/'))) {
		*slash = '\0';
		fputs("  in ", stdout);
		put_vif(fs, vif);
	}
	belonging_free(&belonging);
	return 0;
}

int show(const struct nnfs *fs, const struct netdev_list *devs,
	 const struct subject *subject)
{
	for (size_t i = 0; i < devs->count; i++)
		if (show_on(fs, devs->name[i], subject))
			return -1;
	effect_target(&subject->target, devs->name[0]);
	return complain_output();
}
