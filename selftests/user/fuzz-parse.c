// SPDX-License-Identifier: GPL-2.0
/*
 * What is written into files of /proc/network, as a fuzzer's input: what is
 * accepted is in range, comes back the same when it is printed and read again, and is
 * the same for the tools; what is not, they refuse, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/netnice_netlink.h>
#include <linux/types.h>

#include "../../tools/common/param_check.h"
#include "../../vif/grammar/params.h"
#include "../../vif/grammar/path.h"
#include "check.h"

#define SETTING_BYTES	256

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static bool is_rate(u64 rate)
{
	return rate >= VIF_RATE_MIN && rate <= VIF_RATE_LIMIT;
}

static bool is_mark(const struct vif_mark *mark, u32 most)
{
	const u32 value = mark->bits.value, mask = mark->bits.mask;

	return mask ? !(value & ~mask) && value <= most && mark->force <= 1 :
		      !value && !mark->force;
}

static void check_ranges(const struct vif_params *set)
{
	const struct vif_limit *limit = &set->limit;
	const struct vif_quota *quota = &set->quota;
	const struct vif_link *link = &set->link_layer;

	lab_check(set->bandwidth == VIF_RATE_MAX || is_rate(set->bandwidth),
		  "rate %llu", set->bandwidth);
	lab_check(!set->minimum || is_rate(set->minimum), "minimum %llu", set->minimum);
	lab_check(set->burst.ns <= VIF_BURST_MAX_NS &&
		  set->burst.bytes <= VIF_BURST_MAX_BYTES &&
		  !(set->burst.ns && set->burst.bytes),
		  "burst %llu bytes %llu ns", set->burst.bytes, set->burst.ns);
	lab_check(set->weight >= 1 && set->weight <= VIF_WEIGHT_MAX, "weight %u", set->weight);
	lab_check(set->priority <= VIF_PRIORITY_MAX, "priority %u", set->priority);
	lab_check(!!limit->bytes + !!limit->packets + !!limit->max <= 1 &&
		  limit->packets <= VIF_LIMIT_MAX_PACKETS,
		  "limit %u bytes %u packets", limit->bytes, limit->packets);
	lab_check(set->aqm.target_us <= VIF_CODEL_MAX_US &&
		  set->aqm.interval_us <= VIF_CODEL_MAX_US && set->aqm.no_ack_filter <= 1 &&
		  (!set->aqm.interval_us || set->aqm.target_us < set->aqm.interval_us),
		  "target %u interval %u", set->aqm.target_us, set->aqm.interval_us);
	lab_check((link->overhead == VIF_OVERHEAD_NONE ||
		   (link->overhead >= VIF_OVERHEAD_MIN &&
		    link->overhead <= VIF_OVERHEAD_MAX)) &&
		  link->mpu >= 0 && link->mpu <= VIF_MPU_MAX &&
		  link->framing <= NETNICE_FRAMING_PTM,
		  "overhead %d mpu %d framing %u", link->overhead, link->mpu, link->framing);
	lab_check(set->class <= VIF_CLASS_MAX && set->group <= VIF_GROUP_MAX,
		  "class %u group %u", set->class, set->group);
	lab_check(quota->bytes <= VIF_QUOTA_MAX_BYTES && quota->left <= quota->bytes &&
		  (quota->then == VIF_QUOTA_STOP || is_rate(quota->then) ||
		   (!quota->then && !quota->bytes)),
		  "quota %llu left %llu then %llu", quota->bytes, quota->left, quota->then);
	lab_check(is_mark(&set->dscp, VIF_DSCP_MAX) && is_mark(&set->mark, ~0U) &&
		  is_mark(&set->skb_priority, ~0U) &&
		  set->skb_priority.bits.value != VIF_SKB_PRIORITY_CONTROL,
		  "dscp %u mark %u/%u priority %u", set->dscp.bits.value,
		  set->mark.bits.value, set->mark.bits.mask, set->skb_priority.bits.value);
}

/* As it is printed, with a direction before it, it is the same. */
static void try_again(enum vif_param_id id, const struct vif_params *set)
{
	const enum vif_dir dir = vif_param_dirs(id) - 1;
	char printed[VIF_PRINT_MAX], text[2 * VIF_PRINT_MAX];
	struct vif_params again[VIF_DIRS] = { *set, *set };
	struct vif_word bad;
	unsigned int dirs;

	vif_param_print(id, set, printed);
	snprintf(text, sizeof(text), "%s %s", vif_dir_name[dir], printed);
	memset((char *)&again[dir] + vif_param[id].offset, 0xff, vif_param[id].size);
	lab_check(!vif_param_parse(id, text, again, &dirs, &bad) &&
		  dirs == 1U << dir &&
		  !memcmp((char *)&again[dir] + vif_param[id].offset,
			  (char *)set + vif_param[id].offset, vif_param[id].size),
		  "%s is printed as %s", vif_param[id].name, printed);
}

/* What the tools make of a setting that the kernel has taken. */
static void compare(enum vif_param_id id, const char *text,
		    const struct vif_params set[VIF_DIRS])
{
	char printed[VIF_DIRS][VIF_PRINT_MAX], want[2 * VIF_PRINT_MAX + 20];
	char *normal = param_normal(&params[id], text);

	vif_param_print(id, &set[VIF_EGRESS], printed[0]);
	vif_param_print(id, &set[VIF_INGRESS], printed[1]);
	if (vif_param_dirs(id) == VIF_DIRS && strcmp(printed[0], printed[1]))
		snprintf(want, sizeof(want), "egress %s ingress %s", printed[0],
			 printed[1]);
	else
		snprintf(want, sizeof(want), "%s", printed[0]);
	lab_check(!strcmp(normal, want), "%s %s is %s, for the tools %s",
		  vif_param[id].name, text, want, normal);
	free(normal);
}

static void try_setting(enum vif_param_id id, const char *text)
{
	struct vif_params set[VIF_DIRS] = { vif_params_initial, vif_params_initial };
	struct vif_word bad;
	unsigned int dirs;
	bool taken = !vif_param_parse(id, text, set, &dirs, &bad);

	if (!taken)
		lab_check(bad.text >= text &&
			  bad.text + bad.len <= text + strlen(text),
			  "a word outside of the text is to blame");
	if (strlen(text) < SETTING_BYTES)
		lab_check(taken == !param_check(&params[id], text),
			  "%s %s is%s taken, for the tools it is%s", params[id].name,
			  text, taken ? "" : " not", taken ? " not" : "");
	if (!taken)
		return;
	for (int dir = 0; dir < VIF_DIRS; dir++) {
		check_ranges(&set[dir]);
		try_again(id, &set[dir]);
	}
	compare(id, text, set);
}

/* The tools write one space where there was white space. */
static void squeeze(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (!strchr(" \t\n\v\f\r", *text))
			*to++ = *text;
		else if (text[1] && !strchr(" \t\n\v\f\r", text[1]))
			*to++ = ' ';
	*to = '\0';
}

static void try_path(const char *text)
{
	size_t size = 1 + strlen(text) % 64;
	char *path = malloc(size);

	if (!vif_path_join("/a/b", text, path, size))
		lab_check(strlen(path) < size && !strstr(path, "//") &&
			  !strstr(path, "/./") && !strstr(path, "/../"),
			  "path %s", path);
	free(path);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	try_path(text);
	squeeze(text);
	for (unsigned int i = 0; i < VIF_PARAMS; i++)
		try_setting(i, text);
	free(text);
	return 0;
}
