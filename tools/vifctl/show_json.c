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

static void put_tasks(struct json *json, const struct attached *attached,
		      size_t count)
{
	json_open(json, "tasks", '[');
	for (size_t i = 0; i < count; i++) {
		if (attached[i].kind != TARGET_PROCESS)
			continue;
		json_open(json, NULL, '{');
		json_number(json, "pid", attached[i].number);
		json_string(json, "comm", attached[i].name);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_attached(struct json *json, const struct attached *attached)
{
	json_open(json, NULL, '{');
	json_string(json, "kind", target_kinds[attached->kind].word);
	json_string(json, "slot", attached->is_given ? "given" : "chosen");
	switch (attached->kind) {
	case TARGET_PROCESS:
		json_number(json, "pid", attached->number);
		json_string(json, "comm", attached->name);
		break;
	case TARGET_THREAD:
		json_number(json, "pid", attached->process);
		json_number(json, "tid", attached->number);
		json_string(json, "comm", attached->name);
		break;
	case TARGET_SOCKET:
		json_number(json, "cookie", attached->number);
		break;
	case TARGET_CGROUP:
		json_number(json, "id", attached->number);
		json_string(json, "cgroup", attached->name);
		break;
	case TARGET_DEVICE:
		json_number(json, "ifindex", attached->number);
		json_string(json, "device", attached->name);
		break;
	}
	json_close(json, '}');
}

static void put_share(struct json *json, const struct vif_info *vif,
		      enum param_id id)
{
	struct share share;

	if (!share_read(vif, id, &share)) {
		json_null(json, params[id].name);
		return;
	}
	json_open(json, params[id].name, '{');
	json_number(json, "egress", share.egress);
	json_number(json, "ingress", share.ingress);
	json_close(json, '}');
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
		    const struct attachments *attachments, bool with_stat)
{
	const struct attached *attached;
	size_t count;

	attached = attachments_of(attachments, vif->id, &count);
	json_open(json, NULL, '{');
	put_device(json, vif->path);
	json_string(json, "path", vif->path);
	json_string(json, "name", vif->name);
	json_open(json, "bandwidth", '{');
	json_string(json, "egress", vif->egress);
	json_string(json, "ingress", vif->ingress);
	json_close(json, '}');
	put_share(json, vif, PARAM_WEIGHT);
	put_share(json, vif, PARAM_PRIORITY);
	put_tasks(json, attached, count);
	json_open(json, "attached", '[');
	for (size_t i = 0; i < count; i++)
		put_attached(json, &attached[i]);
	json_close(json, ']');
	if (with_stat)
		put_statistics(json, vif);
	json_close(json, '}');
}

void show_json(const struct tree *tree, const struct attachments *attachments,
	       bool pretty)
{
	struct json json = { .pretty = pretty };

	json_open(&json, NULL, '[');
	for (size_t i = 0; i < tree->count; i++)
		put_vif(&json, &tree->vif[i], attachments, tree->what & TREE_STAT);
	json_close(&json, ']');
}
