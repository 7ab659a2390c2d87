// SPDX-License-Identifier: GPL-2.0
/*
 * Convert text to the units that the module uses (bytes per second, bytes, nanoseconds), and back.
 * This code knows neither VIFs nor how errors are reported.
 */
#include "params.h"

#include <linux/netnice_netlink.h>

#include "env.h"
#include "marks.h"
#include "quota.h"

const char *const vif_dir_name[VIF_DIRS] = {
	[VIF_EGRESS] = "egress",
	[VIF_INGRESS] = "ingress",
};

const struct vif_params vif_params_initial = {
	.bandwidth = VIF_RATE_MAX,
	.weight = 100,
	.priority = 4,
	.local_weight = 100,
	.local_priority = 4,
	.link_layer.overhead = VIF_OVERHEAD_NONE,
};

/* Return the index of the name that @word is, or @n if it is none. */
static unsigned int vif_find_name(const struct vif_word *word, const char *const *name,
				  unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n && !vif_word_is(word, name[i]); i++)
		;
	return i;
}

static void vif_print_word(char *buf, const char *word)
{
	snprintf(buf, VIF_PRINT_MAX, "%s", word);
}

/* --- rates --- */

static int vif_parse_bytes_per_s(const struct vif_word *word, u64 *bytes_per_s)
{
	u64 bits;
	int err = vif_parse_bits(word, &bits);

	if (err)
		return err;
	*bytes_per_s = bits / 8;
	return bits < VIF_RATE_MIN * 8 || bits > VIF_RATE_LIMIT * 8 ? -ERANGE : 0;
}

static int vif_parse_rate(const struct vif_word *word, void *value)
{
	u64 *bytes_per_s = value;

	if (!vif_word_is(word, "max"))
		return vif_parse_bytes_per_s(word, bytes_per_s);
	*bytes_per_s = VIF_RATE_MAX;
	return 0;
}

static void vif_print_rate(const void *value, char *buf)
{
	const u64 *bytes_per_s = value;

	if (*bytes_per_s == VIF_RATE_MAX)
		vif_print_word(buf, "max");
	else
		vif_print_bits(buf, *bytes_per_s * 8);
}

static const struct vif_param_kind rate_kind = {
	.what		= "rate",
	.words		= 1,
	.parse		= vif_parse_rate,
	.print		= vif_print_rate,
	.accepted	= "bits per second with tc's suffixes (256k, 1.5mbit), or bytes per second (2MB/s), from 8kbit to 400gbit, or max",
};

static int vif_parse_minimum(const struct vif_word *word, void *value)
{
	u64 *bytes_per_s = value;

	if (!vif_word_is(word, "none"))
		return vif_parse_bytes_per_s(word, bytes_per_s);
	*bytes_per_s = 0;
	return 0;
}

static void vif_print_minimum(const void *value, char *buf)
{
	const u64 *bytes_per_s = value;

	if (!*bytes_per_s)
		vif_print_word(buf, "none");
	else
		vif_print_bits(buf, *bytes_per_s * 8);
}

static const struct vif_param_kind minimum_kind = {
	.what		= "rate",
	.words		= 1,
	.parse		= vif_parse_minimum,
	.print		= vif_print_minimum,
	.accepted	= "bits per second with tc's suffixes (256k, 1.5mbit), or bytes per second (2MB/s), from 8kbit to 400gbit, or none",
};

/* --- what may be a size, and something else --- */

static int vif_parse_burst(const struct vif_word *word, void *value)
{
	struct vif_burst *burst = value;
	int err;

	*burst = (struct vif_burst) { };
	if (vif_word_is(word, "auto"))
		return 0;
	err = vif_parse_size(word, &burst->bytes);
	if (err == -EINVAL)
		err = vif_parse_time(word, &burst->ns);
	if (err)
		return err;
	return (!burst->bytes && !burst->ns) || burst->bytes > VIF_BURST_MAX_BYTES ||
	       burst->ns > VIF_BURST_MAX_NS ? -ERANGE : 0;
}

static void vif_print_burst(const void *value, char *buf)
{
	const struct vif_burst *burst = value;

	if (burst->bytes)
		vif_print_size(buf, burst->bytes);
	else if (burst->ns)
		vif_print_time(buf, burst->ns);
	else
		vif_print_word(buf, "auto");
}

