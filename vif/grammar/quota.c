// SPDX-License-Identifier: GPL-2.0
/*
 * Quotas, a kind of parameter: the size, the limit after it is used up, and the bytes that are
 * left.
 */
#include "quota.h"

#include "env.h"

/* Parse the word @key and a value behind it, and remove both from @words. */
static bool vif_parse_quota_key(struct vif_word *words, const char *key, struct vif_word *value)
{
	struct vif_word word;

	vif_word_next(words, &word);
	return vif_word_is(&word, key) && vif_word_next(words, value);
}

static int vif_parse_quota_bytes(const struct vif_word *word, u64 most, u64 *bytes)
{
	int err = vif_parse_size(word, bytes);

	if (err)
		return err;
	return *bytes > most ? -ERANGE : 0;
}

static int vif_parse_then(const struct vif_word *word, u64 *then)
{
	u64 bits;
	int err;

	*then = VIF_QUOTA_STOP;
	if (vif_word_is(word, "stop"))
		return 0;
	err = vif_parse_bits(word, &bits);
	if (err)
		return err;
	*then = bits / 8;
	return bits < VIF_RATE_MIN * 8 || bits > VIF_RATE_LIMIT * 8 ? -ERANGE : 0;
}

/* All bytes are left, unless the text says how many. */
static int vif_parse_quota(const struct vif_word *words, void *value)
{
	struct vif_word rest = *words, word;
	struct vif_quota *quota = value;
	int err;

	*quota = (struct vif_quota) { };
	if (vif_word_is(words, "none"))
		return 0;
	vif_word_next(&rest, &word);
	err = vif_parse_quota_bytes(&word, VIF_QUOTA_MAX_BYTES, &quota->bytes);
	if (err)
		return err;
	if (!vif_parse_quota_key(&rest, "then", &word))
		return -EINVAL;
	err = vif_parse_then(&word, &quota->then);
	if (err)
		return err;
	quota->left = quota->bytes;
	if (!rest.len)
		return 0;
	if (!vif_parse_quota_key(&rest, "left", &word) || rest.len)
		return -EINVAL;
	return vif_parse_quota_bytes(&word, quota->bytes, &quota->left);
}

/* 0 is divided by every unit. */
static void vif_print_quota_bytes(char *buf, u64 bytes)
{
	if (bytes)
		vif_print_size(buf, bytes);
	else
		snprintf(buf, VIF_PRINT_MAX, "0b");
}

static void vif_print_quota(const void *value, char *buf)
{
	char bytes[VIF_PRINT_MAX], then[VIF_PRINT_MAX] = "stop", left[VIF_PRINT_MAX];
	const struct vif_quota *quota = value;

	if (!quota->then) {
		snprintf(buf, VIF_PRINT_MAX, "none");
		return;
	}
	vif_print_quota_bytes(bytes, quota->bytes);
	vif_print_quota_bytes(left, quota->left);
	if (quota->then != VIF_QUOTA_STOP)
		vif_print_bits(then, quota->then * 8);
	snprintf(buf, VIF_PRINT_MAX, "%.17s then %.15s left %.17s", bytes, then, left);
}

const struct vif_param_kind vif_quota_kind = {
	.what		= "quota",
	.words		= 5,
	.parse		= vif_parse_quota,
	.print		= vif_print_quota,
	.accepted	= "BYTES then RATE, or BYTES then stop (10GB then 256k), up to 1024TiB, optionally followed by left BYTES, or none",
};
