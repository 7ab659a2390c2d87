// SPDX-License-Identifier: GPL-2.0
/* vifctl show -j: an array with one object a VIF, parents first. */
#include "show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "json.h"

static void put_device(struct json *json, const char *path)
{
	char *dev = strdup(path);

	if (dev)
		dev[strcspn(dev, "/")] = '\0';
	json_string(json, "dev", dev);
	free(dev);
}

static void put_tasks(struct json *json, const struct vif_info *vif)
{
	char pid[16];

	json_open(json, "tasks", '[');
	for (size_t i = 0; i < vif->n_tasks; i++) {
		snprintf(pid, sizeof(pid), "%d", vif->task[i].pid);
		json_open(json, NULL, '{');
		json_value(json, "pid", pid);
		json_string(json, "comm", vif->task[i].comm);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* The lines of one direction, or those of none. */
static void put_lines(struct json *json, const char *stat,
		      const char *direction)
{
	char *text = strdup(stat), *rest = text;
	struct stat_line line;

	if (direction)
		json_open(json, direction, '{');
	while (stat_next(&rest, &line))
		if (direction ? line.direction &&
		    !strcmp(line.direction, direction) : !line.direction)
			json_value(json, line.key, line.value);
	if (direction)
		json_close(json, '}');
	free(text);
}

static void put_statistics(struct json *json, const struct vif_info *vif)
{
	if (!vif->stat) {
		json_string(json, "statistics", NULL);
		return;
	}
	json_open(json, "statistics", '{');
	put_lines(json, vif->stat, "egress");
	put_lines(json, vif->stat, "ingress");
	put_lines(json, vif->stat, NULL);
	json_close(json, '}');
}

static void put_vif(struct json *json, const struct vif_info *vif,
		    bool with_stat)
{
	json_open(json, NULL, '{');
	put_device(json, vif->path);
	json_string(json, "path", vif->path);
	json_string(json, "name", vif->name);
	json_open(json, "bandwidth", '{');
	json_string(json, "egress", vif->egress);
	json_string(json, "ingress", vif->ingress);
	json_close(json, '}');
	put_tasks(json, vif);
	if (with_stat)
		put_statistics(json, vif);
	json_close(json, '}');
}

void show_json(const struct tree *tree, bool pretty)
{
	struct json json = { .pretty = pretty };

	json_open(&json, NULL, '[');
	for (size_t i = 0; i < tree->count; i++)
		put_vif(&json, &tree->vif[i], tree->what & TREE_STAT);
	json_close(&json, ']');
}