static const struct vif_param_kind burst_kind = {
	.what		= "time or size",
	.words		= 1,
	.parse		= vif_parse_burst,
	.print		= vif_print_burst,
	.accepted	= "a time (500us, 1.5ms) up to 3600s, or bytes (1500, 16k) up to 4GiB, or auto",
};

static int vif_parse_limit(const struct vif_word *word, void *value)
{
	struct vif_limit *limit = value;
	u64 bytes = 0, packets = 0;
	int err;

	*limit = (struct vif_limit) { .max = vif_word_is(word, "max") };
	if (limit->max || vif_word_is(word, "auto"))
		return 0;
	err = vif_parse_packets(word, &packets);
	if (err == -EINVAL)
		err = vif_parse_size(word, &bytes);
	if (err)
		return err;
	if ((!bytes && !packets) || bytes > VIF_LIMIT_MAX_BYTES || packets > VIF_LIMIT_MAX_PACKETS)
		return -ERANGE;
	limit->bytes = bytes;
	limit->packets = packets;
	return 0;
}

static void vif_print_limit(const void *value, char *buf)
{
	const struct vif_limit *limit = value;

	if (limit->max)
		vif_print_word(buf, "max");
	else if (limit->packets)
		snprintf(buf, VIF_PRINT_MAX, "%upackets", limit->packets);
	else if (limit->bytes)
		vif_print_size(buf, limit->bytes);
	else
		vif_print_word(buf, "auto");
}

static const struct vif_param_kind limit_kind = {
	.what		= "size or number of packets",
	.words		= 1,
	.parse		= vif_parse_limit,
	.print		= vif_print_limit,
	.accepted	= "bytes (64k), less than 4GiB, packets (100p) up to 1000000p, max or auto",
};

/* --- whole numbers --- */

static int vif_parse_within(const struct vif_word *word, int least, int most, s32 *value)
{
	int err = vif_parse_number(word, value);

	if (err)
		return err;
	return *value < least || *value > most ? -ERANGE : 0;
}

static int vif_parse_weight(const struct vif_word *word, void *value)
{
	return vif_parse_within(word, 1, VIF_WEIGHT_MAX, value);
}

static int vif_parse_priority(const struct vif_word *word, void *value)
{
	return vif_parse_within(word, 0, VIF_PRIORITY_MAX, value);
}

static void vif_print_number(const void *value, char *buf)
{
	const u32 *number = value;

	snprintf(buf, VIF_PRINT_MAX, "%u", *number);
}

static const struct vif_param_kind weight_kind = {
	.what		= "weight",
	.words		= 1,
	.parse		= vif_parse_weight,
	.print		= vif_print_number,
	.accepted	= "a whole number from 1 to 10000; the default is 100",
};

static const struct vif_param_kind priority_kind = {
	.what		= "priority",
	.words		= 1,
	.parse		= vif_parse_priority,
	.print		= vif_print_number,
	.accepted	= "a whole number from 0 (first) to 7 (last); the default is 4",
};

static int vif_parse_or_none(const struct vif_word *word, int most, u32 *number)
{
	if (!vif_word_is(word, "none"))
		return vif_parse_within(word, 1, most, (s32 *)number);
	*number = 0;
	return 0;
}

static void vif_print_or_none(const void *value, char *buf)
{
	const u32 *number = value;

	if (*number)
		vif_print_number(number, buf);
	else
		vif_print_word(buf, "none");
}

static int vif_parse_class(const struct vif_word *word, void *value)
{
	return vif_parse_or_none(word, VIF_CLASS_MAX, value);
}

static const struct vif_param_kind class_kind = {
	.what		= "class",
	.words		= 1,
	.parse		= vif_parse_class,
	.print		= vif_print_or_none,
	.accepted	= "a whole number from 1 to 15, or none",
};

static int vif_parse_group(const struct vif_word *word, void *value)
{
	return vif_parse_or_none(word, VIF_GROUP_MAX, value);
}

static const struct vif_param_kind group_kind = {
	.what		= "group",
	.words		= 1,
	.parse		= vif_parse_group,
	.print		= vif_print_or_none,
	.accepted	= "a whole number from 1 to 65535, or none",
};

/* --- several words --- */

static void vif_params_append(char *buf, const char *text)
{
	size_t len = strlen(buf);

	snprintf(buf + len, VIF_PRINT_MAX - len, "%s%s", len ? " " : "", text);
}

