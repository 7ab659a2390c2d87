// SPDX-License-Identifier: GPL-2.0
/* vifctl show -j: an array with one object a VIF, parents first. */
#include "show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void put_words(struct json *json, const char *key, const char *egress,
		      const char *ingress)
{
	json_open(json, key, '{');
	json_string(json, "egress", egress);
	json_string(json, "ingress", ingress);
	json_close(json, '}');
}

/* A weight or a priority. */
static void put_share(struct json *json, const char *key,
		      const struct listed *vif, unsigned int egress,
		      unsigned int ingress)
{
	if (!vif->is_readable) {
		json_null(json, key);
		return;
	}
	json_open(json, key, '{');
	json_number(json, "egress", egress);
	json_number(json, "ingress", ingress);
	json_close(json, '}');
}

static void put_statistics(struct json *json, const struct listed *vif)
{
	if (!vif->is_readable) {
		json_null(json, "statistics");
		return;
	}
	json_open(json, "statistics", '{');
	for (size_t i = 0; i < DIRECTIONS; i++) {
		json_open(json, direction_names[i], '{');
		for (size_t j = 0; j < COUNTERS; j++)
			json_number(json, counter_name(j),
				    vif->side[i].counter[j]);
		json_close(json, '}');
	}
	json_close(json, '}');
}

static void put_vif(struct json *json, const struct listed *vif,
		    const struct attachments *attachments, bool with_stat)
{
	const struct attached *attached;
	size_t count;

	attached = attachments_of(attachments, vif->id, &count);
	json_open(json, NULL, '{');
	put_device(json, vif->path);
	json_string(json, "path", vif->path);
	json_string(json, "name", vif->name);
	put_words(json, "bandwidth", vif->side[EGRESS].rate,
		  vif->side[INGRESS].rate);
	put_words(json, "minimum", vif->side[EGRESS].minimum,
		  vif->side[INGRESS].minimum);
	put_share(json, "weight", vif, vif->side[EGRESS].weight,
		  vif->side[INGRESS].weight);
	put_share(json, "priority", vif, vif->side[EGRESS].priority,
		  vif->side[INGRESS].priority);
	if (!strchr(vif->path, '/'))
		put_words(json, "link_layer", vif->side[EGRESS].link_layer,
			  vif->side[INGRESS].link_layer);
	put_tasks(json, attached, count);
	json_open(json, "attached", '[');
	for (size_t i = 0; i < count; i++)
		put_attached(json, &attached[i]);
	json_close(json, ']');
	if (with_stat)
		put_statistics(json, vif);
	json_close(json, '}');
}

void show_json(const struct listing *listing,
	       const struct attachments *attachments, bool pretty)
{
	struct json json = { .pretty = pretty };

	json_open(&json, NULL, '[');
	for (size_t i = 0; i < listing->count; i++)
		put_vif(&json, &listing->vif[i], attachments,
			listing->has_counters);
	json_close(&json, ']');
}
