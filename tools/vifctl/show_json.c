// SPDX-License-Identifier: GPL-2.0
/* vifctl show -j: an array with one object a VIF, parents first. */
#include "show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "stat.h"

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
	json_string(json, "origin", attached->is_admins ? "admin" : "user");
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
		json_id(json, "cookie", attached->number);
		if (attached->port) {
			json_string(json, "protocol", attached->protocol);
			json_number(json, "port", attached->port);
		}
		break;
	case TARGET_CGROUP:
		json_id(json, "id", attached->number);
		json_string(json, "cgroup", attached->name);
		break;
	case TARGET_DEVICE:
		json_number(json, "ifindex", attached->number);
		json_string(json, "device", attached->name);
		break;
	}
	json_close(json, '}');
}

static void put_words(struct json *json, const struct vif_info *vif, enum param_id id)
{
	json_open(json, params[id].name, '{');
	for (int i = 0; i < VIF_DIRS; i++)
		json_string(json, vif_dir_name[i], vif->side[i].param[id]);
	json_close(json, '}');
}

/* The same as a number: null where there is no limit */
static void put_rate(struct json *json, const char *key, const struct vif_info *vif,
		     enum param_id id)
{
	json_open(json, key, '{');
	for (int i = 0; i < VIF_DIRS; i++) {
		const struct vif_side *side = &vif->side[i];

		if (!vif->is_readable || (id == PARAM_BANDWIDTH && !side->bandwidth))
			json_null(json, vif_dir_name[i]);
		else
			json_number(json, vif_dir_name[i], 8 * (id == PARAM_BANDWIDTH ?
				    side->bandwidth : side->minimum));
	}
	json_close(json, '}');
}

/* A weight or a priority. */
static void put_share(struct json *json, const struct vif_info *vif, enum param_id id)
{
	if (!vif->is_readable) {
		json_null(json, params[id].name);
		return;
	}
	json_open(json, params[id].name, '{');
	for (int i = 0; i < VIF_DIRS; i++)
		json_number(json, vif_dir_name[i],
			    strtoul(vif->side[i].param[id], NULL, 10));
	json_close(json, '}');
}

static void put_statistics(struct json *json, const struct vif_info *vif)
{
	if (!vif->is_readable) {
		json_null(json, "statistics");
		return;
	}
	json_open(json, "statistics", '{');
	for (size_t i = 0; i < VIF_DIRS; i++)
		stat_json_side(json, vif, i);
	json_close(json, '}');
}

static void put_program(struct json *json, const struct vif_side *side, int dir)
{
	if (!side->program) {
		json_null(json, vif_dir_name[dir]);
		return;
	}
	json_open(json, vif_dir_name[dir], '{');
	json_number(json, "instructions", side->program);
	if (side->program_uid >= 0)
		json_number(json, "uid", side->program_uid);
	else
		json_null(json, "uid");
	json_close(json, '}');
}

/* Only where there is one */
static void put_programs(struct json *json, const struct vif_info *vif)
{
	if (!vif->side[VIF_EGRESS].program && !vif->side[VIF_INGRESS].program)
		return;
	json_open(json, "program", '{');
	for (int dir = 0; dir < VIF_DIRS; dir++)
		put_program(json, &vif->side[dir], dir);
	json_close(json, '}');
}

/* What is there without them stands before. */
static void put_details(struct json *json, const struct vif_info *vif)
{
	static const enum param_id words[] = {
		PARAM_BURST, PARAM_LIMIT, PARAM_AQM, PARAM_FAIR, PARAM_GROUP, PARAM_CLASS,
		PARAM_DSCP, PARAM_MARK, PARAM_SKB_PRIORITY, PARAM_QUOTA,
	};
	const char *owner = vif->param[PARAM_OWNER], *colon = strchr(owner, ':');

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		put_words(json, vif, words[i]);
	put_share(json, vif, PARAM_LOCAL_WEIGHT);
	put_share(json, vif, PARAM_LOCAL_PRIORITY);
	json_number(json, "uid", strtoul(owner, NULL, 10));
	json_number(json, "gid", strtoul(colon + 1, NULL, 10));
	json_string(json, "mode", vif->param[PARAM_MODE]);
	if (vif->is_readable)
		json_number(json, "autoremove", *vif->param[PARAM_AUTOREMOVE] == '1');
	else
		json_null(json, "autoremove");
	put_programs(json, vif);
}

static void put_vif(struct json *json, const struct vif_info *vif,
		    const struct attachments *attachments, const struct options *options)
{
	const struct attached *attached;
	size_t count;

	attached = attachments_of(attachments, vif->id, &count);
	json_open(json, NULL, '{');
	json_version(json);
	json_path(json, vif->path);
	json_string(json, "name", vif->name);
	put_words(json, vif, PARAM_BANDWIDTH);
	put_rate(json, "bandwidth_bits_per_s", vif, PARAM_BANDWIDTH);
	put_words(json, vif, PARAM_MINIMUM);
	put_rate(json, "minimum_bits_per_s", vif, PARAM_MINIMUM);
	put_share(json, vif, PARAM_WEIGHT);
	put_share(json, vif, PARAM_PRIORITY);
	if (!strchr(vif->path, '/'))
		put_words(json, vif, PARAM_LINK_LAYER);
	if (options->details)
		put_details(json, vif);
	if (vif->stack)
		json_string(json, "stack", vif->stack);
	put_tasks(json, attached, count);
	json_open(json, "attached", '[');
	for (size_t i = 0; i < count; i++)
		put_attached(json, &attached[i]);
	json_close(json, ']');
	if (options->statistics)
		put_statistics(json, vif);
	json_close(json, '}');
}

void show_json(const struct vif_list *list,
	       const struct attachments *attachments, const struct options *options)
{
	struct json json = { .pretty = options->pretty };

	json_open(&json, NULL, '[');
	for (size_t i = 0; i < list->count; i++)
		put_vif(&json, &list->vif[i], attachments, options);
	json_close(&json, ']');
}