static int vif_parse_codel_time(const struct vif_word *word, u32 *us)
{
	u64 ns;
	int err = vif_parse_time(word, &ns);

	if (err)
		return err;
	if (ns < 1000 || ns > VIF_CODEL_MAX_US * 1000ULL)
		return -ERANGE;
	*us = div64_u64(ns, 1000);
	return 0;
}

static int vif_parse_codel(struct vif_word words, struct vif_aqm *aqm)
{
	bool filter_given = false;
	struct vif_word word;
	u32 *us;
	int err;

	while (vif_word_next(&words, &word)) {
		aqm->no_ack_filter |= vif_word_is(&word, "no-ack-filter");
		if (vif_word_is(&word, "ack-filter") || vif_word_is(&word, "no-ack-filter")) {
			if (filter_given)
				return -EINVAL;
			filter_given = true;
			continue;
		}
		us = vif_word_is(&word, "target") ? &aqm->target_us :
		     vif_word_is(&word, "interval") ? &aqm->interval_us : NULL;
		if (!us || *us || !vif_word_next(&words, &word))
			return -EINVAL;
		err = vif_parse_codel_time(&word, us);
		if (err)
			return err;
	}
	return aqm->interval_us && aqm->target_us >= aqm->interval_us ? -ERANGE : 0;
}

static int vif_parse_aqm(const struct vif_word *words, void *value)
{
	struct vif_word rest = *words, word;
	struct vif_aqm *aqm = value;

	*aqm = (struct vif_aqm) { .kind = NETNICE_AQM_CODEL };
	vif_word_next(&rest, &word);
	if (vif_word_is(&word, "codel"))
		return vif_parse_codel(rest, aqm);
	if (vif_word_is(words, "none"))
		aqm->kind = NETNICE_AQM_NONE;
	else if (!vif_word_is(words, "auto"))
		return -EINVAL;
	return 0;
}

static void vif_append_time(char *buf, const char *key, u32 us)
{
	char time[VIF_PRINT_MAX];

	if (!us)
		return;
	vif_print_time(time, us * 1000ULL);
	vif_params_append(buf, key);
	vif_params_append(buf, time);
}

static void vif_print_aqm(const void *value, char *buf)
{
	const struct vif_aqm *aqm = value;

	vif_print_word(buf, aqm->kind == NETNICE_AQM_NONE ? "none" : "codel");
	vif_append_time(buf, "target", aqm->target_us);
	vif_append_time(buf, "interval", aqm->interval_us);
	if (aqm->no_ack_filter)
		vif_params_append(buf, "no-ack-filter");
}

static const struct vif_param_kind aqm_kind = {
	.what		= "setting of CoDel",
	.words		= 6,
	.parse		= vif_parse_aqm,
	.print		= vif_print_aqm,
	.accepted	= "codel [target TIME] [interval TIME] [no-ack-filter], times from 1us to 10s, the target below the interval, or none, or auto",
};

static const char *const fair_name[] = {
	[NETNICE_FAIR_FLOW] = "flow",
	[NETNICE_FAIR_DUAL_SRCHOST] = "dual-srchost",
	[NETNICE_FAIR_DUAL_DSTHOST] = "dual-dsthost",
};

#define FAIRS	(sizeof(fair_name) / sizeof(*fair_name))

static int vif_parse_fair(const struct vif_word *word, void *value)
{
	u32 *fair = value;

	*fair = vif_find_name(word, fair_name, FAIRS);
	return *fair < FAIRS ? 0 : -EINVAL;
}

/* Programs print what a later module may have told them. */
static void vif_print_fair(const void *value, char *buf)
{
	const u32 *fair = value;

	if (*fair < FAIRS)
		vif_print_word(buf, fair_name[*fair]);
	else
		vif_print_number(fair, buf);
}

static const struct vif_param_kind fair_kind = {
	.what		= "kind of fairness",
	.words		= 1,
	.parse		= vif_parse_fair,
	.print		= vif_print_fair,
	.accepted	= "flow, dual-srchost or dual-dsthost",
};

static const char *const framing_name[] = {
	[NETNICE_FRAMING_NONE] = "noatm",
	[NETNICE_FRAMING_ATM] = "atm",
	[NETNICE_FRAMING_PTM] = "ptm",
};

#define FRAMINGS	(sizeof(framing_name) / sizeof(*framing_name))

/* May have a sign. Takes the word away. */
static int vif_parse_bytes_word(struct vif_word *words, int least, int most, s32 *bytes)
{
	struct vif_word word;
	bool minus;
	int err;

	vif_word_next(words, &word);
	minus = word.len && *word.text == '-';
	word.text += minus;
	word.len -= minus;
	err = vif_parse_number(&word, bytes);
	if (err)
		return err;
	if (minus)
		*bytes = -*bytes;
	return *bytes < least || *bytes > most ? -ERANGE : 0;
}

enum { OVERHEAD = 1, MPU = 2, FRAMING = 4 };

/*
 * @words: the words after @word; some are consumed. Return: the part that was parsed, or an error.
 */
static int vif_parse_part(const struct vif_word *word, struct vif_word *words,
			  struct vif_link *link)
{
	if (vif_word_is(word, "overhead"))
		return vif_parse_bytes_word(words, VIF_OVERHEAD_MIN, VIF_OVERHEAD_MAX,
					    &link->overhead) ?: OVERHEAD;
	if (vif_word_is(word, "mpu"))
		return vif_parse_bytes_word(words, 0, VIF_MPU_MAX, &link->mpu) ?: MPU;
	link->framing = vif_find_name(word, framing_name, FRAMINGS);
	return link->framing < FRAMINGS ? FRAMING : -EINVAL;
}

/* Each part is given once. */
static int vif_parse_link_layer(const struct vif_word *words, void *value)
{
	struct vif_word rest = *words, word;
	struct vif_link *link = value;
	int part, given = 0;

	*link = vif_params_initial.link_layer;
	if (vif_word_is(words, "none"))
		return 0;
	while (vif_word_next(&rest, &word)) {
		part = vif_parse_part(&word, &rest, link);
		if (part < 0)
			return part;
		if (given & part)
			return -EINVAL;
		given |= part;
	}
	return 0;
}

static void vif_append_bytes(char *buf, const char *key, s32 bytes)
{
	char number[VIF_PRINT_MAX];

	snprintf(number, sizeof(number), "%d", bytes);
	vif_params_append(buf, key);
	vif_params_append(buf, number);
}

static void vif_print_link_layer(const void *value, char *buf)
{
	const struct vif_link *link = value;

	*buf = '\0';
	if (link->overhead != VIF_OVERHEAD_NONE)
		vif_append_bytes(buf, "overhead", link->overhead);
	if (link->mpu)
		vif_append_bytes(buf, "mpu", link->mpu);
	/* programs print what a later module may have told them */
	if (link->framing != NETNICE_FRAMING_NONE && link->framing < FRAMINGS)
		vif_params_append(buf, framing_name[link->framing]);
	if (!*buf)
		vif_params_append(buf, "none");
}

static const struct vif_param_kind link_layer_kind = {
	.what		= "link layer",
	.words		= 5,
	.parse		= vif_parse_link_layer,
	.print		= vif_print_link_layer,
	.accepted	= "[overhead BYTES] [mpu BYTES] [atm | ptm | noatm], an overhead from -64 to 256, an mpu from 0 to 256, or none",
};

/* --- the table --- */

#define PARAM(ID, name, kind, ...)						\
	{ #name, &kind##_kind, offsetof(struct vif_params, name),		\
	  sizeof(vif_params_initial.name) },
const struct vif_param vif_param[VIF_PARAMS] = { VIF_PARAM_LIST(PARAM) };
#undef PARAM

/* Return the direction that a word names, or @dirs if it names none of them. */
static unsigned int vif_find_dir(const struct vif_word *word, unsigned int dirs)
{
	return vif_find_name(word, vif_dir_name, dirs);
}

/* A value extends to the next word that names a direction, up to its maximum number of words. */
static void
vif_parse_next_value(struct vif_word *text, enum vif_param_id id, struct vif_word *value)
{
	const unsigned int dirs = vif_param_dirs(id);
	unsigned int words = vif_param[id].kind->words;
	struct vif_word rest = *text, word;

	while (--words && vif_word_next(&rest, &word) && vif_find_dir(&word, dirs) == dirs) {
		value->len = word.text + word.len - value->text;
		*text = rest;
	}
}

/* @value: for each direction; NULL for one that is not mentioned */
static int vif_params_split(struct vif_word text, enum vif_param_id id,
			    struct vif_word value[VIF_DIRS], struct vif_word *bad)
{
	const unsigned int dirs = vif_param_dirs(id);
	unsigned int dir, end, given = 0;
	struct vif_word word;

	memset(value, 0, VIF_DIRS * sizeof(*value));
	for (; vif_word_next(&text, &word); given++) {
		*bad = word;
		dir = vif_find_dir(&word, dirs);
		end = dir + 1;
		if (dir == dirs) {
			dir = 0;
			end = dirs;
		} else if (!vif_word_next(&text, &word)) {
			return -ENODATA;
		}
		vif_parse_next_value(&text, id, &word);
		for (; dir < end; dir++) {
			if (value[dir].text)
				return -EEXIST;
			value[dir] = word;
		}
	}
	*bad = word;
	return given ? 0 : -ENODATA;
}

/* Values of several words are never longer than they are printed. */
static int vif_parse_value(const struct vif_param_kind *kind, const struct vif_word *words,
			   void *value)
{
	if (kind->words > 1 && words->len >= VIF_PRINT_MAX)
		return -EINVAL;
	return kind->parse(words, value);
}

int vif_param_parse(enum vif_param_id id, const char *text, struct vif_params params[VIF_DIRS],
		    unsigned int *dirs, struct vif_word *bad)
{
	const struct vif_param *param = &vif_param[id];
	struct vif_word value[VIF_DIRS];
	enum vif_dir dir;
	int err = vif_params_split(vif_word_of(text), id, value, bad);
	void *to, *last = NULL;

	*dirs = 0;
	for (dir = 0; dir < VIF_DIRS && !err; dir++) {
		if (!value[dir].text)
			continue;
		*dirs |= 1U << dir;
		to = (char *)&params[dir] + param->offset;
		if (last && value[dir].text == bad->text) {
			memcpy(to, last, param->size);
			continue;
		}
		*bad = value[dir];
		err = vif_parse_value(param->kind, &value[dir], to);
		last = to;
	}
	return err;
}

void vif_param_print(enum vif_param_id id, const struct vif_params *params, char *buf)
{
	vif_param[id].kind->print((const char *)params + vif_param[id].offset, buf);
}

/* --- netlink --- */

#define PART(ATTR, always, len, member)						\
	{ NETNICE_A_DIR_##ATTR, always, len, sizeof(vif_params_initial.member),	\
	  offsetof(struct vif_params, member) }
#define FIELD(ATTR, always, member) \
	PART(ATTR, always, sizeof(vif_params_initial.member), member)

const struct vif_field vif_field[VIF_FIELDS] = {
	FIELD(BANDWIDTH, false, bandwidth),
	FIELD(MINIMUM, false, minimum),
	FIELD(BURST_BYTES, false, burst.bytes),
	FIELD(BURST_NS, false, burst.ns),
	FIELD(WEIGHT, true, weight),
	FIELD(PRIORITY, true, priority),
	FIELD(LOCAL_WEIGHT, true, local_weight),
	FIELD(LOCAL_PRIORITY, true, local_priority),
	FIELD(LIMIT_BYTES, false, limit.bytes),
	FIELD(LIMIT_PACKETS, false, limit.packets),
	PART(LIMIT_MAX, false, 0, limit.max),
	FIELD(AQM, true, aqm.kind),
	FIELD(AQM_TARGET_US, false, aqm.target_us),
	FIELD(AQM_INTERVAL_US, false, aqm.interval_us),
	PART(AQM_NO_ACK_FILTER, false, 0, aqm.no_ack_filter),
	FIELD(FAIR, false, fair),
	FIELD(OVERHEAD, false, link_layer.overhead),
	FIELD(MPU, false, link_layer.mpu),
	FIELD(FRAMING, false, link_layer.framing),
	FIELD(CLASS, false, class),
	FIELD(GROUP, false, group),
	PART(DSCP, false, sizeof(u32), dscp.bits),
	PART(DSCP_FORCE, false, 0, dscp.force),
	FIELD(MARK, false, mark.bits.value),
	FIELD(MARK_MASK, false, mark.bits.mask),
	PART(MARK_FORCE, false, 0, mark.force),
	PART(SKB_PRIORITY, false, sizeof(u32), skb_priority.bits),
	PART(SKB_PRIORITY_FORCE, false, 0, skb_priority.force),
	FIELD(QUOTA_BYTES, false, quota.bytes),
	FIELD(QUOTA_LEFT, false, quota.left),
	FIELD(QUOTA_THEN, false, quota.then),
};
